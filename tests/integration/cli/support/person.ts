// A person with a home folder of their own who uses the command line.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandResult } from "../../support/run-command.ts";
import { runDejavu } from "./run-dejavu.ts";

export interface Person extends AsyncDisposable {
  readonly home: string;
  readonly config: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dejavu: (words: readonly string[], options?: RunOptions) => Promise<CommandResult>;
}

export interface RunOptions {
  /** Standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** @param variables added to an environment without settings of this machine */
export async function createPerson(variables: Readonly<Record<string, string | undefined>> = {}): Promise<Person> {
  const home = await mkdtemp(join(tmpdir(), "dejavu-home-"));
  const env = { PATH: process.env.PATH, HOME: home, ...variables };
  return {
    home,
    config: join(home, ".config/dejavu/config.json"),
    env,
    dejavu: (words, options = {}) => runDejavu(words, { ...env, ...options.env }, options.input),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}
