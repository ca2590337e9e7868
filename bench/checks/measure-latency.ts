// Times triages with eight checks and the same triages without a source of evidence, in pairs, on one stack.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { ingestRunbook } from "../../functions/knowledge/ingest.ts";
import { createServices } from "../../functions/services.ts";
import { sample, startPrometheus } from "../../tests/integration/metrics/real-prometheus.ts";
import { createAsker } from "../relevance/answers.ts";
import { LONG_TIMEOUTS } from "../relevance/stores.ts";
import { createTimings } from "../support/timings.ts";

const CHECKS = 8;
const PAIRS = 60;
const WARM_UP = 10;
const FIRST_TIME = Date.parse("2026-03-01T03:00:00Z");
/** No result of an earlier triage is used again. */
const BETWEEN_MS = 120_000;

const causes = Array.from({ length: CHECKS }, (_, i) => `Valve ${i + 1}`);
const RUNBOOK = `# Boiler loses pressure

## Root causes

${causes.map((cause) => `- **${cause} leaks.** The pressure falls.`).join("\n")}

## Confirm

${causes
  .map(
    (cause, i) => `\`\`\`promql {check=valve-${i + 1} match=instance cause="${cause}"}
max by (instance) (boiler_valve_${i + 1}_flow)
\`\`\`
- confirms: any > 5: the valve leaks
- refutes: all < 1: the valve is tight
`,
  )
  .join("\n")}`;
const REPORT = {
  id: "latency",
  request: {
    title: "BoilerLosesPressure: boiler-1 is below 2 bar",
    labels: { alertname: "BoilerLosesPressure", instance: "boiler-1:9000" },
  },
};

export interface CheckLatency {
  /** Medians in milliseconds. */
  readonly without: number;
  readonly with: number;
  /** Of the slowest of the queries of one triage, sent to Prometheus at once. */
  readonly slowestCheck: number;
}

/** @param program path of Prometheus */
export async function measureLatency(program: string): Promise<CheckLatency> {
  const dir = await mkdtemp(join(tmpdir(), "dejavu-bench-"));
  const services = ["gateway", "chroma"] as const;
  const stack = await startStack({ dir, ephemeral: true, services: [...services] });
  try {
    await seedRunbooks({ env: stack.workerEnv });
    await using prometheus = await startPrometheus(program, { history: valveSamples() });
    let now = FIRST_TIME;
    const create = (sources: Readonly<Record<string, string>>) =>
      createServices({ ...stack.workerEnv, ...LONG_TIMEOUTS, ...sources }, { log: () => {}, now: () => new Date(now) });
    const plain = create({});
    const checking = create({ PROMETHEUS_URL: prometheus.url });
    const stored = await ingestRunbook(plain, {
      domain: "boiler",
      path: "pressure.md",
      text: RUNBOOK,
      isMarkdown: true,
    });
    if (stored.state !== "stored") throw new Error(`The runbook was not stored: ${stored.state}.`);
    const ask = {
      without: createAsker(plain, { isForgotten: true }),
      with: createAsker(checking, { isForgotten: true }),
    };
    const timings = createTimings();
    for (let pair = 0; pair < WARM_UP + PAIRS; pair++) {
      if (pair === WARM_UP) timings.reset();
      now += BETWEEN_MS;
      // In turns: neither always finds warm caches.
      const order = pair % 2 === 0 ? (["without", "with"] as const) : (["with", "without"] as const);
      for (const kind of order) {
        const started = performance.now();
        const result = await ask[kind](REPORT, (elapsed) => timings.add(kind, elapsed - started));
        const ran = result.checks.filter(({ verdict }) => verdict === "confirmed" || verdict === "refuted").length;
        if (kind === "with" && ran !== CHECKS) throw new Error(`${ran} of ${CHECKS} checks were decided.`);
      }
      timings.add("slowest", await slowestQuery(prometheus.url, now));
    }
    return { without: timings.p50("without"), with: timings.p50("with"), slowestCheck: timings.p50("slowest") };
  } finally {
    await stack.stop();
  }
}

function valveSamples(): string[] {
  const times = Array.from({ length: WARM_UP + PAIRS }, (_, i) => new Date(FIRST_TIME + (i + 1) * BETWEEN_MS));
  return causes.flatMap((_, i) =>
    times.map((at) => sample(`boiler_valve_${i + 1}_flow`, { instance: "boiler-1:9000" }, i === 0 ? 9 : 0.1, at)),
  );
}

async function slowestQuery(url: string, at: number): Promise<number> {
  const durations = await Promise.all(
    causes.map(async (_, i) => {
      const started = performance.now();
      const query = `max by (instance) (boiler_valve_${i + 1}_flow{instance="boiler-1:9000"})`;
      const parameters = new URLSearchParams({ query, time: `${at / 1_000}` });
      await (await fetch(`${url}/api/v1/query?${parameters}`)).text();
      return performance.now() - started;
    }),
  );
  return Math.max(...durations);
}
