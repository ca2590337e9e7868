// Runs one query of a person against a source, with the validation, the scope, the limits and the redaction of a triage.

import type { CheckRule } from "../../lib/checks/check.ts";
import { type Judgement, judge } from "../../lib/checks/judge.ts";
import { LANGUAGES } from "../../lib/checks/languages.ts";
import type { QueryProblem } from "../../lib/checks/scope/check-language.ts";
import type { QueryResult } from "../../lib/checks/scope/query.ts";
import { settle } from "../dependencies.ts";
import { EVIDENCE_KINDS } from "../schemas/evidence/evidence-kinds.ts";
import type { EvidenceSourceDefinition } from "../schemas/evidence/source.ts";

import { createResultScrubber } from "./scrub-result.ts";
import { failureOf, missingCredential, type SourceAccess, type SourceFailure } from "./source-health.ts";

export interface TriedQuery {
  readonly query: string;
  /** Of an alert, real or made up. */
  readonly labels: Readonly<Record<string, string>>;
  /** As in CheckLanguageSupport.prepare. */
  readonly match: readonly string[] | null;
  readonly confirms: CheckRule | null;
  readonly refutes: CheckRule | null;
}

export type Tried =
  /** The query has problems for every alert; nothing was sent. */
  | { readonly state: "invalid"; readonly problems: readonly QueryProblem[] }
  /** The query cannot be scoped to these labels; nothing was sent. */
  | { readonly state: "unscoped"; readonly reason: string }
  | TriedResult;

export interface TriedResult {
  readonly state: "ran";
  /** The query with its matchers and parameters. */
  readonly shown: string;
  readonly link: string | null;
  /** Redacted; null after a failure. */
  readonly result: QueryResult | null;
  readonly failure: SourceFailure | null;
  /** Null without rules. */
  readonly judgement: Judgement | null;
  readonly checkedAt: Date;
  readonly latencyMs: number;
}

/** Never throws a DependencyError of a source: its failure is the answer. */
export async function tryQuery(
  access: SourceAccess,
  definition: EvidenceSourceDefinition,
  { query, labels, match, confirms, refutes }: TriedQuery,
  cancelled?: AbortSignal,
): Promise<Tried> {
  const { evidenceSources, config, now, redact } = access;
  const language = LANGUAGES[EVIDENCE_KINDS[definition.kind].language];
  const problems = language.validate(query);
  if (problems.length > 0) return { state: "invalid", problems };
  const checkedAt = now();
  const prepared = language.prepare(query, { labels, match, now: checkedAt });
  if (!prepared.ok) return { state: "unscoped", reason: prepared.reason };
  const { query: scoped, shown } = prepared.value;
  const ran = { state: "ran", shown, checkedAt } as const;
  const hasRules = confirms !== null || refutes !== null;
  const failed = (failure: SourceFailure) => {
    const judgement = hasRules ? inconclusive(failure) : null;
    return { ...ran, result: null, failure, judgement, latencyMs: now().getTime() - checkedAt.getTime() };
  };
  const source = evidenceSources.clientOf(definition);
  if (source.state === "missing_credential") return { ...failed(missingCredential(source.name)), link: null };
  const { client } = source;
  const link = client.linkTo(scoped);
  const settled = await settle(client.run(scoped, { timeoutMs: config.EVIDENCE_TIMEOUT_MS, cancelled }));
  if (!settled.ok) return { ...failed(failureOf(settled.error)), link };
  const scrub = createResultScrubber(redact);
  const judgement = hasRules ? scrub.judgement(judge({ confirms, refutes, otherwise: null }, settled.value)) : null;
  const latencyMs = now().getTime() - checkedAt.getTime();
  return { ...ran, link, result: scrub.result(settled.value), failure: null, judgement, latencyMs };
}

/** A failure never confirms and never refutes. */
function inconclusive({ detail }: SourceFailure): Judgement {
  return { verdict: "inconclusive", statement: `The source did not answer: ${detail}.`, rule: null, value: null };
}
