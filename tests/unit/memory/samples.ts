// Hand-built values that the tests of memory share: what a record and what a hit of the index look like when nothing is
// special.

import type { Fix } from "../../../functions/memory/fixes.ts";
import type { Observation } from "../../../functions/memory/observation.ts";
import type { ObservedReport } from "../../../functions/memory/observed-report.ts";
import type { PastAnswer } from "../../../functions/memory/past-answers.ts";
import type { NewProcedure } from "../../../functions/memory/procedures.ts";
import { NO_SIGNATURE } from "../../../functions/schemas/failure-signature.ts";

export function sampleObservation(changes: Partial<Observation> = {}): Observation {
  return {
    id: "incident-1",
    domain: "docker",
    fingerprint: "key-1",
    signature: NO_SIGNATURE,
    version: 3,
    title: "api-gateway was OOMKilled",
    narrative: "Covered oom killed on api-gateway in the docker domain. Its cache had grown.",
    facts: ["Type: oom_killed", "Target: api-gateway"],
    writtenBy: "extractive",
    taskType: "oom_killed",
    target: "api-gateway",
    targets: ["api-gateway"],
    severity: "high",
    toolsUsed: "runbooks,incidents,past_answers,procedures",
    finalScore: 8,
    reviewScore: null,
    occurrences: 2,
    firstSeenAt: new Date("2026-01-15T08:30:00Z"),
    lastSeenAt: new Date("2026-02-10T08:00:00Z"),
    seenAt: [new Date("2026-01-15T08:30:00Z"), new Date("2026-02-10T08:00:00Z")],
    resolution: null,
    fixes: [],
    ...changes,
  };
}

/** An active fix that helped once. */
export function sampleFix(changes: Partial<Fix> = {}): Fix {
  const at = new Date("2026-01-16T10:00:00Z");
  return {
    id: "fix-1",
    text: "Raised the limit.",
    fingerprint: "key-1",
    conditions: null,
    tried: 1,
    worked: 1,
    firstAt: at,
    lastAt: at,
    lastWorkedAt: at,
    lastWorkedBy: "dana",
    importedFrom: null,
    retired: null,
    cameBackAt: null,
    ...changes,
  };
}

export function sampleReport(changes: Partial<ObservedReport> = {}): ObservedReport {
  return {
    incidentId: "incident-2",
    task: "Why does api-gateway restart?",
    fingerprint: "key-1",
    signature: NO_SIGNATURE,
    target: "api-gateway",
    reportedAt: new Date("2026-02-10T08:00:00Z"),
    ...changes,
  };
}

export function sampleNewProcedure(changes: Partial<NewProcedure> = {}): NewProcedure {
  return {
    id: "procedure-1",
    domain: "docker",
    query: "oom killed api-gateway exited",
    strategy: "retrieval_hits=3, memory_hits=1, reflected=false",
    answer: "Its cache had grown.",
    confidence: 0.9,
    triageId: "triage-1",
    createdAt: new Date("2026-02-10T08:00:00Z"),
    ...changes,
  };
}

export function sampleNewMemory(changes: Partial<PastAnswer> = {}): PastAnswer {
  return {
    id: "triage-1",
    domain: "docker",
    sessionId: "session-1",
    triageId: "triage-1",
    createdAt: new Date("2026-02-10T08:00:00Z"),
    question: "Why does api-gateway restart?",
    answer: "Its cache had grown.",
    isSummary: false,
    ...changes,
  };
}
