// Names of the sources that an investigation asked, whether they answered or not.

import type { TriageResult } from "../../schemas/triage-result.ts";

/** Searched in every investigation that memory keeps. */
const ALWAYS = ["runbooks", "incidents", "past_answers", "procedures"];

/** Comma-joined: a vector store holds no lists. Empty for an incident without a finished triage. */
export function toolsUsed({
  triage_id,
  recalled,
  usage,
  warnings = [],
  checks = [],
}: Partial<Pick<TriageResult, "triage_id" | "recalled" | "usage" | "warnings" | "checks">>): string {
  if (triage_id === undefined) return "";
  const isReranked = Boolean(recalled?.reranking) || warnings.some(({ dependency }) => dependency === "reranker");
  const asksModel = (usage?.calls ?? 0) > 0;
  const sources = new Set(checks.flatMap(({ source }) => source ?? []));
  return [
    ...ALWAYS,
    ...(isReranked ? ["reranker"] : []),
    ...(asksModel ? ["language_model"] : []),
    ...[...sources].sort().map((name) => `source:${name}`),
  ].join(",");
}
