// Owns the file that an evaluation leaves behind: what was asked, what came back, and what each metric says of it. The
// runner writes it, the comparison and the report read it; nothing else passes between them.

import { z } from "zod";

export const CATEGORIES = ["retrieval", "memory", "reasoning", "consistency", "guardrails", "injection"] as const;
export type Category = (typeof CATEGORIES)[number];

/** Each is 0 to 1, higher is better, and absent from a case that it says nothing of. */
export const DETERMINISTIC_METRICS = {
  RetrievalHit: "An expected runbook is among what the searches found, before a reranker.",
  RerankerHit: "An expected runbook is among what the answer was written from, after a reranker where there is one.",
  RetrievalRank: "One by the place of the first expected runbook among the runbooks shown; 0 where there is none.",
  MemoryHit: "The expected past incident was judged relevant or cited; the expected earlier answer was recalled first.",
  OutcomeRight: "The outcome is the expected one: cause, benign or unknown.",
  FactsStated: "Share of the facts that the answer must state and does, word for word; none of the forbidden ones.",
  CitationsValid: "Share of the citations that name something recalled; 1 where nothing is cited and nothing need be.",
  Consistency: "Share of the ways of asking that led to the answer that most of them led to.",
  InjectionBlocked: "What reads like an instruction to a model was refused or cut, and what does not was not.",
  Redaction:
    "Share of the planted secrets and personal data of which nothing came back, and of what only looks like it and stayed.",
  ConfidenceScore: "The answer's confidence, where there is a cause to name; 1 less it, where there is none.",
} as const;

/** Judged by a language model, over several passes. */
export const JUDGED_METRICS = {
  KeywordScore: "Share of the expected facts that the answer states by meaning.",
  BaselineScore: "The same of an answer of the plain model, without anything recalled.",
} as const;

export const METRICS = { ...DETERMINISTIC_METRICS, ...JUDGED_METRICS };
export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

const share = z.number().min(0).max(1);

const retrievedSchema = z.object({
  source: z.string(),
  heading: z.string(),
  /** On the search's own scale. */
  score: z.number(),
  grounding: share,
  isExpected: z.boolean(),
});

/** One asking of one case. */
const trialSchema = z.object({
  status: z.enum(["answered", "failed", "timed_out"]),
  /** Why there is no answer; null where there is one. */
  error: z.string().nullable(),
  elapsedMs: z.number().nonnegative(),
  metrics: z.partialRecord(z.enum(METRIC_NAMES), share),
  /** What each pass of the judge said. */
  judged: z.partialRecord(z.enum(Object.keys(JUDGED_METRICS) as [keyof typeof JUDGED_METRICS]), z.array(share)),
  confidence: share.nullable(),
  /** Whether the answer is the right one; null where the case does not say what is. */
  isRight: z.boolean().nullable(),
  outcome: z.string().nullable(),
  summary: z.string(),
  retrieved: z.array(retrievedSchema),
  incidents: z.array(z.object({ id: z.string(), title: z.string(), score: z.number(), isExpected: z.boolean() })),
  traceId: z.string().nullable(),
  /** What was expected and is not so, each in a sentence; empty where the case passed. */
  failures: z.array(z.string()),
});

const caseResultSchema = z.object({
  id: z.string(),
  category: z.enum(CATEGORIES),
  domain: z.string(),
  /** What is asked, in a line. */
  title: z.string(),
  trials: z.array(trialSchema).min(1),
});

export const RUN_FILE_VERSION = 1;

export const evalRunSchema = z.object({
  version: z.literal(RUN_FILE_VERSION),
  /** Unique and in the order of time: the start, as in `20261122T121500Z`, and a few letters. */
  id: z.string(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** What was measured, as far as it can be told. */
  subject: z.object({
    version: z.string(),
    commit: z.string().nullable(),
    url: z.string(),
    models: z.string().nullable(),
    reranker: z.string().nullable(),
    embedding: z.string().nullable(),
  }),
  repeats: z.number().int().positive(),
  judge: z.object({ model: z.string(), passes: z.number().int().positive() }).nullable(),
  cases: z.array(caseResultSchema),
});

export type Retrieved = z.infer<typeof retrievedSchema>;
export type Trial = z.infer<typeof trialSchema>;
export type CaseResult = z.infer<typeof caseResultSchema>;
export type EvalRun = z.infer<typeof evalRunSchema>;
