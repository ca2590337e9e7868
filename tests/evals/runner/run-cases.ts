// Owns the run: every case as often as asked for, several domains at once, the cases of a domain one after another. A
// memory belongs to one domain and a trial forgets what it made, so no trial sees what another reported.

import type { EvalCase } from "../case-files/case-schema.ts";
import type { CaseResult, Trial } from "../runs/run-file.ts";
import type { Clock, Dejavu } from "./dejavu-client.ts";
import type { Judge } from "./judge.ts";
import { failedTrial, runTrial, type Sessions, type TrialEnd } from "./run-trial.ts";

export interface RunOptions {
  /** In what is reported, all sessions begin with `eval-` and this. */
  readonly runId: string;
  readonly repeats: number;
  /** Domains at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly judge: Judge | null;
  /** Fires when the run is to stop; what it made is forgotten all the same. */
  readonly cancelled: AbortSignal;
  readonly onTrial: (done: number, total: number, evalCase: EvalCase, trial: Trial) => void;
}

export interface RunOutcome {
  /** In the order of the cases. */
  readonly results: CaseResult[];
  /** Sessions whose records could not be forgotten. */
  readonly unforgotten: readonly string[];
}

const LOOKS_FOR_LIFE = 3;
const BETWEEN_LOOKS_MS = 1_000;

/**
 * A case that fails never stops the run. A Dejavu that is gone makes the rest of the trials fail at once; what could not be
 * forgotten makes the rest of its domain fail, which would recall it.
 */
export async function runCases(
  cases: readonly EvalCase[],
  dejavu: Dejavu,
  { runId, repeats, concurrency, clock, judge, cancelled, onTrial }: RunOptions,
): Promise<RunOutcome> {
  const sessions = createSessions(dejavu, runId);
  const tools = { dejavu, clock, judge, cancelled, sessions };
  const trials = new Map<string, Trial[]>(cases.map(({ id }) => [id, []]));
  const total = cases.length * repeats;
  let done = 0;
  let isGone = false;

  const runOne = async (evalCase: EvalCase, isClean: boolean): Promise<TrialEnd> => {
    const unasked = (why: string): TrialEnd => {
      const trial = failedTrial(evalCase, new Error(why), { isJudged: judge !== null, elapsedMs: 0 });
      return { trial, isForgotten: isClean };
    };
    if (cancelled.aborted) return unasked("The run was stopped before.");
    if (isGone) return unasked("Dejavu had stopped answering before.");
    if (!isClean) return unasked("What an earlier case of this domain reported could not be forgotten.");
    const end = await runTrial(evalCase, tools);
    if (end.trial.status !== "answered" && !cancelled.aborted && !(await isThere(dejavu, clock))) isGone = true;
    return end;
  };
  const lanes = [...Map.groupBy(cases, ({ domain }) => domain).values()].map((lane) => async () => {
    let isClean = true;
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const evalCase of lane) {
        const { trial, isForgotten } = await runOne(evalCase, isClean);
        isClean = isForgotten;
        trials.get(evalCase.id)?.push(trial);
        onTrial(++done, total, evalCase, trial);
      }
    }
  });
  await inParallel(lanes, concurrency);
  return {
    results: cases.map(({ id, category, domain, ask: [first] }) => ({
      id,
      category,
      domain,
      title: first?.title ?? first?.question ?? id,
      trials: trials.get(id) ?? [],
    })),
    unforgotten: await sessions.forgetAll(clock),
  };
}

async function inParallel(tasks: readonly (() => Promise<void>)[], most: number): Promise<void> {
  const waiting = [...tasks];
  const work = async () => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: most }, work));
}

async function isThere(dejavu: Dejavu, clock: Clock): Promise<boolean> {
  for (let look = 0; look < LOOKS_FOR_LIFE; look++) {
    if (look > 0) await clock.pause(BETWEEN_LOOKS_MS);
    if (await dejavu.isAlive()) return true;
  }
  return false;
}

/** Until a request that nobody waits for any more has been begun, or never will be. */
const AFTERMATH_MS = 1_000;

function createSessions(
  dejavu: Dejavu,
  runId: string,
): Sessions & {
  /** @returns the sessions that could not be forgotten */
  forgetAll(clock: Clock): Promise<string[]>;
} {
  const open = new Set<string>();
  let count = 0;
  return {
    open() {
      const session = `eval-${runId}-${++count}`;
      open.add(session);
      return session;
    },
    async forget(session, { isClosed } = { isClosed: false }) {
      await dejavu.forgetSession(session);
      if (isClosed) open.delete(session);
    },
    async forgetAll(clock) {
      if (open.size > 0) await clock.pause(AFTERMATH_MS);
      for (const session of [...open]) {
        try {
          await dejavu.forgetSession(session);
          open.delete(session);
        } catch {
          // One that is gone would have each of them wait for its time-out.
          break;
        }
      }
      return [...open];
    },
  };
}
