// Process entry for tests that end a supervisor: starts a stack and prints its progress as JSON lines.
// Arguments: the options as JSON, and what to do when the stack is ready: "stay", "crash" or "exit" (without a stop).

import { startStack } from "../../../../dev/stack/start-stack.ts";

const [options = "{}", afterwards = "stay"] = process.argv.slice(2);
const print = (line: object): void => console.log(JSON.stringify(line));

const stack = await startStack({ ...JSON.parse(options), onProgress: print });
print({ type: "ready", info: stack.info });
if (afterwards === "crash") setTimeout(() => Promise.reject(new Error("planned crash")), 10);
if (afterwards === "stay") setInterval(() => {}, 60_000);
