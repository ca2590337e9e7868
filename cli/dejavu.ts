#!/usr/bin/env node
// `dejavu`: the command line. Handles closed pipes and Ctrl-C; program/run-program.ts does the rest.

import { runProgram } from "./program/run-program.ts";

// A reader such as `head` may close the pipe early. The work goes on, and its output is dropped.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error) => {
    if (!("code" in error && error.code === "EPIPE")) throw error;
  });

const interruption = new AbortController();
const interrupt = () => interruption.abort();
const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;
for (const signal of STOP_SIGNALS) process.once(signal, interrupt);

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  // Only for a command that reads it: Node makes the pipe non-blocking, also for the shell that has it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  interruption,
  // The commands that need the repository.
  checkout: () => import("./checkout.ts"),
});
// Without this, an interrupted command would go on.
if (interruption.signal.aborted) process.exit();
// Ctrl-C ends the process again while its output drains.
for (const signal of STOP_SIGNALS) process.off(signal, interrupt);
