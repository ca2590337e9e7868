#!/usr/bin/env node
// `dejavu`: the command line. Handles closed pipes; program/run-program.ts does the rest.

import { runProgram } from "./program/run-program.ts";

// A reader such as `head` may close the pipe early. The work goes on, and its output is dropped.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error) => {
    if (!("code" in error && error.code === "EPIPE")) throw error;
  });

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  checkout: () => import("./checkout.ts"),
});
