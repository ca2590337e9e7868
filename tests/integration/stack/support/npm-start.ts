// `npm start` as a person runs it, without a terminal, in a data folder of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { REPO_DIR } from "../../../../dev/stack/paths.ts";
import { readStackInfo, type StackInfo } from "../../../../dev/stack/stack-info.ts";

export const START_SCRIPT = join(REPO_DIR, "dev/start.ts");
export const READY = "Dejavu is ready";

export interface RunningStart {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly info: StackInfo;
  /** What it has printed. */
  readonly output: string;
}

/** Resolves when it is ready. @throws Error with its output when it ends before */
export async function npmStart(dir: string): Promise<RunningStart> {
  const child = spawn(process.execPath, [START_SCRIPT, "--dir", dir], { stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes(READY)) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void exited.then((code) => reject(new Error(`It ended with code ${code}.\n${output}`)));
  });
  const reading = readStackInfo(dir);
  if (reading.state !== "running") throw new Error(`The stack is ${reading.state}.`);
  return { child, exited, info: reading.info, output };
}
