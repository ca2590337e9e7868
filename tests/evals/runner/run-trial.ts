// Owns one asking of one case: what comes before, the asking, the measuring, and that nothing of it stays.

import type { TriageResult } from "../../../functions/schemas/triage-result.ts";
import type { EvalCase } from "../case-files/case-schema.ts";
import { distractorsFor } from "../case-files/distractors.ts";
import {
  type Asked,
  consistency,
  failuresOf,
  isRight,
  type Metrics,
  mean,
  measure,
  metricsOf,
  type Named,
  type Names,
  retrievedBy,
} from "../metrics/metrics.ts";
import type { Trial } from "../runs/run-file.ts";
import type { Clock, Dejavu } from "./dejavu-client.ts";
import type { Judge } from "./judge.ts";

export interface TrialTools {
  readonly dejavu: Dejavu;
  readonly clock: Clock;
  readonly judge: Judge | null;
  /** Makes a name for a session that no other trial has, and keeps it until it was forgotten. */
  readonly sessions: Sessions;
  readonly cancelled: AbortSignal;
}

interface TimedTools extends TrialTools {
  readonly watch: Stopwatch;
}

export interface Sessions {
  open(): string;
  /** Forgets what is on record of a session; one that is not closed is forgotten once more at the end of the run. */
  forget(session: string, options?: { readonly isClosed: boolean }): Promise<void>;
}

export interface TrialEnd {
  readonly trial: Trial;
  /** False where something that it reported is still on record, which the next trial of the domain would recall. */
  readonly isForgotten: boolean;
}

/** Never throws: what goes wrong is a trial that failed. */
export async function runTrial(evalCase: EvalCase, tools: TrialTools): Promise<TrialEnd> {
  const opened = new Map<string, string>();
  const session = (name: string | undefined): string => {
    const id = name === undefined ? undefined : opened.get(name);
    if (id !== undefined) return id;
    const fresh = tools.sessions.open();
    opened.set(name ?? fresh, fresh);
    return fresh;
  };
  const learnt = new Set<string>();
  const forget = async (id: string, isClosed: boolean) => {
    for (const [name, each] of opened) if (each === id) opened.delete(name);
    // What is still on its way to the index would come back there after it was forgotten, until the outbox finds it.
    if (isClosed) await tools.dejavu.settled(learnt, { cancelled: tools.cancelled });
    await tools.sessions.forget(id, { isClosed });
  };
  let isAnswered = false;
  const run = async (): Promise<Trial> => {
    const watch = createStopwatch(tools.clock);
    const own = { ...tools, dejavu: noting(tools.dejavu, learnt), watch };
    try {
      const names = await prepare(evalCase, { session, learnt }, own);
      const asked = await askAll(evalCase, { session, names, forget: (id) => forget(id, true) }, own);
      isAnswered = true;
      return await judgeTrial(evalCase, { asked, names }, tools);
    } catch (error) {
      return failedTrial(evalCase, error, { isJudged: tools.judge !== null, elapsedMs: watch.elapsedMs() });
    }
  };
  const trial = await run();
  let isForgotten = true;
  for (const id of new Set(opened.values())) {
    // A request whose answer nobody waited for may still be on its way; and what cannot be forgotten now may be later.
    await forget(id, isAnswered).catch(() => {
      isForgotten = false;
    });
  }
  return { trial, isForgotten };
}

interface Stopwatch {
  /** Begins anew. */
  start(): void;
  /** Since the last request went out, so without the waits that were asked for before; 0 where none did. */
  elapsedMs(): number;
}

function createStopwatch({ now }: Clock): Stopwatch {
  let started: number | undefined;
  return {
    start() {
      started = now();
    },
    elapsedMs: () => (started === undefined ? 0 : Math.max(0, now() - started)),
  };
}

/** Notes under which ids something is learnt of each triage. */
function noting(dejavu: Dejavu, ids: Set<string>): Dejavu {
  return {
    ...dejavu,
    async triage(body, options) {
      const result = await dejavu.triage(body, options);
      ids.add(result.incident_id).add(result.triage_id);
      return result;
    },
  };
}

/** Reports, resolves and judges what comes before, one after the other. */
async function prepare(
  evalCase: EvalCase,
  { session, learnt }: { readonly session: (name: string | undefined) => string; readonly learnt: ReadonlySet<string> },
  { dejavu, cancelled, watch }: TimedTools,
): Promise<Names> {
  const names = new Map<string, Named>();
  const options = { cancelled, onSend: watch.start };
  for (const step of [...distractorsFor(evalCase), ...evalCase.before]) {
    const result = await dejavu.triage({ ...step.report, session_id: session(step.session) }, options);
    // What changes while it is being written stays owed until the outbox's next turn.
    await dejavu.settled(learnt, options);
    if (step.as !== undefined) names.set(step.as, { incidentId: result.incident_id, triageId: result.triage_id });
    if (step.resolved !== undefined) await dejavu.resolve(result.incident_id, step.resolved, options);
    if (step.vote !== undefined) await dejavu.vote(result.triage_id, step.vote, options);
    await dejavu.settled(learnt, options);
  }
  return names;
}

interface Asking {
  readonly session: (name: string | undefined) => string;
  readonly names: Names;
  readonly forget: (id: string) => Promise<void>;
}

async function askAll(
  evalCase: EvalCase,
  { session, names, forget }: Asking,
  { dejavu, cancelled, watch }: TimedTools,
): Promise<Asked[]> {
  const options = { cancelled, onSend: watch.start };
  const asked: Asked[] = [];
  for (const body of evalCase.ask) {
    const id = session(evalCase.session);
    const result = await dejavu.triage({ ...body, session_id: id }, options);
    const elapsedMs = watch.elapsedMs();
    const onRecord: string[] = [];
    if (readsRecords(evalCase))
      for (const each of new Set([result.incident_id, ...[...names.values()].map(({ incidentId }) => incidentId)]))
        onRecord.push(await dejavu.incident(each, options));
    asked.push({ result, onRecord, elapsedMs });
    // The next way of asking must not find this one's answer.
    if (evalCase.ask.length > 1 && evalCase.session === undefined) await forget(id);
  }
  return asked;
}

function readsRecords({ expect }: EvalCase): boolean {
  return expect.redacted !== undefined || expect.kept !== undefined;
}

/** Of several ways of asking, the means, and the answer that shows best what is wrong. */
async function judgeTrial(
  evalCase: EvalCase,
  { asked, names }: { readonly asked: readonly Asked[]; readonly names: Names },
  { judge, cancelled }: TrialTools,
): Promise<Trial> {
  const { expect } = evalCase;
  const failures = asked.map((each) => failuresOf(evalCase, each, names));
  const shown =
    asked[
      Math.max(
        0,
        failures.findIndex((each) => each.length > 0),
      )
    ];
  if (shown === undefined) throw new Error("A case asks nothing.");
  const results = asked.map(({ result }) => result);
  const agreement = asked.length > 1 ? consistency(results) : undefined;
  const rights = results.map((result) => isRight(expect, result, names));
  const told = [
    ...failures.flatMap((each, i) =>
      asked.length > 1 ? each.map((failure) => `Asked the ${i + 1}. way: ${failure}`) : each,
    ),
    ...(agreement !== undefined && agreement < 1 ? ["The ways of asking did not lead to one answer."] : []),
  ];
  const judged = judge === null ? {} : await judge.judge(evalCase, shown.result, cancelled);
  return {
    status: "answered",
    error: null,
    elapsedMs: mean(asked.map(({ elapsedMs }) => elapsedMs)),
    metrics: {
      ...meanOf(asked.map((each) => measure(evalCase, each, names))),
      ...(agreement === undefined ? {} : { Consistency: agreement }),
      ...Object.fromEntries(
        Object.entries(judged).flatMap(([name, passes]) => (passes.length > 0 ? [[name, mean(passes)]] : [])),
      ),
    },
    judged,
    confidence: shown.result.confidence,
    isRight: rights.includes(null) ? null : rights.every((right) => right === true),
    outcome: shown.result.outcome,
    summary: shown.result.answer.summary.text,
    ...retrievedBy(expect, shown.result, names),
    traceId: shown.result.trace?.trace_id ?? null,
    failures: told.length === 0 ? [] : [...told, ...degradations(results)],
  };
}

/** An answer that was given without a store is no worse than it says, and its failure is none of recall. */
function degradations(results: readonly TriageResult[]): string[] {
  const missing = new Set(results.flatMap(({ warnings }) => warnings.map(({ system, code }) => `${system} (${code})`)));
  return missing.size === 0 ? [] : [`It was answered without ${[...missing].join(", ")}.`];
}

function meanOf(all: readonly Metrics[]): Metrics {
  const names = new Set(all.flatMap((metrics) => Object.keys(metrics) as (keyof Metrics)[]));
  return Object.fromEntries([...names].map((name) => [name, mean(all.flatMap((metrics) => metrics[name] ?? []))]));
}

/** A trial without an answer counts 0 in all that its case is about. */
export function failedTrial(
  evalCase: Pick<EvalCase, "expect" | "ask">,
  error: unknown,
  { isJudged, elapsedMs } = { isJudged: false, elapsedMs: 0 },
): Trial {
  const isTimeout = error instanceof Error && error.name === "TimeoutError";
  const why = error instanceof Error ? (isTimeout ? "No answer came in time." : told(error)) : String(error);
  return {
    status: isTimeout ? "timed_out" : "failed",
    error: why,
    elapsedMs,
    metrics: {
      ...Object.fromEntries(metricsOf(evalCase).map((metric) => [metric, 0])),
      ...(isJudged && evalCase.expect.facts !== undefined ? { KeywordScore: 0 } : {}),
    },
    judged: {},
    confidence: null,
    isRight: null,
    outcome: null,
    summary: "",
    retrieved: [],
    incidents: [],
    traceId: null,
    failures: [why],
  };
}

/** A lost connection says why only in its cause. */
function told({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== "" ? `${message}: ${cause.message}` : message;
}
