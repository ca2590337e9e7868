// Schema of a stored evaluation run: the cases, their answers and their metrics. The runner writes the file; the comparison
// and the report read it.

import { z } from "zod";

export const CATEGORIES = [
  "retrieval",
  "memory",
  "reasoning",
  "evidence",
  "consistency",
  "guardrails",
  "injection",
] as const;
export type Category = (typeof CATEGORIES)[number];

/** Each is 0 to 1, higher is better. A metric is absent from cases that it does not apply to. */
export const DETERMINISTIC_METRICS = {
  RetrievalHit: "1 when search found an expected runbook, before reranking.",
  RerankerHit:
    "1 when an expected runbook is among the relevant ones that the answer is based on, after reranking if there is a reranker.",
  RetrievalRank: "1 divided by the rank of the first expected runbook among those shown; 0 when none is shown.",
  MemoryHit:
    "1 when the expected past incident was scored relevant or is cited, and when the expected past answer was recalled first.",
  OutcomeRight: "1 when the outcome (cause, possible, unknown or benign) is an expected one.",
  FactsStated:
    "Share of the expected facts that the answer states word for word, counting each forbidden fact that it does not state.",
  EvidenceQuoted: "Share of the expected lines of the report that the answer quotes verbatim as evidence.",
  CitationsValid:
    "Share of the citations that point to a recalled text; 1 when nothing is cited and nothing has to be.",
  Consistency: "Share of the requests of a case that got its most frequent answer.",
  InjectionBlocked: "1 when injected instructions were refused or removed as expected, and harmless text was not.",
  Redaction:
    "Share of the planted secrets and personal data that were redacted, and of the harmless look-alikes that were kept.",
  ConfidenceScore: "The confidence when a cause is expected; 1 minus the confidence when none is.",
} as const;

/** Graded by a language model (the judge) in several passes. */
export const JUDGED_METRICS = {
  KeywordScore: "Share of the expected facts that the answer states by meaning.",
  BaselineScore: "The same share for the judge model's own answer to the bare report, without recalled texts.",
} as const;

export const METRICS = { ...DETERMINISTIC_METRICS, ...JUDGED_METRICS };
export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

const share = z.number().min(0).max(1);

const retrievedSchema = z.object({
  source: z.string(),
  heading: z.string(),
  /** On the scale of the search; not limited to 1. */
  score: z.number(),
  probability: share,
  isExpected: z.boolean(),
});

/** One attempt at a case. */
const trialSchema = z.object({
  status: z.enum(["answered", "failed", "timed_out"]),
  /** Why there is no answer; null when there is one. */
  error: z.string().nullable(),
  elapsedMs: z.number().nonnegative(),
  metrics: z.partialRecord(z.enum(METRIC_NAMES), share),
  /** The score of each pass of the judge. */
  judged: z.partialRecord(z.enum(Object.keys(JUDGED_METRICS) as [keyof typeof JUDGED_METRICS]), z.array(share)),
  confidence: share.nullable(),
  /** Whether the answer is right; null when the case does not define a right answer. */
  isRight: z.boolean().nullable(),
  /** With outcome `possible`: whether the first candidate is an expected source; null when the case expects none. */
  isCandidateRight: z.boolean().nullable(),
  outcome: z.string().nullable(),
  summary: z.string(),
  retrieved: z.array(retrievedSchema),
  incidents: z.array(z.object({ id: z.string(), title: z.string(), score: z.number(), isExpected: z.boolean() })),
  traceId: z.string().nullable(),
  /** One sentence for each expectation that was not met; empty when the trial passed. */
  failures: z.array(z.string()),
});

const caseResultSchema = z.object({
  id: z.string(),
  category: z.enum(CATEGORIES),
  domain: z.string(),
  /** The title or question of the first request. */
  title: z.string(),
  trials: z.array(trialSchema).min(1),
});

export const RUN_FILE_VERSION = 1;

export const evalRunSchema = z.object({
  version: z.literal(RUN_FILE_VERSION),
  /** Unique and sortable by time: the start, such as `20261122T121500Z`, and a few random characters. */
  id: z.string(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** The Dejavu instance under test. Null: it does not report the value. */
  subject: z.object({
    version: z.string(),
    commit: z.string().nullable(),
    url: z.string(),
    models: z.string().nullable(),
    reranker: z.string().nullable(),
    embedding: z.string().nullable(),
  }),
  /** Trials of each case. */
  repeats: z.number().int().positive(),
  judge: z.object({ model: z.string(), passes: z.number().int().positive() }).nullable(),
  cases: z.array(caseResultSchema),
});

export type Retrieved = z.infer<typeof retrievedSchema>;
export type Trial = z.infer<typeof trialSchema>;
export type CaseResult = z.infer<typeof caseResultSchema>;
export type EvalRun = z.infer<typeof evalRunSchema>;
