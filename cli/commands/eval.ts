// `dejavu eval`: runs the evaluation of this checkout, or writes its report, with the arguments that follow.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import type { Invocation } from "../service/invocation.ts";

const FIRST_SIGNAL_CODE = 128;

export async function run({ cli }: Invocation): Promise<void> {
  // The parser takes options of its own out of the arguments, such as --json; the evaluation has the same.
  const words = process.argv.slice(process.argv.indexOf("eval") + 1);
  const [script, args] = words[0] === "report" ? ["eval-report.ts", words.slice(1)] : ["eval.ts", words];
  const child = spawn(process.execPath, [join(REPO_DIR, "evals", script), ...args], { stdio: "inherit" });
  // Ctrl-C reaches the child, too. It cleans up and decides the exit code.
  process.removeAllListeners("SIGINT");
  process.on("SIGINT", () => {});
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, signal) =>
      resolve(exitCode ?? FIRST_SIGNAL_CODE + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  cli.exitWith(code);
}
