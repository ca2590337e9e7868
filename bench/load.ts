// `npm run bench -- load`: 3,000 triages, a storm of 10,000 alerts in 100 webhooks, and the death of each part under
// load. On a throw-away stack, with the memory of each process over time; each part dies twice in a row. `--triages 200
// --webhooks 5 --no-kill` is a quick one.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { SERVICE_NAMES } from "../dev/stack/services/service.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import { createServices } from "../functions/services.ts";
import { compareIndex, drainQueues } from "./load/index-check.ts";
import { killEachPart } from "./load/kill-parts.ts";
import { sampleMemory } from "./load/process-memory.ts";
import { sendStorm } from "./load/storm.ts";
import { describeTriages, sendTriages } from "./load/triages.ts";

const { values } = parseArgs({
  options: {
    triages: { type: "string", default: "3000" },
    concurrency: { type: "string", default: "8" },
    webhooks: { type: "string", default: "100" },
    kill: { type: "boolean", default: true },
  },
  allowNegative: true,
});
const concurrency = Number(values.concurrency);

console.log("Starting a throw-away stack and loading the runbooks …");
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  restart: true,
  services: SERVICE_NAMES.filter((name) => name !== "collector"),
  onProgress: (event) => {
    if (event.type === "exited" || event.type === "restarted" || event.type === "given-up")
      console.log(`  ${event.service}: ${event.type}`);
  },
});
try {
  console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
  const services = createServices(stack.workerEnv, { log: () => {} });
  const memory = sampleMemory(stack);

  console.log(`\n${values.triages} triages, ${concurrency} at a time`);
  console.log(describeTriages(await sendTriages(stack, { count: Number(values.triages), concurrency, first: 0 })));
  await drainQueues(stack);
  console.log(await compareIndex(stack, services));

  console.log(`\nStorm: ${values.webhooks} webhooks of 100 alerts, ${concurrency} at a time`);
  console.log(await sendStorm(stack, { webhooks: Number(values.webhooks), concurrency }));
  await drainQueues(stack);
  console.log(await compareIndex(stack, services));
  memory.stop();
  console.log(`\nMemory in MB by minute\n${memory.table()}`);

  if (values.kill) {
    console.log("\nDeath of each part, twice in a row, under load");
    await killEachPart(stack, { concurrency });
    await drainQueues(stack);
    console.log(await compareIndex(stack, services));
  }
} finally {
  await stack.stop();
}
