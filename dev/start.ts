// `npm start`: starts the stack, loads the runbooks, triages a sample incident (or the text of `--once`), prints the
// answer and serves until it is stopped.

import { resolve } from "node:path";
import { Command } from "commander";
import { hasFormerIndex, reindexAll } from "../cli/reindex-all.ts";
import {
  describeSeed,
  findMissing,
  loadRunbooks,
  type RunbookFolder,
  readRunbookFolder,
  removeRunbooks,
  type SeedReport,
} from "../cli/seed-runbooks.ts";
import { requestTriage } from "../cli/triage.ts";
import type { Environment } from "../functions/config.ts";
import { DependencyError } from "../functions/dependencies.ts";
import { REPO_DIR } from "./stack/paths.ts";
import { REQUIRED_SERVICES, SERVICE_NAMES } from "./stack/services/service.ts";
import type { Stack } from "./stack/stack.ts";
import { readStackInfo } from "./stack/stack-info.ts";
import { startStack } from "./stack/start-stack.ts";
import { exitOnSignalWith, isStoppedBySignal } from "./stack/stop-on-signal.ts";
import { developerSettings } from "./start/developer-settings.ts";
import { describeFailure, describeUse } from "./start/messages.ts";
import { createStartView } from "./start/start-view.ts";

const SAMPLE = { title: "api-gateway container exited with code 137", target: "api-gateway", severity: "critical" };

const program = new Command("npm start --")
  .description("Starts the local stack, loads the runbooks, triages a sample incident and serves until Ctrl-C.")
  .option("--once <text>", "triage this text, print the answer and end")
  .option("--dir <folder>", "data, logs and secrets of the stack", ".dejavu")
  .allowExcessArguments(false);

const { once, dir } = program.parse().opts<{ once?: string; dir: string }>();

try {
  process.exitCode = await main(resolve(REPO_DIR, dir), once);
} catch (error) {
  // Errors after a signal are consequences of the stop. The signal's handler ends the process.
  if (isStoppedBySignal()) await serveUntilStopped();
  console.error(`\n${describeFailure(error)}`);
  process.exitCode = 1;
}

async function main(dataDir: string, text: string | undefined): Promise<number> {
  const reading = readStackInfo(dataDir);
  if (reading.state === "running") {
    const { info } = reading;
    if (text === undefined)
      console.log(`Already running, process ${info.pid}.\n${describeUse(info, `${dataDir}/logs`)}`);
    else console.log(await requestTriage(info, { title: text }));
    return 0;
  }
  const stack = await start(dataDir);
  try {
    console.log(await requestTriage(stack.info, text === undefined ? SAMPLE : { title: text }));
    if (text !== undefined) return 0;
    console.log(describeUse(stack.info, `${dataDir}/logs`));
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

async function start(dataDir: string): Promise<Stack> {
  const view = createStartView();
  const settings = developerSettings(process.env);
  try {
    const stack = await startStack({
      dir: dataDir,
      // With a collector of their own, developers see the traces there.
      services: settings.OTLP_ENDPOINT === undefined ? SERVICE_NAMES : REQUIRED_SERVICES,
      onProgress: view.onProgress,
      extraWorkerVars: settings,
    });
    try {
      await view.step("runbooks", (showProgress) => syncBuiltInRunbooks(stack.workerEnv, showProgress), describeSeed);
      return stack;
    } catch (error) {
      if (!isStoppedBySignal()) await stack.stop();
      throw error;
    }
  } finally {
    await view.end();
  }
}

/**
 * Updates the runbooks that ship with Dejavu to those of this version; others stay. Data of an older version or of
 * another embedding model is kept: it is reindexed first.
 */
async function syncBuiltInRunbooks(env: Environment, showProgress: (text: string) => void): Promise<SeedReport> {
  const folder = await readRunbookFolder();
  const report = await loadIntoIndex(folder, env, showProgress);
  // The Worker answers meanwhile: by keywords, and by meaning where a text is in the new index already.
  if (await hasFormerIndex(env)) {
    const onProgress = (done: number, total: number, collection: string) =>
      showProgress(`${collection}: ${done} of ${total} documents moved into the new index; Dejavu answers meanwhile`);
    await reindexAll(env, onProgress);
  }
  await removeRunbooks(await findMissing(folder, env), env);
  return report;
}

async function loadIntoIndex(
  folder: RunbookFolder,
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
