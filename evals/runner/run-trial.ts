// One trial of one case: runs the setup steps and the requests, measures the answers, and deletes all records.

import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import type { EvalCase } from "../case-files/case-schema.ts";
import { distractorsFor } from "../case-files/distractors.ts";
import { SAMPLES_DOMAIN } from "../case-files/samples.ts";
import {
  consistency,
  failuresOf,
  isCandidateRight,
  isRight,
  type MeasuredAnswer,
  type Metrics,
  mean,
  measure,
  metricsOf,
  type NamedRecords,
  type RecordIds,
  retrievedBy,
} from "../metrics/metrics.ts";
import type { Trial } from "../runs/run-file.ts";
import type { Clock, Dejavu } from "./dejavu-client.ts";
import type { Judge } from "./judge.ts";
import { startMetricsServer } from "./metrics-server.ts";

export interface TrialTools {
  readonly dejavu: Dejavu;
  readonly clock: Clock;
  readonly judge: Judge | null;
  readonly sessions: Sessions;
  readonly ownRunbooks: OwnRunbooks;
  readonly cancelled: AbortSignal;
}

interface TimedTools extends TrialTools {
  readonly stopwatch: Stopwatch;
}

export interface Sessions {
  /** Creates a session id that no other trial has. */
  create(): string;
  /** Deletes the records of a session. A session that is not closed is deleted once more at the end of the run. */
  delete(session: string, options?: { readonly isClosed: boolean }): Promise<void>;
}

/** Runbooks of cases, and samples. One that is not deleted is deleted once more at the end of the run. */
export interface OwnRunbooks {
  store(source: string, text: string): Promise<void>;
  /** Stores the sample texts under the name `SAMPLES_DOMAIN`. */
  storeSamples(): Promise<void>;
  delete(source: string): Promise<void>;
}

export interface TrialEnd {
  readonly trial: Trial;
  /** False while records of the trial still exist: the next trial of the domain would recall them. */
  readonly isDeleted: boolean;
}

/** Returns the id of the session with a name, creating it on first use. Without a name, creates one each time. */
type SessionByName = (name: string | undefined) => string;

/** Never throws: an error becomes a failed trial. */
export async function runTrial(evalCase: EvalCase, tools: TrialTools): Promise<TrialEnd> {
  const openSessions = new Map<string, string>();
  const session: SessionByName = (name) => {
    const id = name === undefined ? undefined : openSessions.get(name);
    if (id !== undefined) return id;
    const created = tools.sessions.create();
    openSessions.set(name ?? created, created);
    return created;
  };
  const writtenIds = new Set<string>();
  const ownRunbooks = Object.entries(evalCase.own_runbooks);
  const ownSources = [...ownRunbooks.map(([source]) => source), ...(evalCase.samples ? [SAMPLES_DOMAIN] : [])];
  const deleteSession = async (id: string, isClosed: boolean) => {
    for (const [name, openId] of openSessions) if (openId === id) openSessions.delete(name);
    // A pending index write would restore the deleted record until the next outbox run.
    if (isClosed) await tools.dejavu.waitForIndex(writtenIds, { cancelled: tools.cancelled });
    await tools.sessions.delete(id, { isClosed });
  };
  let isAnswered = false;
  await using metrics = evalCase.metrics === undefined ? undefined : await startMetricsServer(evalCase.metrics);
  const run = async (): Promise<Trial> => {
    const stopwatch = createStopwatch(tools.clock);
    const timedTools = { ...tools, dejavu: recordingIds(tools.dejavu, writtenIds), stopwatch };
    try {
      for (const [source, text] of ownRunbooks) await tools.ownRunbooks.store(source, text);
      if (evalCase.samples) await tools.ownRunbooks.storeSamples();
      if (metrics) await tools.dejavu.storeSource(SOURCE, { url: metrics.url, alerts: alertsOf(evalCase) });
      const names = await prepare(evalCase, { session, writtenIds }, timedTools);
      const deleteClosed = (id: string) => deleteSession(id, true);
      const answers = await sendRequests(evalCase, { session, names, deleteSession: deleteClosed }, timedTools);
      isAnswered = true;
      return await measureTrial(evalCase, { answers, names }, tools);
    } catch (error) {
      return failedTrial(evalCase, error, { isJudged: tools.judge !== null, elapsedMs: stopwatch.elapsedMs() });
    }
  };
  const trial = await run();
  let isDeleted = true;
  for (const id of new Set(openSessions.values())) {
    // An unanswered request may still write, so its session stays open; a deletion that fails is repeated at the end.
    await deleteSession(id, isAnswered).catch(() => {
      isDeleted = false;
    });
  }
  for (const source of ownSources) {
    await tools.ownRunbooks.delete(source).catch(() => {
      isDeleted = false;
    });
  }
  if (metrics)
    await tools.dejavu.deleteSource(SOURCE).catch(() => {
      isDeleted = false;
    });
  return { trial, isDeleted };
}

/** Name of the source of evidence of a case. */
const SOURCE = "eval-metrics";

function alertsOf({ ask }: EvalCase): string[] {
  return ask.flatMap(({ labels }) => labels?.alertname ?? []);
}

interface Stopwatch {
  /** Starts again from 0. */
  start(): void;
  /** Milliseconds since the last request was sent, without rate limit waits before it; 0 when none was sent. */
  elapsedMs(): number;
}

function createStopwatch({ now }: Clock): Stopwatch {
  let startedAt: number | undefined;
  return {
    start() {
      startedAt = now();
    },
    elapsedMs: () => (startedAt === undefined ? 0 : Math.max(0, now() - startedAt)),
  };
}

/** Adds the incident id and the triage id of each triage to `ids`: the index keys of what it writes. */
function recordingIds(dejavu: Dejavu, ids: Set<string>): Dejavu {
  return {
    ...dejavu,
    async triage(body, options) {
      const result = await dejavu.triage(body, options);
      ids.add(result.incident_id).add(result.triage_id);
      return result;
    },
  };
}

/** Runs the distractors and the setup steps in order: report, resolve, rate. */
async function prepare(
  evalCase: EvalCase,
  { session, writtenIds }: { readonly session: SessionByName; readonly writtenIds: ReadonlySet<string> },
  { dejavu, cancelled, stopwatch }: TimedTools,
): Promise<NamedRecords> {
  const names = new Map<string, RecordIds>();
  const options = { cancelled, onSend: stopwatch.start };
  for (const step of [...distractorsFor(evalCase), ...evalCase.before]) {
    const result = await dejavu.triage({ ...step.report, session_id: session(step.session) }, options);
    // A record that changes while its index write is pending would stay pending until the next outbox run.
    await dejavu.waitForIndex(writtenIds, options);
    if (step.as !== undefined) names.set(step.as, { incidentId: result.incident_id, triageId: result.triage_id });
    if (step.resolved !== undefined) await dejavu.resolve(result.incident_id, step.resolved, options);
    if (step.rating !== undefined) await dejavu.rate(result.triage_id, step.rating, options);
    await dejavu.waitForIndex(writtenIds, options);
  }
  return names;
}

interface RequestContext {
  readonly session: SessionByName;
  readonly names: NamedRecords;
  readonly deleteSession: (id: string) => Promise<void>;
}

async function sendRequests(
  evalCase: EvalCase,
  { session, names, deleteSession }: RequestContext,
  { dejavu, cancelled, stopwatch }: TimedTools,
): Promise<MeasuredAnswer[]> {
  const options = { cancelled, onSend: stopwatch.start };
  const answers: MeasuredAnswer[] = [];
  for (const body of evalCase.ask) {
    const id = session(evalCase.session);
    const result = await dejavu.triage({ ...body, session_id: id }, options);
    const elapsedMs = stopwatch.elapsedMs();
    const storedRecords: string[] = [];
    if (needsStoredRecords(evalCase)) {
      const incidentIds = [result.incident_id, ...[...names.values()].map(({ incidentId }) => incidentId)];
      for (const incidentId of new Set(incidentIds)) storedRecords.push(await dejavu.incident(incidentId, options));
    }
    answers.push({ result, storedRecords, elapsedMs });
    // The next request must not recall this answer.
    if (evalCase.ask.length > 1 && evalCase.session === undefined) await deleteSession(id);
  }
  return answers;
}

function needsStoredRecords({ expect }: EvalCase): boolean {
  return expect.redacted !== undefined || expect.kept !== undefined;
}

/** With several requests: the mean of each metric, and the details of the first answer with a failure. */
async function measureTrial(
  evalCase: EvalCase,
  { answers, names }: { readonly answers: readonly MeasuredAnswer[]; readonly names: NamedRecords },
  { judge, cancelled }: TrialTools,
): Promise<Trial> {
  const { expect } = evalCase;
  const failures = answers.map((answer) => failuresOf(evalCase, answer, names));
  const firstFailing = failures.findIndex((list) => list.length > 0);
  const detailed = answers[Math.max(0, firstFailing)];
  if (detailed === undefined) throw new Error("The case has no request.");
  const results = answers.map(({ result }) => result);
  const agreement = answers.length > 1 ? consistency(results) : undefined;
  const verdicts = results.map((result) => isRight(expect, result, names));
  const messages = [
    ...failures.flatMap((list, i) =>
      answers.length > 1 ? list.map((failure) => `Request ${i + 1}: ${failure}`) : list,
    ),
    ...(agreement !== undefined && agreement < 1 ? ["The requests did not all get the same answer."] : []),
  ];
  const judged = judge === null ? {} : await judge.judge(evalCase, detailed.result, cancelled);
  return {
    status: "answered",
    error: null,
    elapsedMs: mean(answers.map(({ elapsedMs }) => elapsedMs)),
    metrics: {
      ...meanOf(answers.map((answer) => measure(evalCase, answer, names))),
      ...(agreement === undefined ? {} : { Consistency: agreement }),
      ...Object.fromEntries(
        Object.entries(judged).flatMap(([name, passes]) => (passes.length > 0 ? [[name, mean(passes)]] : [])),
      ),
    },
    judged,
    confidence: detailed.result.confidence,
    isRight: verdicts.includes(null) ? null : verdicts.every((verdict) => verdict === true),
    isCandidateRight: isCandidateRight(expect, detailed.result, names),
    outcome: detailed.result.outcome,
    summary: detailed.result.answer.summary.text,
    ...retrievedBy(expect, detailed.result, names),
    traceId: detailed.result.trace?.trace_id ?? null,
    failures: messages.length === 0 ? [] : [...messages, ...degradations(results)],
  };
}

/** Names the dependencies that were unavailable: they may explain the failures. */
function degradations(results: readonly TriageResult[]): string[] {
  const missing = new Set(
    results.flatMap(({ warnings }) => warnings.map(({ dependency, code }) => `${dependency} (${code})`)),
  );
  return missing.size === 0 ? [] : [`The answer was written without ${[...missing].join(", ")}.`];
}

function meanOf(all: readonly Metrics[]): Metrics {
  const names = new Set(all.flatMap((metrics) => Object.keys(metrics) as (keyof Metrics)[]));
  return Object.fromEntries([...names].map((name) => [name, mean(all.flatMap((metrics) => metrics[name] ?? []))]));
}

/** A trial without an answer. It scores 0 in every metric that applies to its case. */
export function failedTrial(
  evalCase: Pick<EvalCase, "expect" | "ask">,
  error: unknown,
  { isJudged, elapsedMs } = { isJudged: false, elapsedMs: 0 },
): Trial {
  const isTimeout = error instanceof Error && error.name === "TimeoutError";
  const reason = error instanceof Error ? (isTimeout ? "The request timed out." : messageOf(error)) : String(error);
  return {
    status: isTimeout ? "timed_out" : "failed",
    error: reason,
    elapsedMs,
    metrics: {
      ...Object.fromEntries(metricsOf(evalCase).map((metric) => [metric, 0])),
      ...(isJudged && evalCase.expect.facts !== undefined ? { KeywordScore: 0 } : {}),
    },
    judged: {},
    confidence: null,
    isRight: null,
    isCandidateRight: null,
    outcome: null,
    summary: "",
    retrieved: [],
    incidents: [],
    traceId: null,
    failures: [reason],
  };
}

/** With the message of the cause: `fetch` names the network error only there. */
function messageOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== "" ? `${message}: ${cause.message}` : message;
}
