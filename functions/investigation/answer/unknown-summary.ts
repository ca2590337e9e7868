// The summary of an answer without a cause: what is missing, and what to add. Pure functions.

import type { Incident } from "../../schemas/incident.ts";
import { isRuledOut } from "../evidence/check-verdicts.ts";
import type { Recall } from "../recall/recall-result.ts";

/** @param similar number of relevant past incidents, none of which has a fix */
export function unknownSummary(incident: Incident, recall: Recall, similar: number): string {
  const [ruledOut] = recall.runbooks.filter((runbook) => isRuledOut(recall, runbook));
  const covers = ruledOut ? `a check rules out the runbook "${ruledOut.title}"` : "no recalled runbook covers this";
  const runbooks = recall.runbooks.length === 0 ? "no runbook was recalled" : covers;
  const incidents =
    similar === 0 ? "no past incident resembles it" : "a similar incident is on record, but without a fix";
  return [`Unknown: ${runbooks}${searchedIn(incident, recall)}, and ${incidents}.`, ...missingInputs(incident)].join(
    " ",
  );
}

/** The summary where the query for evidence returned nothing. */
export function nothingFoundSummary(incident: Incident): string {
  const quote = incident.evidence.state?.quote ?? "";
  return [
    `Unknown: the evidence holds nothing: "${quote}".`,
    "Attach the state, the events or the logs of the affected object.",
    ...(incident.target === null ? ["Which object is affected? Name it, and where it runs."] : []),
  ].join(" ");
}

/** What the report lacks, in sentences. */
function missingInputs({ target, labels, logs, evidence }: Incident): string[] {
  const isUnplaced = target === null && Object.keys(labels).length === 0 && logs === null;
  const logsText =
    logs === null ? "logs" : evidence.lines.length === 0 ? "logs that show the failure" : "more of the logs";
  return [
    `Add ${logsText} or the exact error message to ask again.`,
    ...(isUnplaced ? ["Name the affected service, host or object."] : []),
  ];
}

/** The searched domains, where the search was limited. */
function searchedIn({ domain }: Incident, { lookedFurther }: Recall): string {
  if (!domain.limitsSearch) return "";
  return lookedFurther ? ` in the ${domain.name} domain or in any other` : ` in the ${domain.name} domain`;
}
