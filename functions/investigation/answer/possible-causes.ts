// Candidates that are not confirmed: each with its probability and checks, without a cause or a mitigation. Pure functions.

import type { Answer, PossibleCause, Step } from "../../schemas/answer.ts";
import type { Incident } from "../../schemas/incident.ts";
import { kindOf, type Recall, type RecalledRunbook } from "../recall/recall-result.ts";
import { roundShare } from "../relevance/relevance.ts";
import type { Candidate } from "./candidates.ts";
import { orderCauses } from "./ordered-causes.ts";
import { descriptionOf, openChecks } from "./runbook-quotes.ts";

/** Candidates of an answer. */
export const MAX_POSSIBLE = 3;
/** Checks of each candidate. */
const MAX_CHECKS = 3;

export function possibleCauses(
  runbooks: readonly RecalledRunbook[],
  incident: Incident,
  recall: Recall,
): PossibleCause[] {
  return runbooks.map((runbook) => ({
    ...quoteRunbook(runbook, incident, recall),
    probability: roundShare(runbook.relevance.probability),
  }));
}

/** Names the candidates with their probabilities. */
export function summaryOfCandidates(candidates: readonly Candidate[]): Answer["summary"] {
  const names = candidates.map((candidate) => {
    const percent = `${Math.round(candidate.recalled.relevance.probability * 100)} %`;
    return candidate.kind === "runbook"
      ? `the ${kindOf(candidate.recalled)} "${candidate.recalled.title}" (${percent})`
      : `the past incident "${candidate.recalled.hit.observation.title}" (${percent})`;
  });
  const citations = candidates.flatMap((candidate) =>
    candidate.kind === "runbook"
      ? candidate.recalled.sections.slice(0, 1).map(({ id }) => id)
      : [candidate.recalled.hit.document.id],
  );
  return { text: `Possible: ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(names)}.`, citations };
}

/** The cause that a line of the report speaks for, else the description. */
function quoteRunbook(
  runbook: RecalledRunbook,
  incident: Incident,
  recall: Recall,
): Omit<PossibleCause, "probability"> {
  const { title, sections } = runbook;
  const confirm = openChecks(runbook, recall).filter(changesNothingKnown).slice(0, MAX_CHECKS);
  const { causes, orderedBy } = orderCauses(runbook, incident, recall);
  const cause = orderedBy === "report" ? causes[0] : undefined;
  if (cause) return { text: cause.text, title, citations: cause.citations, confirm };
  const description = descriptionOf(runbook);
  if (description) return { text: description.text, title, citations: [description.section.id], confirm };
  const text = `The ${kindOf(runbook)} "${title}" is near to this.`;
  return { text, title, citations: sections.slice(0, 1).map(({ id }) => id), confirm };
}

/** Without a cause, nobody should change the system. Also true for a step without a command. */
function changesNothingKnown({ effect }: Step): boolean {
  return effect !== "changes_state";
}
