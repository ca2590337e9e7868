// `npm run eval`: asks a Dejavu what the cases say, measures the answers, and prints and keeps the figures.

import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { findService, type ServiceAtHand, terminal } from "../../cli/find-service.ts";
import { runningStack, showProgress } from "../../cli/find-stores.ts";
import { describeSeed, seedRunbooks } from "../../cli/seed-runbooks.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import { developerSettings } from "../../dev/start/developer-settings.ts";
import type { EvalCase } from "./case-files/case-schema.ts";
import { loadCases } from "./case-files/load-cases.ts";
import { casesOf, readVotes, writeCases } from "./cases-from-feedback.ts";
import { type EvalOptions, readOptions } from "./eval-options.ts";
import { renderRun } from "./render-run.ts";
import { REPORTED_RUNS, writeReport } from "./report/write-report.ts";
import { proveForgetting } from "./runner/check-access.ts";
import { type Clock, createDejavu, overHttp } from "./runner/dejavu-client.ts";
import { describeSubject } from "./runner/describe-subject.ts";
import { createJudge, judgeModel } from "./runner/judge.ts";
import { runCases } from "./runner/run-cases.ts";
import { type EvalRun, RUN_FILE_VERSION } from "./runs/run-file.ts";
import { runIdOf, storedRuns, storeRun } from "./runs/run-store.ts";
import { metricFigures } from "./statistics/metric-figures.ts";

const RUNS_FOLDER = join(REPO_DIR, ".dejavu/evals");
const WIDTH = 130;
const GATE_MISSED = 2;
const STOPPED = 130;
/** Two signals so near to each other are one key press. */
const ECHO_MS = 300;

/** Nobody waits for a throw-away stack, and a busy machine must not change an answer. */
const PATIENCE = {
  POSTGRES_TIMEOUT_MS: "20000",
  CHROMA_TIMEOUT_MS: "20000",
  EMBEDDINGS_TIMEOUT_MS: "60000",
  TRIAGE_BUDGET_MS: "59000",
};

const CLOCK: Clock = {
  now: () => performance.now(),
  pause: async (ms, cancelled) => void (await pause(ms, undefined, { signal: cancelled })),
};

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(options: EvalOptions): Promise<number> {
  if (options.fromFeedback) return collectCases(options);
  // Whatever can be wrong without a stack is told before one is started.
  const cases = selected(await loadCases(options.cases), options);
  const model = options.judge ? judgeModel(process.env) : null;
  await using subject = await findSubject(options);
  const judge = model && createJudge(model, options.judgePasses);
  const dejavu = createDejavu(overHttp(subject.url, subject.token), {
    clock: CLOCK,
    timeoutMs: options.timeout * 1_000,
  });
  if (!(await dejavu.isAlive()))
    throw new Error(`The Dejavu at ${new URL(subject.url).origin} cannot be reached. Is it running?`);
  const described = await describeSubject(dejavu, { url: subject.url, isThisCheckout: options.url === undefined });

  const startedAt = new Date();
  const id = runIdOf(startedAt, randomBytes(2).toString("hex"));
  const stopping = stopOnSignal(subject.isOurs);
  await proveForgetting(dejavu, `eval-${id}-probe`);
  const { results, unforgotten } = await runCases(cases, dejavu, {
    runId: id,
    repeats: options.repeats,
    concurrency: options.concurrency,
    clock: CLOCK,
    judge,
    cancelled: stopping.signal,
    onTrial: (done, total, { id }, { failures }) =>
      say(done, total, `${done} of ${total} asked${failures.length > 0 ? `, last failure: ${id}` : ""} …`),
  });
  showProgress("");
  if (unforgotten.length > 0)
    console.error(
      `Could not forget what was reported in the sessions ${unforgotten.join(", ")}. DELETE /v1/incidents/{id} does it.`,
    );
  if (stopping.signal.aborted) {
    console.error(
      `Stopped. ${unforgotten.length > 0 ? "" : "All that was reported is forgotten; "}the run is not kept.`,
    );
    return STOPPED;
  }
  const run: EvalRun = {
    version: RUN_FILE_VERSION,
    id,
    startedAt: startedAt.toISOString(),
    finishedAt: new Date().toISOString(),
    subject: described,
    repeats: options.repeats,
    judge: judge && { model: judge.model, passes: judge.passes },
    cases: results,
  };
  return report(run, options, judge?.missing() ?? 0);
}

async function report(run: EvalRun, { store, json, failUnder }: EvalOptions, missing: number): Promise<number> {
  const former = storedRuns(RUNS_FOLDER).runs;
  const path = store ? storeRun(RUNS_FOLDER, run) : null;
  const page = join(RUNS_FOLDER, "report.html");
  if (store) await writeReport([...former, run].slice(-REPORTED_RUNS), page);
  if (json) console.log(JSON.stringify(run, null, 1));
  else {
    console.log(renderRun(run, former.at(-1) ?? null, terminal(WIDTH)));
    if (missing > 0) console.log(`\nThe judge said nothing usable in ${missing} passes; they count for nothing.`);
    if (path !== null) console.log(`\nRun: ${relative(process.cwd(), path)}\nReport: ${pathToFileURL(page)}`);
  }
  const figures = new Map(metricFigures(run.cases).map(({ metric, mean }) => [metric, mean]));
  const missed = failUnder.filter(({ metric, floor }) => (figures.get(metric) ?? 0) < floor);
  for (const { metric, floor } of missed)
    console.error(`${metric} is ${figures.get(metric)?.toFixed(3) ?? "not measured"}, below ${floor}.`);
  return missed.length > 0 ? GATE_MISSED : 0;
}

/** @throws Error where none is left, or one is asked for that there is not */
function selected(all: readonly EvalCase[], { category, case: ids }: EvalOptions): EvalCase[] {
  const unknown = ids.filter((id) => !all.some((each) => each.id === id));
  if (unknown.length > 0)
    throw new Error(`There is no case ${unknown.join(", ")}. There are ${all.map(({ id }) => id).join(", ")}.`);
  const chosen = all.filter(
    (each) =>
      (category.length === 0 || category.includes(each.category)) && (ids.length === 0 || ids.includes(each.id)),
  );
  const waiting = chosen.filter(({ review }) => review !== undefined);
  if (waiting.length > 0)
    console.error(
      `Not asked, since somebody has to say first what is right: ${waiting.map(({ id }) => id).join(", ")}.`,
    );
  const ready = chosen.filter(({ review }) => review === undefined);
  if (ready.length === 0) throw new Error("No case is left to ask: see --category and --case.");
  return ready;
}

interface Subject extends ServiceAtHand, AsyncDisposable {
  /** Thrown away in the end, with all that is in it. */
  readonly isOurs: boolean;
}

async function findSubject({ url, fresh }: EvalOptions): Promise<Subject> {
  if (url !== undefined && fresh) throw new Error("--url and --fresh exclude each other.");
  if (url !== undefined || (!fresh && runningStack() !== null))
    return { ...findService(url), isOurs: false, [Symbol.asyncDispose]: async () => {} };
  console.error(
    `${fresh ? "" : "No local stack is running. "}Starting a throw-away one and loading the runbooks (half a minute) …`,
  );
  const stack = await startStack({
    dir: await mkdtemp(join(tmpdir(), "dejavu-eval-")),
    ephemeral: true,
    extraWorkerVars: { ...PATIENCE, ...withoutSlack(developerSettings(process.env)) },
  });
  try {
    console.error(`${describeSeed(await seedRunbooks({ env: stack.workerEnv }))}.`);
  } catch (error) {
    await stack.stop();
    throw error;
  }
  const { urls, token } = stack.info;
  return { url: urls.worker, token, isOurs: true, [Symbol.asyncDispose]: () => stack.stop() };
}

/** Slack sets bounds to the time-outs, and is not asked. */
function withoutSlack(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !name.startsWith("SLACK_")));
}

/** The first signal stops the run, which then forgets what it made; a second ends the process. */
function stopOnSignal(isOurs: boolean): AbortController {
  const stopping = new AbortController();
  // A throw-away stack goes as a whole, and its own handler sees to that.
  if (isOurs) return stopping;
  let stoppedAt: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // npm passes a Ctrl-C on that its child has had already.
      if (stoppedAt !== undefined && performance.now() - stoppedAt < ECHO_MS) return;
      if (stoppedAt !== undefined) process.exit(STOPPED);
      stoppedAt = performance.now();
      console.error("\nStopping, and forgetting what was reported …");
      stopping.abort(new Error("The run was stopped."));
    });
  }
  return stopping;
}

/** On a terminal each time, elsewhere four times in all. */
function say(done: number, total: number, text: string): void {
  const isQuarter = done % Math.max(1, Math.ceil(total / 4)) === 0;
  if (process.stderr.isTTY || isQuarter) showProgress(text);
}

async function collectCases(options: EvalOptions): Promise<number> {
  const { url, token } = findService(options.url);
  const dejavu = createDejavu(overHttp(url, token), { clock: CLOCK, timeoutMs: options.timeout * 1_000 });
  const { votes, isCut } = await readVotes(dejavu);
  const cases = casesOf(votes);
  const folder = join(options.cases[0] ?? "", "feedback");
  const written = writeCases(folder, cases);
  const waiting = cases.filter(({ isForReview }) => isForReview).length;
  console.log(
    `${cases.length} answers were voted on; ${written} new cases are in ${relative(process.cwd(), folder)}, the others were there before.` +
      (waiting > 0
        ? `\n${waiting} of them were voted down, or rest on a past incident: they are not asked until you do what their line "review" says.`
        : "") +
      (isCut ? `\nOnly the newest ${votes.length} votes were read; there are older ones.` : ""),
  );
  return 0;
}
