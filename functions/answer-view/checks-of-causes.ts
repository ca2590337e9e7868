// Which check of an answer belongs to which of its causes. Pure functions.

import type { Answer, Statement, Step } from "../schemas/answer.ts";
import type { TriageResult } from "../schemas/triage-result.ts";

/**
 * The first check of each cause that has one of its own: the check cites a document that no other cause cites. The checks of one
 * runbook serve all causes of that runbook, so none of them is paired.
 * @param causes the shown ones
 */
export function checksOfCauses(
  causes: readonly Statement[],
  { confirm }: Pick<Answer, "confirm">,
  sources: TriageResult["sources"],
): ReadonlyMap<Statement, Step> {
  const documents = new Map(sources.map(({ id, source }) => [id, source ?? id]));
  const citedBy = ({ citations }: Pick<Statement, "citations">) =>
    new Set(citations.map((id) => documents.get(id) ?? id));
  const pairs = new Map<Statement, Step>();
  for (const check of confirm) {
    const cited = citedBy(check);
    // Node 20, on which the published command line runs, has no isDisjointFrom().
    const citing = causes.filter((cause) => [...citedBy(cause)].some((id) => cited.has(id)));
    const [cause] = citing;
    if (cause !== undefined && citing.length === 1 && causes.length > 1 && !pairs.has(cause)) pairs.set(cause, check);
  }
  return pairs;
}
