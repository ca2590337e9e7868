/**
 * Process entry for tests that end a supervisor: starts a stack and tells its progress as JSON lines.
 * Arguments: the options as JSON, and what to do when ready: "stay", "crash" or "forget" (end without a stop).
 */
import { startStack } from "../../../../dev/stack/index.ts";

const [options = "{}", afterwards = "stay"] = process.argv.slice(2);
const say = (line: object): void => console.log(JSON.stringify(line));

const stack = await startStack({ ...JSON.parse(options), onProgress: say });
say({ type: "ready", info: stack.info });
if (afterwards === "crash") setTimeout(() => Promise.reject(new Error("planned crash")), 10);
if (afterwards === "stay") setInterval(() => {}, 60_000);
