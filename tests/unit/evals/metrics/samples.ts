// Sample cases and answers for tests of the metrics.

import { caseSchema, type EvalCase } from "../../../../evals/case-files/case-schema.ts";
import { measure, type NamedRecords } from "../../../../evals/metrics/metrics.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { sampleResult } from "../../investigation/samples.ts";

export const OOM = "docker/exit-137-out-of-memory.md";
export const LOOP = "docker/container-restart-loop.md";
export const NO_NAMES: NamedRecords = new Map();

export function caseOf(expectation: object, changes: object = {}): EvalCase {
  return caseSchema.parse({
    id: "a-case",
    category: "retrieval",
    description: "A case.",
    domain: "docker",
    ask: { title: "api-gateway exited with code 137" },
    expect: expectation,
    ...changes,
  });
}

export function hit(source: string, changes: object = {}) {
  return {
    id: `${source}#1`,
    kind: "runbook" as const,
    source,
    title: source,
    heading: "Symptoms",
    text: "",
    score: 3,
    features: {},
    probability: 0.8,
    relevance: { log_odds: 0, contributions: {} },
    relevant: true,
    ...changes,
  };
}

/** An answer whose only source is the runbook `source`; `shown` are the recalled runbooks in order. */
export function answerFrom(
  source: string,
  shown: readonly string[] = [source],
  changes: Partial<TriageResult> = {},
): TriageResult {
  const id = `${source}#1`;
  const sample = sampleResult();
  return {
    ...sample,
    answer: { ...sample.answer, summary: { text: "It was killed at its **memory limit**.", citations: [id] } },
    sources: [{ id, kind: "runbook", title: source, source, heading: "" }],
    recalled: { ...sample.recalled, runbooks: shown.map((each) => hit(each)) },
    ...changes,
  };
}

export const answer = (result: TriageResult, ...storedRecords: string[]) => ({ result, storedRecords, elapsedMs: 5 });
export const measured = (expectation: object, result: TriageResult, names = NO_NAMES, ...storedRecords: string[]) =>
  measure(caseOf(expectation), answer(result, ...storedRecords), names);
