// `npm run seed`: loads runbooks into the running local stack, or into the stores that the environment names.

import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import type { Environment } from "../functions/config.ts";
import { findCheckProblems } from "./check-runbooks.ts";
import { findStores, showProgress } from "./find-stores.ts";
import { describeSeed, findMissing, loadRunbooks, readRunbookFolder, removeRunbooks } from "./seed-runbooks.ts";
import { loadSamples, removeSamples } from "./seed-samples.ts";

const HELP = `
<directory> is a domain, a technology or a team, if it holds Markdown files; otherwise each of its folders is one. Any
name will do. Every Markdown file, at any depth, is added, or updated where it changed. Nothing else is touched. A file
domain.yaml beside the runbooks may describe the domain. Its folders notes/, logs/ and postmortems/ hold texts that count
for less with age: a date at the start of the file name (2026-03-01-orders.md) or in the front matter (date:) says when
they were written. Repeat the command as often as you like.

--prune also removes the texts of these domains that an earlier "npm run seed -- <directory>" loaded and this directory
does not hold; without a directory, those that no longer ship with Dejavu. It lists them and asks first. What came through
the API, what came from the other place, and other domains stay.

Uses the stack that "npm start" runs. For a hosted Dejavu set SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, CHROMA_URL,
EMBEDDING_MODEL, EMBEDDING_DIMENSIONS and, as the embedding model needs it, EMBEDDINGS_URL and EMBEDDINGS_API_KEY.`;

interface Options {
  readonly prune: boolean;
  readonly yes: boolean;
  readonly samples: boolean;
  readonly removeSamples: boolean;
}

async function main(directory: string | undefined, { prune, yes, samples, removeSamples: isRemoval }: Options) {
  const env = findStores();
  if (samples || isRemoval) {
    if (directory !== undefined || prune || (samples && isRemoval))
      throw new Error("--samples and --remove-samples take neither a directory nor another option.");
    return samples ? await addSamples(env) : await dropSamples(env);
  }
  const folder = await readRunbookFolder(directory === undefined ? undefined : resolve(directory));
  const missing = prune ? await findMissing(folder, env) : [];
  if (missing.length > 0) {
    console.log(`Not in this folder, and to be removed (${missing.length}):`);
    for (const { source } of missing) console.log(`  ${source}`);
    if (!yes && !(await confirm())) throw new Error("Nothing was changed.");
  }
  const report = await loadRunbooks(folder, {
    env,
    onProgress: (done, total, domain) => showProgress(`${domain}: ${done} of ${total} chunks written`),
  });
  showProgress("");
  console.log(describeSeed(report));
  if (directory !== undefined) await reportChecks(resolve(directory));
  if (missing.length > 0) {
    await removeRunbooks(missing, env);
    const word = missing.every(({ kind }) => kind === "runbook") ? "runbook" : "text";
    console.log(`Removed ${missing.length} ${word}${missing.length === 1 ? "" : "s"}.`);
  }
}

/** The runbooks are loaded: a check with a mistake is left out. */
async function reportChecks(directory: string): Promise<void> {
  for (const { file, line, message } of await findCheckProblems(directory)) console.warn(`${file}:${line}: ${message}`);
}

async function addSamples(env: Environment): Promise<void> {
  const { texts, inventory } = await loadSamples(env, (done, total) =>
    showProgress(`${done} of ${total} chunks written`),
  );
  showProgress("");
  console.log(`${describeSeed(texts)}; ${inventory} documents of the inventory. Remove them with --remove-samples.`);
}

async function dropSamples(env: Environment): Promise<void> {
  await removeSamples(env);
  console.log("Removed the samples.");
}

/** @throws Error without a terminal */
async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error("Nothing was changed. Add --yes to remove them without being asked.");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    // Ctrl-C and Ctrl-D close it, and leave the question without an answer.
    const closed = once(terminal, "close").then(() => "no");
    const answer = await Promise.race([terminal.question("Remove them? [y/N] "), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

const program = new Command("npm run seed --")
  .description("Loads runbooks into Postgres and Chroma; without a directory, those that ship with Dejavu.")
  .argument("[directory]", "a folder of your own")
  .option("--prune", "also remove runbooks that are no longer in the directory", false)
  .option("--yes", "with --prune: do not ask", false)
  .option("--samples", "load the sample notes, logs, postmortems and inventory of an invented shop instead", false)
  .option("--remove-samples", "remove them", false)
  .addHelpText("after", HELP)
  .allowExcessArguments(false);
program.parse();

try {
  await main(program.args[0], program.opts<Options>());
} catch (error) {
  showProgress("");
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
