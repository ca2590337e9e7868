// Runs a command of this project in a child process.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { REPO_DIR } from "../../../dev/stack/paths.ts";

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly problems: string;
}

/** @param script path in the repository, such as "cli/dejavu.ts" @param env the whole environment @param input standard input */
export function runCommand(
  script: string,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  input = "",
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env }, maxBuffer: 32_000_000 };
    const child = execFile(process.execPath, [join(REPO_DIR, script), ...words], options, (_, out, problems) =>
      resolve({ code: child.exitCode ?? -1, out, problems }),
    );
    // A command that ends without reading its input closes the pipe.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
