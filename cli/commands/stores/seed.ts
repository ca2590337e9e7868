// `dejavu seed`: loads runbooks into the running local stack, or into the stores that the environment names.

import { resolve } from "node:path";
import type { Environment } from "../../../functions/config.ts";
import { findEvidenceCheckProblems } from "../../check-runbooks.ts";
import { findStores, showProgress } from "../../find-stores.ts";
import { describeSeed, findMissing, loadRunbooks, readRunbookFolder, removeRunbooks } from "../../seed-runbooks.ts";
import { loadSamples, removeSamples } from "../../seed-samples.ts";
import { CommandError, EXIT_CODES } from "../../service/command-error.ts";
import { confirm } from "../../service/confirm.ts";
import type { Cli, Invocation } from "../../service/invocation.ts";
import { printable } from "../../service/problem-error.ts";

export interface SeedOptions {
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly samples?: boolean;
  readonly removeSamples?: boolean;
}

export async function run({ args: [directory], options, cli }: Invocation<SeedOptions>): Promise<void> {
  const env = findStores(cli.env);
  const { prune, samples, removeSamples: isRemoval } = options;
  if (samples || isRemoval) {
    if (directory !== undefined || prune || (samples && isRemoval))
      throw new CommandError("usage", "--samples and --remove-samples take neither a directory nor another option.");
    return samples ? await addSamples(env, cli) : await dropSamples(env, cli);
  }
  const folder = await readRunbookFolder(directory === undefined ? undefined : resolve(directory));
  for (const { file, message } of folder.problems) cli.note(`${file}: ${printable(message)}`);
  if (folder.problems.length > 0) cli.exitWith(EXIT_CODES.failed);
  // Only texts that the same origin loaded: built-in ones without a directory, else those of the folder's domains.
  const missing = prune ? await findMissing(folder, env) : [];
  if (missing.length > 0) {
    cli.print(`Not in this folder, and to be removed (${missing.length}):`);
    for (const { source } of missing) cli.print(`  ${source}`);
    if (!options.yes) await confirm(cli, "Remove them?");
  }
  const report = await loadRunbooks(folder, {
    env,
    onProgress: (done, total, domain) => showProgress(cli, `${domain}: ${done} of ${total} chunks written`),
  });
  showProgress(cli, "");
  cli.print(describeSeed(report));
  if (directory !== undefined) await reportChecks(resolve(directory), cli);
  if (missing.length > 0) {
    await removeRunbooks(missing, env);
    const word = missing.every(({ kind }) => kind === "runbook") ? "runbook" : "text";
    cli.print(`Removed ${missing.length} ${word}${missing.length === 1 ? "" : "s"}.`);
  }
}

/** Mistakes stop no load: the check alone is left out. */
async function reportChecks(directory: string, cli: Cli): Promise<void> {
  for (const { file, line, message } of await findEvidenceCheckProblems(directory))
    cli.note(`${file}:${line}: ${message}`);
}

async function addSamples(env: Environment, cli: Cli): Promise<void> {
  const { texts, inventory } = await loadSamples(env, (done, total) =>
    showProgress(cli, `${done} of ${total} chunks written`),
  );
  showProgress(cli, "");
  cli.print(`${describeSeed(texts)}; ${inventory} documents of the inventory. Remove them with --remove-samples.`);
}

async function dropSamples(env: Environment, cli: Cli): Promise<void> {
  await removeSamples(env);
  cli.print("Removed the samples.");
}
