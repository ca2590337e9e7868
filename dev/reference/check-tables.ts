// The units and limits of evidence checks, for docs/reference/checks.md.

import { MAX_CAUSE_LENGTH, MAX_MATCH_LABELS } from "../../lib/checks/check-attributes.ts";
import { MAX_MEANING_LENGTH } from "../../lib/checks/check-rules.ts";
import { MAX_CONDITION_CHARS, UNITS } from "../../lib/checks/condition.ts";
import { MAX_QUERY_LENGTH } from "../../lib/checks/k8s/parse-object-query.ts";
import { MAX_CHECK_BYTES, MAX_CHECKS } from "../../lib/checks/parse-checks.ts";
import { MAX_QUERY_CHARS } from "../../lib/checks/scope/syntax-tree.ts";
import { MAX_SQL_CHARS, MAX_TOKENS } from "../../lib/checks/sql/tokens.ts";
import { MAX_RELATIONS } from "../../lib/checks/sql/tree.ts";

const LIMITS: readonly (readonly [name: string, limit: number, unit: string])[] = [
  ["checks of a runbook", MAX_CHECKS, "checks"],
  ["a check with its rules", MAX_CHECK_BYTES, "bytes"],
  ["a query in `promql` or `logql`", MAX_QUERY_CHARS, "characters"],
  ["a query in `sql`", MAX_SQL_CHARS, `characters, ${MAX_TOKENS} words and signs, ${MAX_RELATIONS} relations`],
  ["a query in `k8s`", MAX_QUERY_LENGTH, "characters"],
  ["a condition", MAX_CONDITION_CHARS, "characters"],
  ["the meaning of a rule", MAX_MEANING_LENGTH, "characters"],
  ["`match`", MAX_MATCH_LABELS, "labels"],
  ["`cause`", MAX_CAUSE_LENGTH, "characters"],
];

/** Each unit of a number and its factor, as a Markdown table. */
export function unitsTable(): string {
  const rows = [...UNITS].map(([unit, factor]) => `| \`${unit}\` | ${factor.toLocaleString("en")} |`);
  return ["| unit | times |", "|---|---|", ...rows].join("\n");
}

/** The largest size of each part of a check, as a Markdown table. */
export function limitsTable(): string {
  const rows = LIMITS.map(([name, limit, unit]) => `| ${name} | ${limit.toLocaleString("en")} ${unit} |`);
  return ["| part | at most |", "|---|---|", ...rows].join("\n");
}
