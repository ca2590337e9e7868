// What a rule finds in a migration.

import type { Statement } from "./parse-migration.ts";
import type { SchemaModel } from "./schema-model.ts";

/** `-- accepts <rule>: <reason>` above a statement allows it in spite of these. */
export const ACCEPTABLE_RULES = ["lock", "rewrite", "backfill"] as const;
export type Rule = "breaks" | (typeof ACCEPTABLE_RULES)[number];

export interface Finding {
  readonly rule: Rule;
  /** What goes wrong for the former version's Worker. */
  readonly problem: string;
  readonly remedy: string;
  /** Names that `-- contract` may vouch for; empty if no search for a name can show that nothing uses it. */
  readonly names: readonly string[];
}

export interface RuleContext {
  readonly model: SchemaModel;
  /** All statements of the file. */
  readonly statements: readonly Statement[];
}

export function breaks(problem: string, remedy: string, ...names: readonly string[]): Finding {
  return { rule: "breaks", problem, remedy, names };
}

export function slows(rule: Exclude<Rule, "breaks">, problem: string, remedy: string): Finding {
  return { rule, problem, remedy, names: [] };
}

export const CONTRACT_LATER = "Keep it, and remove it when no Worker in releases/ uses it any more";
