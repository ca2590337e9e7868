// `npm start`: starts the stack, loads the runbooks, shows a demo of memory on the first start, prints how to use the
// stack and serves until it is stopped. With `--once`, it triages a text and ends.

import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, Option } from "commander";
import { showProgress } from "../cli/find-stores.ts";
import { reindexAll } from "../cli/reindex-all.ts";
import { renderTriage } from "../cli/render-triage.ts";
import {
  describeSeed,
  findMissing,
  loadRunbooks,
  readRunbookFolder,
  removeRunbooks,
  type SeedReport,
} from "../cli/seed-runbooks.ts";
import { terminal } from "../cli/service/terminal.ts";
import { followTriage, type TriageRequest } from "../cli/service/triage-client.ts";
import { showStep } from "../cli/service/triage-progress.ts";
import type { Environment } from "../functions/config.ts";
import { DependencyError } from "../functions/dependencies.ts";
import type { Folder } from "../functions/knowledge/load-folder.ts";
import { REPO_DIR } from "./stack/paths.ts";
import { REQUIRED_SERVICES, SERVICE_NAMES } from "./stack/services/service.ts";
import type { Stack } from "./stack/stack.ts";
import { readStackInfo, type StackInfo } from "./stack/stack-info.ts";
import { startStack } from "./stack/start-stack.ts";
import { exitOnSignalWith, isStoppedBySignal } from "./stack/stop-on-signal.ts";
import { consoleLink } from "./start/console-link.ts";
import { type DemoResult, runDemo } from "./start/demo.ts";
import { developerSettings } from "./start/developer-settings.ts";
import { describeDemo, describeFailure, describeUse } from "./start/messages.ts";
import type { StartStep } from "./start/progress-lines.ts";
import { reportSampleIncident } from "./start/sample-incident.ts";
import { createStartView, type StartView } from "./start/start-view.ts";

/** In the data folder: the demo was shown, so later starts do not run it. */
const DEMO_SHOWN = "demo-shown";
const MAX_COLUMNS = 110;

interface StartOptions {
  readonly once?: string;
  readonly demo?: boolean;
  readonly dir: string;
}

const program = new Command("npm start --")
  .description(
    "Starts the local stack, loads the runbooks and serves until Ctrl-C. The first start shows what memory does.",
  )
  .option("--once <text>", "triage this text, print the answer and end")
  .addOption(
    new Option("--demo", "show what memory does, as the first start did; your own memory is not touched").conflicts(
      "once",
    ),
  )
  .option("--dir <folder>", "data, logs and secrets of the stack", ".dejavu")
  .allowExcessArguments(false);

// Nobody else reads what the services create in the data folder.
process.umask(0o077);
const { dir, ...options } = program.parse().opts<StartOptions>();

try {
  process.exitCode = await main({ ...options, dir: resolve(REPO_DIR, dir) });
} catch (error) {
  // Errors after a signal are consequences of the stop. The signal's handler ends the process.
  if (isStoppedBySignal()) await serveUntilStopped();
  console.error(`\n${describeFailure(error)}`);
  process.exitCode = 1;
}

async function main({ dir: dataDir, once, demo: isDemoWanted = false }: StartOptions): Promise<number> {
  const reading = readStackInfo(dataDir);
  if (reading.state === "running") {
    if (once === undefined) await describeRunning(reading.info, { dataDir, isDemoWanted });
    else console.log(await requestTriage(reading.info, { title: once }));
    return 0;
  }
  const isDemoShown = once === undefined && (isDemoWanted || !existsSync(join(dataDir, DEMO_SHOWN)));
  const { stack, demo } = await start(dataDir, isDemoShown);
  try {
    if (isStoppedBySignal()) await serveUntilStopped();
    if (once !== undefined) {
      console.log(await requestTriage(stack.info, { title: once }));
      return 0;
    }
    if (demo) {
      console.log(describeDemo(demo));
      writeFileSync(join(dataDir, DEMO_SHOWN), "");
    }
    const hasSample = demo !== undefined && (await tryReportSample(stack.info));
    console.log(
      describeUse(stack.info, dataDir, await consoleLink(stack.info.urls.worker, stack.info.token), {
        hasSample,
        isTerminal: Boolean(process.stdout.isTTY),
      }),
    );
    // From here on, a signal is the normal end.
    exitOnSignalWith(0);
    await serveUntilStopped();
    return 0;
  } catch (error) {
    // The signal's handler stops the stack and ends the process.
    if (isStoppedBySignal()) await serveUntilStopped();
    throw error;
  } finally {
    await stack.stop();
  }
}

async function describeRunning(
  info: StackInfo,
  { dataDir, isDemoWanted }: { readonly dataDir: string; readonly isDemoWanted: boolean },
): Promise<void> {
  if (isDemoWanted) {
    const view = createStartView(["demo"]);
    const demo = await tryDemo(view, { dir: dataDir }).finally(() => view.end());
    if (demo) console.log(`${describeDemo(demo)}\n`);
  }
  console.log(
    `Already running, process ${info.pid}.\n${describeUse(info, dataDir, await consoleLink(info.urls.worker, info.token), { isTerminal: Boolean(process.stdout.isTTY) })}`,
  );
}

/** The demo starts its stack while the runbooks are loaded: each waits for its servers most of the time. */
async function start(
  dataDir: string,
  withDemo: boolean,
): Promise<{ readonly stack: Stack; readonly demo: DemoResult | undefined }> {
  const settings = developerSettings(process.env);
  // With a collector of their own, developers see the traces there.
  const services = settings.OTLP_ENDPOINT === undefined ? SERVICE_NAMES : REQUIRED_SERVICES;
  const steps: StartStep[] = [...services, "migrations", "runbooks", ...(withDemo ? ["demo" as const] : [])];
  const view = createStartView(steps);
  try {
    const stack = await startStack({ dir: dataDir, services, onProgress: view.onProgress, extraWorkerVars: settings });
    const { workerEnv } = stack;
    const abort = new AbortController();
    const demo = withDemo ? tryDemo(view, { dir: dataDir, signal: abort.signal }) : undefined;
    try {
      await view.step("runbooks", (showProgress) => syncBuiltInRunbooks(workerEnv, showProgress), describeSeed);
      return { stack, demo: await demo };
    } catch (error) {
      abort.abort(error);
      await demo;
      if (!isStoppedBySignal()) await stack.stop();
      throw error;
    }
  } finally {
    await view.end();
  }
}

/** @returns undefined when the demo fails, which is shown: Dejavu itself runs */
async function tryDemo(view: StartView, options: Parameters<typeof runDemo>[0]): Promise<DemoResult | undefined> {
  try {
    return await view.step(
      "demo",
      (showProgress) => runDemo({ ...options, onProgress: showProgress }),
      () => "on a throw-away stack",
    );
  } catch (error) {
    const message = `${describeFailure(error, { isLogKept: false })}\nOnly the demo failed. \`npm start -- --demo\` tries it again.`;
    if (!isStoppedBySignal()) view.onProgress({ type: "note", message });
    return undefined;
  }
}

/** @returns whether the stack has the sample incident; a failure is shown, and Dejavu itself runs */
async function tryReportSample(info: StackInfo): Promise<boolean> {
  try {
    return await reportSampleIncident(info, new Date());
  } catch (error) {
    console.log(`\n${describeFailure(error, { isLogKept: false })}\nThe console starts without a sample.`);
    return false;
  }
}

/**
 * Updates the runbooks that ship with Dejavu to those of this version; others stay. Data of an older version or of
 * another embedding model is kept: it is reindexed first.
 */
async function syncBuiltInRunbooks(env: Environment, showProgress: (text: string) => void): Promise<SeedReport> {
  const folder = await readRunbookFolder();
  const report = await loadIntoIndex(folder, env, showProgress);
  await removeRunbooks(await findMissing(folder, env), env);
  return report;
}

async function loadIntoIndex(
  folder: Folder,
  env: Environment,
  showProgress: (text: string) => void,
): Promise<SeedReport> {
  const onProgress = (done: number, total: number, label: string) =>
    showProgress(`${label}: ${done} of ${total} chunks`);
  try {
    return await loadRunbooks(folder, { env, onProgress });
  } catch (error) {
    if (!(error instanceof DependencyError && error.failure === "model_mismatch")) throw error;
    showProgress("the index was made by another embedding model or version; reindexing");
    await reindexAll(env, onProgress);
    return await loadRunbooks(folder, { env, onProgress });
  }
}

/** Never returns: a signal ends the process. The timer keeps it alive, because the stack's processes do not. */
function serveUntilStopped(): Promise<never> {
  setInterval(() => {}, 60_000);
  return new Promise(() => {});
}

/** @returns the rendered result @throws CommandError with the text of the problem */
async function requestTriage(
  { urls, token }: { readonly urls: { readonly worker: string }; readonly token: string },
  body: TriageRequest,
): Promise<string> {
  const result = await followTriage(urls.worker, token, body, (event) =>
    showStep({ progress: (text) => (process.stderr.isTTY ? showProgress(process, text) : undefined) }, event),
  );
  return renderTriage(result, { ...terminal(MAX_COLUMNS, process) });
}
