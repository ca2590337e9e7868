// Evaluation run: every case as often as requested, one trial after another. A trial deletes its records, so no trial
// recalls the records of another.

import type { EvalCase } from "../case-files/case-schema.ts";
import { SAMPLES, SAMPLES_DOMAIN } from "../case-files/samples.ts";
import type { CaseResult, Trial } from "../runs/run-file.ts";
import type { Clock, Dejavu } from "./dejavu-client.ts";
import type { Judge } from "./judge.ts";
import { failedTrial, type OwnRunbooks, runTrial, type Sessions, type TrialEnd } from "./run-trial.ts";

export interface RunOptions {
  /** Part of every session id: `eval-<runId>-<n>`. */
  readonly runId: string;
  /** Trials of each case. */
  readonly repeats: number;
  readonly clock: Clock;
  readonly judge: Judge | null;
  /** Stops the run. Records of the run are deleted all the same. */
  readonly cancelled: AbortSignal;
  readonly onTrial: (done: number, total: number, evalCase: EvalCase, trial: Trial) => void;
}

export interface RunOutcome {
  /** In the order of the cases. */
  readonly results: CaseResult[];
  /** Sessions whose records could not be deleted. */
  readonly undeletedSessions: readonly string[];
  /** Runbooks and samples of cases that could not be deleted. */
  readonly undeletedRunbooks: readonly string[];
}

const MAX_HEALTH_CHECKS = 3;
const HEALTH_CHECK_INTERVAL_MS = 1_000;

/**
 * A failing case does not stop the run. When Dejavu is unreachable, the remaining trials fail at once. When records of a
 * trial cannot be deleted, the remaining trials fail, since they would recall those records.
 */
export async function runCases(
  cases: readonly EvalCase[],
  dejavu: Dejavu,
  { runId, repeats, clock, judge, cancelled, onTrial }: RunOptions,
): Promise<RunOutcome> {
  const sessions = createSessions(dejavu, runId);
  const ownRunbooks = createOwnRunbooks(dejavu, cancelled);
  const tools = { dejavu, clock, judge, cancelled, sessions, ownRunbooks };
  const trials = new Map<string, Trial[]>(cases.map(({ id }) => [id, []]));
  const total = cases.length * repeats;
  let done = 0;
  let isUnreachable = false;

  const runOne = async (evalCase: EvalCase, isClean: boolean): Promise<TrialEnd> => {
    const skipped = (reason: string): TrialEnd => {
      const trial = failedTrial(evalCase, new Error(reason), { isJudged: judge !== null, elapsedMs: 0 });
      return { trial, isDeleted: isClean };
    };
    if (cancelled.aborted) return skipped("The run was stopped before this trial.");
    if (isUnreachable) return skipped("Dejavu stopped responding before this trial.");
    if (!isClean) return skipped("The records of an earlier case could not be deleted.");
    dejavu.mark({ run: runId, case: evalCase.id });
    const end = await runTrial(evalCase, tools);
    if (end.trial.status !== "answered" && !cancelled.aborted && !(await isReachable(dejavu, clock)))
      isUnreachable = true;
    return end;
  };
  let isClean = true;
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const evalCase of cases) {
      const { trial, isDeleted } = await runOne(evalCase, isClean);
      isClean = isDeleted;
      trials.get(evalCase.id)?.push(trial);
      onTrial(++done, total, evalCase, trial);
    }
  }
  return {
    results: cases.map(({ id, category, domain, ask: [first] }) => ({
      id,
      category,
      domain,
      title: first?.title ?? first?.question ?? id,
      trials: trials.get(id) ?? [],
    })),
    undeletedRunbooks: await ownRunbooks.deleteAll(),
    undeletedSessions: await sessions.deleteAll(clock),
  };
}

async function isReachable(dejavu: Dejavu, clock: Clock): Promise<boolean> {
  for (let check = 0; check < MAX_HEALTH_CHECKS; check++) {
    if (check > 0) await clock.pause(HEALTH_CHECK_INTERVAL_MS);
    if (await dejavu.isReachable()) return true;
  }
  return false;
}

/** Wait before the last deletion: a request that the run has given up may still create an incident. */
const LATE_REQUEST_MS = 1_000;

function createSessions(
  dejavu: Dejavu,
  runId: string,
): Sessions & {
  /** @returns the sessions that could not be deleted */
  deleteAll(clock: Clock): Promise<string[]>;
} {
  const open = new Set<string>();
  let count = 0;
  return {
    create() {
      const session = `eval-${runId}-${++count}`;
      open.add(session);
      return session;
    },
    async delete(session, { isClosed } = { isClosed: false }) {
      await dejavu.deleteSession(session);
      if (isClosed) open.delete(session);
    },
    async deleteAll(clock) {
      if (open.size > 0) await clock.pause(LATE_REQUEST_MS);
      for (const session of [...open]) {
        try {
          await dejavu.deleteSession(session);
          open.delete(session);
        } catch {
          // With Dejavu unreachable, each further session would take a full timeout.
          break;
        }
      }
      return [...open];
    },
  };
}

function createOwnRunbooks(
  dejavu: Dejavu,
  cancelled: AbortSignal,
): OwnRunbooks & {
  /** @returns the runbooks that could not be deleted */
  deleteAll(): Promise<string[]>;
} {
  const stored = new Set<string>();
  const remove = async (source: string) => {
    if (!stored.has(source)) return;
    await (source === SAMPLES_DOMAIN ? dejavu.deleteDomain(source) : dejavu.deleteRunbook(source));
    stored.delete(source);
  };
  return {
    async store(source, text) {
      // Before the request: one that is given up may still be carried out.
      stored.add(source);
      await dejavu.storeRunbook(source, text, { cancelled });
    },
    async storeSamples() {
      stored.add(SAMPLES_DOMAIN);
      for (const sample of SAMPLES) await dejavu.storeDocument(sample, { cancelled });
    },
    delete: remove,
    async deleteAll() {
      for (const source of [...stored]) {
        try {
          await remove(source);
        } catch {
          // With Dejavu unreachable, each further runbook would take a full timeout.
          break;
        }
      }
      return [...stored];
    },
  };
}
