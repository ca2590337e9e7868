// Calls the command line in the test's process.

import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { runProgram } from "../../../../cli/program/run-program.ts";
import type { CommandResult } from "../../support/run-command.ts";

/** @param env the whole environment @param input standard input */
export async function runDejavu(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  input = "",
): Promise<CommandResult> {
  const [stdin, stdout, stderr] = [Readable.from([input]), new PassThrough(), new PassThrough()];
  const interruption = new AbortController();
  const checkout = () => import("../../../../cli/checkout.ts");
  const code = await runProgram(words, { env, stdin, stdout, stderr, interruption, checkout });
  const [out, problems] = await Promise.all([text(stdout.end()), text(stderr.end())]);
  return { code, out, problems };
}
