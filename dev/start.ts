/**
 * `npm start`: the whole of Dejavu on this machine. Starts the stack, loads the runbooks, triages a sample (or the
 * text of `--once`), prints the answer and serves until it is stopped. Starting itself is dev/stack's.
 */
import { resolve } from "node:path";
import { Command } from "commander";
import { reindexAll } from "../cli/reindex-all.ts";
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
import { OutsideError } from "../functions/dependencies.ts";
import {
  exitOnSignalWith,
  isStoppedBySignal,
  NEEDED_PARTS,
  PART_NAMES,
  readStackInfo,
  type Stack,
  startStack,
} from "./stack/index.ts";
import { REPO_DIR } from "./stack/paths.ts";
import { describeFailure, describeUse } from "./start/messages.ts";
import { ownSettings } from "./start/own-settings.ts";
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
  // Once a signal stops the stack, what fails is only its echo, and the signal's handler ends the process.
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
    // From here on being stopped is the normal end.
    exitOnSignalWith(0);
    await serveUntilStopped();
    return 0;
  } catch (error) {
    // A signal's own stop is under way: let it end the process.
    if (isStoppedBySignal()) await serveUntilStopped();
    throw error;
  } finally {
    await stack.stop();
  }
}

async function start(dataDir: string): Promise<Stack> {
  const view = createStartView();
  const settings = ownSettings(process.env);
  try {
    const stack = await startStack({
      dir: dataDir,
      // Who has a collector of his own looks at traces there.
      parts: settings.OTLP_ENDPOINT === undefined ? PART_NAMES : NEEDED_PARTS,
      onProgress: view.onProgress,
      extraWorkerVars: settings,
    });
    try {
      await view.step("runbooks", (say) => keepBuiltInRunbooks(stack.workerEnv, say), describeSeed);
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
 * Makes the runbooks that ship with Dejavu those of this version; others are not touched. Data of an older Dejavu, or of
 * another embedding model, is not thrown away: its index is made anew first.
 */
async function keepBuiltInRunbooks(env: Environment, say: (text: string) => void): Promise<SeedReport> {
  const folder = await readRunbookFolder();
  const report = await loadIntoIndex(folder, env, say);
  await removeRunbooks(await findMissing(folder, env), env);
  return report;
}

async function loadIntoIndex(
  folder: RunbookFolder,
  env: Environment,
  say: (text: string) => void,
): Promise<SeedReport> {
  const progress = (done: number, total: number, label: string) => say(`${label}: ${done} of ${total} chunks`);
  try {
    return await loadRunbooks(folder, { env, onProgress: progress });
  } catch (error) {
    if (!(error instanceof OutsideError && error.failure === "model_mismatch")) throw error;
    say("the index is of another model or make, and is made anew");
    await reindexAll(env, progress);
    return await loadRunbooks(folder, { env, onProgress: progress });
  }
}

/** Never returns: a signal ends the process. The timer keeps it alive, the stack's processes do not. */
function serveUntilStopped(): Promise<never> {
  setInterval(() => {}, 60_000);
  return new Promise(() => {});
}
