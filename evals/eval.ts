// `dejavu eval`: runs the cases against a Dejavu instance, measures the answers, prints the metrics and
// stores the run.

import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { localService } from "../cli/checkout.ts";
import { runningStack, showProgress } from "../cli/find-stores.ts";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { findService, type ServiceAddress } from "../cli/service/find-service.ts";
import { terminal } from "../cli/service/terminal.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import { developerSettings } from "../dev/start/developer-settings.ts";
import type { EvalCase } from "./case-files/case-schema.ts";
import { loadCases } from "./case-files/load-cases.ts";
import { casesOf, readRatings, writeCases } from "./cases-from-feedback.ts";
import { type EvalOptions, readOptions } from "./eval-options.ts";
import { renderRun } from "./render-run.ts";
import { REPORTED_RUNS, writeReport } from "./report/write-report.ts";
import { checkAccess } from "./runner/check-access.ts";
import { type Clock, createDejavu, overHttp } from "./runner/dejavu-client.ts";
import { describeSubject } from "./runner/describe-subject.ts";
import { createJudge, judgeModel } from "./runner/judge.ts";
import { runCases } from "./runner/run-cases.ts";
import { type EvalRun, RUN_FILE_VERSION } from "./runs/run-file.ts";
import { runIdOf, storedRuns, storeRun } from "./runs/run-store.ts";
import { metricFigures } from "./statistics/metric-figures.ts";

const WIDTH = 130;
const EXIT_BELOW_FLOOR = 2;
const EXIT_STOPPED = 130;
/** Signals closer together than this come from one key press. */
const REPEATED_SIGNAL_MS = 300;

/** Long timeouts for a throw-away stack, so that a busy machine does not change an answer. */
const LONG_TIMEOUTS = {
  DEPENDENCY_TIMEOUT_MS: "60000",
  TRIAGE_BUDGET_MS: "59000",
};

const CLOCK: Clock = {
  now: () => performance.now(),
  pause: async (ms, cancelled) => void (await pause(ms, undefined, { signal: cancelled })),
  timeout: (ms) => AbortSignal.timeout(ms),
};

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(options: EvalOptions): Promise<number> {
  if (options.fromFeedback) return writeCasesFromFeedback(options);
  // Checks cases and settings first: starting a stack takes half a minute.
  const cases = selectCases(await loadCases(options.cases), options);
  const model = options.judge ? judgeModel(process.env) : null;
  await using instance = await findInstance(options);
  const judge = model && createJudge(model, options.judgePasses);
  const dejavu = createDejavu(overHttp(instance.url, instance.token), {
    clock: CLOCK,
    timeoutMs: options.timeout * 1_000,
  });
  if (!(await dejavu.isReachable()))
    throw new Error(`Dejavu at ${new URL(instance.url).origin} cannot be reached. Is it running?`);
  const subject = await describeSubject(dejavu, { url: instance.url, isThisCheckout: options.url === undefined });

  const startedAt = new Date();
  const id = runIdOf(startedAt, randomBytes(2).toString("hex"));
  const stopping = stopOnSignal(instance.isThrowAway);
  await checkAccess(dejavu, `eval-${id}-probe`);
  const { results, undeletedSessions, undeletedRunbooks } = await runCases(cases, dejavu, {
    runId: id,
    repeats: options.repeats,
    clock: CLOCK,
    judge,
    cancelled: stopping.signal,
    onTrial: (done, total, { id }, { failures }) =>
      reportProgress(done, total, `${done} of ${total} trials done${failures.length > 0 ? `, failed: ${id}` : ""} …`),
  });
  showProgress(process, "");
  if (undeletedSessions.length > 0)
    console.error(
      `Could not delete the incidents of the sessions ${undeletedSessions.join(", ")}. ` +
        "Delete them with DELETE /v1/incidents/{id}.",
    );
  if (undeletedRunbooks.length > 0)
    console.error(
      `Could not delete the runbooks ${undeletedRunbooks.join(", ")}. Delete them with DELETE /v1/runbooks/{domain}/{source}.`,
    );
  if (stopping.signal.aborted) {
    const cleanUp =
      undeletedSessions.length + undeletedRunbooks.length > 0 ? "" : " All records of the run were deleted.";
    console.error(`Stopped.${cleanUp} The run was not stored.`);
    return EXIT_STOPPED;
  }
  const run: EvalRun = {
    version: RUN_FILE_VERSION,
    id,
    startedAt: startedAt.toISOString(),
    finishedAt: new Date().toISOString(),
    subject,
    repeats: options.repeats,
    judge: judge && { model: judge.model, passes: judge.passes },
    cases: results,
  };
  return report(run, options, judge?.missingPasses() ?? 0);
}

/** Stores and prints the run. @returns the exit code */
async function report(run: EvalRun, { runs, json, failUnder }: EvalOptions, missingPasses: number): Promise<number> {
  const previousRuns = storedRuns(runs).runs;
  const path = storeRun(runs, run);
  const page = join(runs, "report.html");
  await writeReport([...previousRuns, run].slice(-REPORTED_RUNS), page);
  if (json) console.log(JSON.stringify(run, null, 1));
  else {
    console.log(renderRun(run, previousRuns.at(-1) ?? null, terminal(WIDTH, process)));
    if (missingPasses > 0)
      console.log(
        `\nThe judge gave no valid verdict in ${missingPasses} passes; these passes are left out of the means.`,
      );
    console.log(`\nRun: ${relative(process.cwd(), path)}\nReport: ${pathToFileURL(page)}`);
  }
  const figures = new Map(metricFigures(run.cases).map(({ metric, mean }) => [metric, mean]));
  const missed = failUnder.filter(({ metric, floor }) => (figures.get(metric) ?? 0) < floor);
  for (const { metric, floor } of missed)
    console.error(`${metric} is ${figures.get(metric)?.toFixed(3) ?? "not measured"}, below ${floor}.`);
  return missed.length > 0 ? EXIT_BELOW_FLOOR : 0;
}

/** The selected cases that are ready to run. @throws Error when a case id is unknown or no case is left */
function selectCases(all: readonly EvalCase[], { category, case: ids }: EvalOptions): EvalCase[] {
  const unknown = ids.filter((id) => !all.some((evalCase) => evalCase.id === id));
  if (unknown.length > 0)
    throw new Error(`There is no case ${unknown.join(", ")}. The cases are ${all.map(({ id }) => id).join(", ")}.`);
  const chosen = all.filter(
    (evalCase) =>
      (category.length === 0 || category.includes(evalCase.category)) &&
      (ids.length === 0 || ids.includes(evalCase.id)),
  );
  const inReview = chosen.filter(({ review }) => review !== undefined);
  if (inReview.length > 0)
    console.error(
      `Not run, since the expected answer is missing (see the line "review" of each): ${inReview.map(({ id }) => id).join(", ")}.`,
    );
  const ready = chosen.filter(({ review }) => review === undefined);
  if (ready.length === 0) throw new Error("No case is left to run. Check --category and --case.");
  return ready;
}

/** The Dejavu instance under test. */
interface TestedInstance extends ServiceAddress, AsyncDisposable {
  /** Started for this run; stopped and removed with its data at the end. */
  readonly isThrowAway: boolean;
}

async function findInstance({ url, fresh }: EvalOptions): Promise<TestedInstance> {
  if (url !== undefined && fresh) throw new Error("Use either --url or --fresh, not both.");
  if (url !== undefined || (!fresh && runningStack() !== null))
    return {
      ...findService({ url: url }, { env: process.env, localService }),
      isThrowAway: false,
      [Symbol.asyncDispose]: async () => {},
    };
  console.error(
    `${fresh ? "" : "No local stack is running. "}Starting a throw-away stack and loading the runbooks (half a minute) …`,
  );
  const stack = await startStack({
    dir: await mkdtemp(join(tmpdir(), "dejavu-eval-")),
    ephemeral: true,
    extraWorkerVars: { ...LONG_TIMEOUTS, ...withoutSlack(developerSettings(process.env)) },
  });
  try {
    console.error(`${describeSeed(await seedRunbooks({ env: stack.workerEnv }))}.`);
  } catch (error) {
    await stack.stop();
    throw error;
  }
  const { urls, token } = stack.info;
  return { url: urls.worker, token, isThrowAway: true, [Symbol.asyncDispose]: () => stack.stop() };
}

/** With Slack settings the Worker rejects long timeouts, and the evaluation does not use Slack. */
function withoutSlack(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !name.startsWith("SLACK_")));
}

/** The first signal stops the run, which then deletes its records. The second signal ends the process. */
function stopOnSignal(isThrowAway: boolean): AbortController {
  const stopping = new AbortController();
  // The stack has its own signal handler and is removed with all its data.
  if (isThrowAway) return stopping;
  let stoppedAt: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // On Ctrl-C the terminal signals this process, and npm passes its own signal on.
      if (stoppedAt !== undefined && performance.now() - stoppedAt < REPEATED_SIGNAL_MS) return;
      if (stoppedAt !== undefined) process.exit(EXIT_STOPPED);
      stoppedAt = performance.now();
      console.error("\nStopping and deleting the records of the run …");
      stopping.abort(new Error("The run was stopped."));
    });
  }
  return stopping;
}

/** On a terminal after each trial, otherwise four times in all. */
function reportProgress(done: number, total: number, text: string): void {
  const isQuarter = done % Math.max(1, Math.ceil(total / 4)) === 0;
  if (process.stderr.isTTY || isQuarter) showProgress(process, text);
}

async function writeCasesFromFeedback(options: EvalOptions): Promise<number> {
  const { url, token } = findService({ url: options.url }, { env: process.env, localService });
  const dejavu = createDejavu(overHttp(url, token), { clock: CLOCK, timeoutMs: options.timeout * 1_000 });
  const { ratings, isTruncated } = await readRatings(dejavu);
  const cases = casesOf(ratings);
  const folder = join(options.cases[0] ?? "", "feedback");
  const written = writeCases(folder, cases);
  const inReview = cases.filter(({ needsReview }) => needsReview).length;
  console.log(
    `Rated answers: ${cases.length}. New case files: ${written}, in ${relative(process.cwd(), folder)}. Existing files were not changed.` +
      (inReview > 0
        ? `\n${inReview} of the cases need a review: the answer was rated down or cites a past incident. They do not run until you follow their line "review".`
        : "") +
      (isTruncated ? `\nOnly the newest ${ratings.length} ratings were read; there are older ones.` : ""),
  );
  return 0;
}
