// Made-up evaluation runs for tests: six runs of 63 cases, the same on every call. They contain failures, timeouts,
// regressions and hostile text.

import { randomNumbers } from "../../../bench/support/random-numbers.ts";
import {
  CATEGORIES,
  type CaseResult,
  type Category,
  type EvalRun,
  type MetricName,
  RUN_FILE_VERSION,
  type Trial,
} from "../../../evals/runs/run-file.ts";

/** Changes the title of the page if a browser runs it. */
export const HOSTILE_SCRIPT = `<script>document.title = "taken over"</script><img src=x onerror="document.title='taken over'">`;
export const HOSTILE_TITLES = [
  `Pods restart ${HOSTILE_SCRIPT}`,
  `"quoted" 'twice' & <b>bold</b> &amp; \`ticked\` \${templated}`,
  `${"CrashLoopBackOffInTheVeryLongestNamespaceThatAnybodyEverNamed".repeat(4)}`,
  "right to left \u202e deluting \u2066 mixed עברית العربية \u0000 \u0007 \u200b end",
];

const TITLES: Readonly<Record<Category, readonly string[]>> = {
  retrieval: [
    "Container killed with exit code 137",
    "Image pull fails behind the proxy",
    "Node disk pressure since noon",
  ],
  memory: ["Checkout times out again", "The same replication lag as last week", "Registry mirror returns 502 again"],
  reasoning: [
    "Deadlocks while the nightly import runs",
    "Pods pending after the node pool grew",
    "Slow queries, idle CPU",
  ],
  evidence: ["Seat map unhealthy, says the monitor", "Ledger has no replica", "Is the price feed well?"],
  consistency: [
    "rootless podman cannot bind port 80",
    "podman: permission denied on a volume",
    "DNS inside the pod fails",
  ],
  guardrails: ["Log of the deploy holds a key", "Customer mail address in the alert", "Token in a stack trace"],
  injection: ["Log line asks the model to forget", "Alert asks for the system prompt", "DAN, the service, is down"],
};
const SOURCES = [
  "docker/exit-codes.md",
  "kubernetes/pending-pods.md",
  "podman/rootless.md",
  "postgres/locks-and-deadlocks.md",
];
const METRICS: Readonly<Record<Category, readonly MetricName[]>> = {
  retrieval: ["RetrievalHit", "RerankerHit", "RetrievalRank", "ConfidenceScore"],
  memory: ["MemoryHit", "OutcomeRight", "ConfidenceScore"],
  reasoning: ["OutcomeRight", "FactsStated", "CitationsValid", "RetrievalRank", "ConfidenceScore"],
  evidence: ["OutcomeRight", "EvidenceQuoted", "ConfidenceScore"],
  consistency: ["Consistency", "OutcomeRight", "ConfidenceScore"],
  guardrails: ["Redaction", "CitationsValid"],
  injection: ["InjectionBlocked"],
};
const PER_CATEGORY = 9;
const RUNS = 6;
const PASSES = 3;

/** Oldest first. The newest run has a judge, a case that timed out and a case that failed. */
export function sampleRuns(): EvalRun[] {
  return Array.from({ length: RUNS }, (_, index) => sampleRun(index));
}

/** A run without cases, with the given changes. */
export function runOf(change: Partial<EvalRun> = {}): EvalRun {
  return {
    version: RUN_FILE_VERSION,
    id: "20261122T121500Z-abc",
    startedAt: "2026-11-22T12:15:00.000Z",
    finishedAt: "2026-11-22T12:16:12.000Z",
    subject: {
      version: "0.1.0",
      commit: "5b9ec7de10ce8ca5193f6f95a534fcdc8789a7b4",
      url: "http://127.0.0.1:8787",
      models: null,
      reranker: null,
      embedding: "universal-sentence-encoder/512",
    },
    repeats: 3,
    judge: null,
    cases: [],
    ...change,
  };
}

/** A case with the given trials; each trial lists its differences from a passing one. */
export function caseOf(id: string, trials: readonly Partial<Trial>[], category: Category = "retrieval"): CaseResult {
  return { id, category, domain: "docker", title: `The case ${id}`, trials: trials.map(trialOf) };
}

export function trialOf(change: Partial<Trial> = {}): Trial {
  return {
    status: "answered",
    error: null,
    elapsedMs: 400,
    metrics: {},
    judged: {},
    confidence: 0.8,
    isRight: true,
    isCandidateRight: null,
    outcome: "cause",
    summary: "The container ran out of memory.",
    retrieved: [],
    incidents: [],
    traceId: null,
    failures: [],
    ...change,
  };
}

function sampleRun(index: number): EvalRun {
  const random = randomNumbers(index + 1);
  const day = String(17 + index).padStart(2, "0");
  const isNewest = index === RUNS - 1;
  const cases = CATEGORIES.flatMap((category) =>
    Array.from({ length: PER_CATEGORY }, (_, number) => sampleCase(category, number, { index, random, isNewest })),
  );
  return runOf({
    id: `202611${day}T121500Z-${index}`,
    startedAt: `2026-11-${day}T12:15:00.000Z`,
    finishedAt: `2026-11-${day}T12:16:${40 + index}.000Z`,
    judge: isNewest ? { model: "anthropic:claude-haiku-4-5", passes: PASSES } : null,
    // One run covers only two thirds of the cases.
    cases: index === 2 ? cases.filter((_, i) => i % 3 !== 0) : cases,
  });
}

interface SampleContext {
  readonly index: number;
  readonly random: () => number;
  readonly isNewest: boolean;
}

function sampleCase(category: Category, number: number, context: SampleContext): CaseResult {
  const titles = TITLES[category];
  const hostile = category === "reasoning" ? HOSTILE_TITLES[number] : undefined;
  return {
    id: `${category}-${number + 1}`,
    category,
    domain: ["docker", "podman", "kubernetes", "postgres"][number % 4] ?? "docker",
    title: hostile ?? `${titles[number % titles.length]}${number < titles.length ? "" : `, ${number}`}`,
    trials: [0, 1, 2].map(() => sampleTrial(category, number, { ...context, hostile: hostile ?? null })),
  };
}

function sampleTrial(
  category: Category,
  number: number,
  { index, random, isNewest, hostile }: SampleContext & { readonly hostile: string | null },
): Trial {
  // Hard cases fail in every run. Case 4 breaks in the newest run; case 5 fails in the runs before it and then passes.
  const hard = number === 0 || (isNewest ? number === 4 && category !== "guardrails" : number === 5 && index > 1);
  const isRight = random() < (hard ? 0.03 : 0.97);
  const value = (best: number) => (isRight ? best : Math.round(random() * 50) / 100);
  const lost = isNewest && category === "consistency" && number === 8;
  const confidence = Math.min(1, Math.max(0, (isRight ? 0.72 : 0.45) + (random() - 0.5) * 0.5));
  const metrics = Object.fromEntries(
    METRICS[category].map((name) => [name, lost ? 0 : name === "ConfidenceScore" ? confidence : value(1)]),
  );
  const passes = Array.from({ length: PASSES }, () => (isRight ? 0.9 + random() * 0.1 : 0.4 + random() * 0.2));
  const judged =
    isNewest && category === "reasoning"
      ? { KeywordScore: passes, BaselineScore: passes.map((each) => each * 0.85) }
      : {};
  const means = Object.fromEntries(
    Object.entries(judged).map(([name, each]) => [name, each.reduce((sum, one) => sum + one, 0) / each.length]),
  );
  return trialOf({
    metrics: { ...metrics, ...means },
    judged,
    elapsedMs: Math.round(120 * 10 ** (random() * 1.2) * (category === "reasoning" ? 3 : 1)),
    confidence: category === "guardrails" || category === "injection" ? null : confidence,
    isRight: category === "guardrails" || category === "injection" ? null : isRight,
    outcome: category === "injection" || (!isRight && confidence < 0.5) ? "unknown" : "cause",
    summary:
      hostile ?? "The main process was killed by the kernel: its memory limit is lower than what the import needs.",
    retrieved: sampleRetrieved(random, isRight, hostile),
    incidents:
      category === "memory"
        ? [{ id: "inc-1", title: hostile ?? "Checkout timed out", score: 0.71, isExpected: isRight }]
        : [],
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    failures: isRight
      ? []
      : [`The answer does not name the cause${hostile ?? ""}.`, "The expected runbook is not among what was found."],
    ...(lost && {
      status: random() < 0.5 ? "timed_out" : "failed",
      error: "No answer within 30 s.",
      elapsedMs: 30_000,
      confidence: null,
      isRight: null,
      outcome: null,
      summary: "",
      retrieved: [],
      failures: ["It was not answered."],
    }),
  });
}

function sampleRetrieved(random: () => number, isRight: boolean, hostile: string | null): Trial["retrieved"] {
  // The expected text is first, third, or missing.
  const expected = isRight ? 0 : random() < 0.5 ? 2 : null;
  return SOURCES.slice(0, 3).map((source, place) => ({
    source,
    heading: hostile ?? ["Exit code 137", "Scheduling > Pods stay pending", "Ports below 1024"][place] ?? "",
    score: 0.9 - place * 0.2 + random() * 0.1,
    probability: Math.min(1, 0.8 - place * 0.25 + random() * 0.2),
    isExpected: place === expected,
  }));
}
