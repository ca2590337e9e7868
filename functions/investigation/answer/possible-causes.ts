// Candidates that are not confirmed: each with its probability and checks, without a cause or a mitigation. Pure functions.

import type { Answer, PossibleCause, Step } from "../../schemas/answer.ts";
import { type Incident, truncate } from "../../schemas/incident.ts";
import { kindOf, type Recall, type RecalledIncident, type RecalledRunbook } from "../recall/recall-result.ts";
import { roundShare } from "../relevance/relevance.ts";
import type { Candidate } from "./candidates.ts";
import { orderCauses } from "./ordered-causes.ts";
import { nameOf } from "./past-incidents.ts";
import { descriptionOf, openChecks } from "./runbook-quotes.ts";

/** Candidates of an answer. */
export const MAX_POSSIBLE = 3;
/** Checks of each candidate. */
const MAX_CHECKS = 3;
/** Characters. */
const MAX_FIX_LENGTH = 300;

export function possibleCauses(candidates: readonly Candidate[], incident: Incident, recall: Recall): PossibleCause[] {
  return candidates.map((candidate) => {
    const probability = roundShare(candidate.recalled.relevance.probability);
    if (candidate.kind === "runbook") return { ...quoteRunbook(candidate.recalled, incident, recall), probability };
    const { hit, likeness } = candidate.recalled;
    const alike = likeness.alike.length === 0 ? "" : `: ${likeness.alike.join("; ")}`;
    return {
      text: `${fixSentence(candidate.recalled)} The past incident ${nameOf(candidate.recalled)} looks similar${alike}.`,
      title: hit.observation.title,
      probability,
      citations: [hit.document.id],
      confirm: [],
    };
  });
}

/** What fixed the past incident, before what is alike: it is what people look for. */
function fixSentence({ hit: { observation } }: RecalledIncident): string {
  const { resolution, fixes } = observation;
  if (resolution === null) return "";
  const fix = truncate(resolution.text.replace(/\s+/g, " ").trim(), MAX_FIX_LENGTH);
  const proof = fixes.find(({ text }) => text === resolution.text);
  const worked = proof ? ` (worked ${proof.worked} of ${proof.tried})` : "";
  return `Then fixed by: ${fix}${worked}${/[.!?]$/.test(fix) && worked === "" ? "" : "."}`;
}

/** Names the candidates with their probabilities. */
export function possibleSummary(candidates: readonly Candidate[]): Answer["summary"] {
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
  return { text: `Possible, not confirmed: ${alternatives(names)}.`, citations };
}

/** The cause that a line of the report speaks for, else the description. */
function quoteRunbook(
  runbook: RecalledRunbook,
  incident: Incident,
  recall: Recall,
): Omit<PossibleCause, "probability"> {
  const { title, sections } = runbook;
  const confirm = openChecks(runbook, recall).filter(isReadOnly).slice(0, MAX_CHECKS);
  const { causes, orderedBy } = orderCauses(runbook, incident, recall);
  const cause = orderedBy === "report" ? causes[0] : undefined;
  if (cause) return { text: cause.text, title, citations: cause.citations, confirm };
  const description = descriptionOf(runbook);
  if (description) return { text: description.text, title, citations: [description.section.id], confirm };
  const text = `The ${kindOf(runbook)} "${title}" is near to this.`;
  return { text, title, citations: sections.slice(0, 1).map(({ id }) => id), confirm };
}

/** Without a cause, nobody should change the system. */
function isReadOnly({ effect }: Step): boolean {
  return effect !== "changes_state";
}

function alternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
