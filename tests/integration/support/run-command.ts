// Runs a command of this project in a child process.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { REPO_DIR } from "../../../dev/stack/paths.ts";

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly problems: string;
}

/** @param script path in the repository, such as "cli/token.ts" @param env the whole environment */
export function runCommand(
  script: string,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [join(REPO_DIR, script), ...words], { env }, (_, out, problems) =>
      resolve({ code: child.exitCode ?? -1, out, problems }),
    );
  });
}
