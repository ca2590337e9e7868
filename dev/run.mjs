// `node dev/run.mjs <script> [argument…]`: installs the packages if that is necessary, then runs the script on the Node of the
// project. npm scripts begin with it, so that they work in a fresh clone. Plain JavaScript for Node 20, as install.mjs.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";

const FIRST_SIGNAL_CODE = 128;
const [script, ...words] = process.argv.slice(2);

// A package lacks some scripts. Those of other packages are there after the install.
if (!script.includes("node_modules") && !existsSync(script)) {
  console.error(`This package does not contain ${script}. Run the command in a clone of the repository.`);
  process.exit(1);
}
const { pinnedNode } = await import("./install.mjs");
// Replaces this process, which then receives its signals. Node 20 and Windows cannot do that.
process.execve?.(pinnedNode, [pinnedNode, script, ...words], process.env);

const child = spawn(pinnedNode, [script, ...words], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    // A terminal sends Ctrl-C to the child, too.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.once("exit", (code, signal) => process.exit(code ?? FIRST_SIGNAL_CODE + constants.signals[signal]));
