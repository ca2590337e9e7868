// `npm start`: starts the stack, loads the runbooks, reports a sample on the first start, which shows what memory
// does, prints how to use the stack and serves until it is stopped. With `--once`, it triages a text and ends.

import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
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
import { developerSettings } from "./start/developer-settings.ts";
import { describeFailure, describeSample, describeUse } from "./start/messages.ts";
import { reportSampleIncident, type Sample } from "./start/sample-incident.ts";
import { createStartView, type StartView } from "./start/start-view.ts";

/** In the data folder: the sample was reported, so later starts do not report it. */
const SAMPLE_SHOWN = "sample-shown";
const MAX_COLUMNS = 110;

interface StartOptions {
  readonly once?: string;
  readonly dir: string;
}

const program = new Command("npm start --")
  .description(
    "Starts the local stack, loads the runbooks and serves until Ctrl-C. The first start shows what memory does.",
  )
  .option("--once <text>", "triage this text, print the answer and end")
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

async function main({ dir: dataDir, once }: StartOptions): Promise<number> {
  const reading = readStackInfo(dataDir);
  if (reading.state === "running") {
    if (once === undefined)
      console.log(`Already running, process ${reading.info.pid}.\n${await usage(reading.info, dataDir)}`);
    else console.log(await requestTriage(reading.info, { title: once }));
    return 0;
  }
  const view = createStartView();
  const stack = await start(dataDir, view);
  try {
    if (isStoppedBySignal()) await serveUntilStopped();
    if (once !== undefined) {
      console.log(await requestTriage(stack.info, { title: once }));
      return 0;
    }
    const sample = existsSync(join(dataDir, SAMPLE_SHOWN)) ? null : await tryReportSample(stack.info, view);
    if (sample !== null) {
      console.log(describeSample(sample));
      writeFileSync(join(dataDir, SAMPLE_SHOWN), "");
    }
    console.log(await usage(stack.info, dataDir, sample !== null));
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

async function usage(info: StackInfo, dataDir: string, hasSample = false): Promise<string> {
  const link = await consoleLink(info.urls.worker, info.token);
  return describeUse(info, dataDir, link, { hasSample, isTerminal: Boolean(process.stdout.isTTY) });
}

async function start(dataDir: string, view: StartView): Promise<Stack> {
  const settings = developerSettings(process.env);
  // With a collector of their own, developers see the traces there.
  const services = settings.OTLP_ENDPOINT === undefined ? SERVICE_NAMES : REQUIRED_SERVICES;
  const stack = await startStack({
    dir: dataDir,
    services,
    onProgress: view.onProgress,
    extraWorkerVars: settings,
  });
  try {
    const { workerEnv } = stack;
    await view.step("runbooks", (showProgress) => syncBuiltInRunbooks(workerEnv, showProgress), describeSeed);
    return stack;
  } catch (error) {
    if (!isStoppedBySignal()) await stack.stop();
    throw error;
  }
}

/** @returns null when there are incidents already, or when it fails, which is shown: Dejavu itself runs */
async function tryReportSample(info: StackInfo, view: StartView): Promise<Sample | null> {
  try {
    return await view.step(
      "sample",
      (showProgress) => reportSampleIncident(info, new Date(), showProgress),
      (sample) => (sample === null ? "there are incidents already" : "an open incident, and a past one with its fix"),
    );
  } catch {
    return null;
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
