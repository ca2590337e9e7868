// `npm run bench -- latency`: searches through the Worker beside the raw calls that they need. In one run on one
// throw-away stack. Absolute times depend on the machine; compare the ratios.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import { createServices } from "../functions/services.ts";
import { startBareWorker } from "./latency/bare-worker.ts";
import { measureSearch } from "./latency/search.ts";

console.log("Starting a throw-away stack and loading the runbooks (a minute) …");
const stack = await startStack({ dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")), ephemeral: true });
try {
  console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
  await using worker = await startBareWorker(stack.workerEnv);
  await measureSearch(createServices(stack.workerEnv, { log: () => {} }), stack, worker);
} finally {
  await stack.stop();
}
