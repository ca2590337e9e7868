// Evidence checks: their definition in a runbook, and their results.

import { z } from "zod";

export const CHECK_LANGUAGES = ["promql", "logql", "sql", "k8s"] as const;
export type CheckLanguage = (typeof CHECK_LANGUAGES)[number];

/** A condition on the result of a query, and what it means if the condition holds. */
export interface CheckRule {
  /** As the author wrote it, such as "any > 0.9". */
  readonly condition: string;
  /** Such as "the slots are nearly used up". */
  readonly meaning: string;
}

/** A check as a runbook declares it. */
export interface CheckDefinition {
  /** Unique in its runbook. */
  readonly name: string;
  readonly language: CheckLanguage;
  readonly query: string;
  /** Names of the labels that scope the query, from the attribute `match`; null for the default of the language. */
  readonly match: readonly string[] | null;
  /** The beginning of the cause that it belongs to; null for the whole runbook. */
  readonly cause: string | null;
  readonly confirms: CheckRule | null;
  readonly refutes: CheckRule | null;
  /** The author's words for a result that neither confirms nor refutes; null without any. */
  readonly otherwise: string | null;
}

/** `not_run`: no query was sent. */
export const CHECK_VERDICTS = ["confirmed", "refuted", "inconclusive", "not_run"] as const;
export type CheckVerdict = (typeof CHECK_VERDICTS)[number];

export const checkResultSchema = z.object({
  id: z.string().describe("Cited by statements of the answer: `check:<runbook>#<name>`."),
  name: z.string(),
  language: z.enum(CHECK_LANGUAGES),
  verdict: z
    .enum(CHECK_VERDICTS)
    .describe(
      "`confirmed`, `refuted`: the result satisfies that rule of the check. `inconclusive`: it satisfies neither rule or both, or there " +
        "is no data. `not_run`: no query was sent; `statement` says why.",
    ),
  statement: z
    .string()
    .describe("The meaning of the rule that holds; for `inconclusive` and `not_run`, the reason in one sentence."),
  rule: z.string().nullable().describe("The condition that holds, such as `any > 0.9`; null if none does."),
  value: z
    .string()
    .nullable()
    .describe("The value that decided, with the labels of its series, such as `0.97 (instance=db-1)`."),
  query: z
    .string()
    .describe("The query as it ran, with the matchers and parameters of this alert; else as the runbook has it."),
  cause: z
    .string()
    .nullable()
    .describe("The cause of the runbook that the check belongs to; null for the whole runbook."),
  runbook: z.string().describe("Name of the runbook that declares the check."),
  citations: z.array(z.string()).describe("Id of the runbook section that declares it."),
  source: z.string().nullable().describe("Name of the source of evidence; null if none was asked."),
  server: z
    .string()
    .nullable()
    .describe("Server and database that SQL asked, such as `db-1:5432/orders`; null otherwise."),
  checked_at: z.string().nullable().describe("Time of the result, ISO 8601; null without a query."),
  as_of: z
    .string()
    .nullable()
    .describe(
      "The time that was asked about: the start of an incident that began over an hour before; null for the present.",
    ),
  link: z.string().nullable().describe("A page that shows the query in the source; null if the source has none."),
});
export type CheckResult = z.infer<typeof checkResultSchema>;
