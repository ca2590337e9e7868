// `npm run bench -- model`: what a triage by a language model adds to the model's own time, and the time to the first
// token. The model is a local server that answers at once or at a set pace; figures are ratios within one run.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import type { TriageEvent } from "../functions/investigation/run/events.ts";
import { triage } from "../functions/investigation/triage.ts";
import { createServices, type Services } from "../functions/services.ts";
import type { ModelReply } from "../tests/integration/support/servers/model-server.ts";
import { draftOf, type ScriptedModel, scriptedModel } from "../tests/integration/support/servers/scripted-model.ts";
import { createTimings } from "./support/timings.ts";

const ROUNDS = 100;
const WARM_UP = 15;
/** A model that writes about 120 tokens per second, four characters each. */
const PACED: ModelReply = { kind: "json", value: draftOf(), pieces: 4, paceMs: 8 };
const PACED_ROUNDS = 5;

console.log("Starting a throw-away stack and loading the runbooks (half a minute) …");
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma"],
});
try {
  console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
  await measureOverhead();
  await measureFirstToken();
} finally {
  await stack.stop();
}

async function measureOverhead(): Promise<void> {
  await using model = await scriptedModel();
  const extractive = servicesWith({ MODEL: "none" });
  const written = servicesWith(model.env());
  const timings = createTimings();
  let calls = 0;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (round === WARM_UP) timings.reset();
    if (process.stderr.isTTY) process.stderr.write(`\r${Math.max(0, round - WARM_UP + 1)} of ${ROUNDS} rounds`);
    const title = `service-${round} container exited with code 137`;
    // Alternates the order, so that neither always profits from the caches of the other.
    const order = round % 2 === 0 ? [extractive, written] : [written, extractive];
    const before = model.spans.length;
    const elapsed = new Map<Services, number>();
    for (const services of order) elapsed.set(services, await run(services, title));
    timings.add("extractive triage", elapsed.get(extractive) ?? Number.NaN);
    const total = elapsed.get(written) ?? Number.NaN;
    const inModel = model.spans.slice(before).reduce((sum, { begin, end }) => sum + end - begin, 0);
    timings.add("triage by a model", total);
    timings.add("  in the model", inModel);
    timings.add("  outside the model", total - inModel);
    calls = model.spans.length - before;
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  timings.print();
  const ratio = timings.p50("  outside the model") / timings.p50("extractive triage");
  console.log(`\nTriage by a model, without the time in the model: ${ratio.toFixed(2)} × the extractive triage (p50)`);
  console.log(`Model calls for an alert that needs no reflection: ${calls}`);
}

async function measureFirstToken(): Promise<void> {
  await using model: ScriptedModel = await scriptedModel({ synthesise: PACED });
  const services = servicesWith(model.env());
  const timings = createTimings();
  for (let round = 0; round < PACED_ROUNDS; round++) {
    const at = new Map<TriageEvent["event"], number>();
    const before = model.spans.length;
    await run(services, `service-${round} container exited with code 137`, ({ event }) => {
      if (!at.has(event)) at.set(event, performance.now());
    });
    const { begin = 0, end = 0 } = model.spans[before] ?? {};
    timings.add("recall to first token", (at.get("token") ?? Number.NaN) - (at.get("recall") ?? Number.NaN));
    timings.add("one model round trip", end - begin);
  }
  timings.print();
  const ratio = timings.p50("recall to first token") / timings.p50("one model round trip");
  console.log(`\nFirst token after recall: ${ratio.toFixed(2)} × the model call that writes the answer (p50)`);
}

function servicesWith(environment: Record<string, string>): Services {
  return createServices({ ...stack.workerEnv, ...environment }, { log: () => {} });
}

/** Milliseconds until the answer. Waits for background tasks, too, but does not count them. */
async function run(services: Services, title: string, emit?: (event: TriageEvent) => void): Promise<number> {
  const background: Promise<unknown>[] = [];
  const runInBackground = (work: Promise<unknown>) => void background.push(work);
  const started = performance.now();
  const outcome = await triage(services, { title }, { idempotency: null, runInBackground, ...(emit ? { emit } : {}) });
  const elapsed = performance.now() - started;
  await Promise.all(background);
  const expected = services.models ? "model" : "extractive";
  if (outcome.state !== "answered" || outcome.result.mode !== expected)
    throw new Error(`The triage did not give an answer of mode "${expected}".`);
  return elapsed;
}
