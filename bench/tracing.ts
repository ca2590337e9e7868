// `npm run bench -- tracing`: latency that tracing adds to a triage. Three Workers in workerd on one throw-away stack,
// called in turn: without traces, with a collector, with a collector that hangs. Compare the ratios, not the absolute
// times.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { postTriage } from "../cli/service/triage-client.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import { lyingServer } from "../tests/integration/support/servers/lying-server.ts";
import { startBareWorker } from "./latency/bare-worker.ts";
import { createTimings } from "./support/timings.ts";

const ROUNDS = 150;
const WARM_UP = 20;
const OFF = "without traces";

console.log("Starting a throw-away stack and loading the runbooks (a minute) …");
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma", "collector"],
});
try {
  console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
  await using hanging = await lyingServer({ hang: true });
  const { OTLP_ENDPOINT = "", ...environment } = stack.workerEnv;
  await using off = await startBareWorker(environment);
  await using on = await startBareWorker({ ...environment, OTLP_ENDPOINT });
  await using hung = await startBareWorker({ ...environment, OTLP_ENDPOINT: hanging.url });
  const workers = { [OFF]: off, "with a collector": on, "with a hanging collector": hung };
  const timings = createTimings();
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (round === WARM_UP) timings.reset();
    if (process.stderr.isTTY) process.stderr.write(`\r${Math.max(0, round - WARM_UP + 1)} of ${ROUNDS} rounds`);
    // Rotates the order: a triage runs beside the background tasks of the one before.
    const order = Object.entries(workers).map((_, i, all) => all[(i + round) % all.length] ?? all[i]);
    for (const entry of order) {
      if (entry === undefined) continue;
      const [name, { url }] = entry;
      const started = performance.now();
      await postTriage(url, stack.info.token, {
        title: `worker-${round} exited with code 137`,
        target: `worker-${round}`,
      });
      timings.add(name, performance.now() - started);
    }
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  timings.print();
  for (const name of Object.keys(workers).filter((workerName) => workerName !== OFF)) {
    const ratio = (share: number) => (timings.quantile(name, share) / timings.quantile(OFF, share)).toFixed(2);
    console.log(`${name}: p50 ${ratio(0.5)} ×, p95 ${ratio(0.95)} × of a triage without traces`);
  }
} finally {
  await stack.stop();
}
