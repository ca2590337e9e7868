// Asks the cases through the API, in this process: on a throw-away stack with the shipped runbooks and those of the cases, with
// a real Prometheus and a stand-in for the API of a cluster. Each case has a time of its own, so that no two share a value.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import { createServices } from "../../functions/services.ts";
import { type Prometheus, sample, startPrometheus } from "../../tests/integration/metrics/real-prometheus.ts";
import { clusterServer } from "../../tests/integration/support/servers/cluster-server.ts";
import { type Answer, lyingServer } from "../../tests/integration/support/servers/lying-server.ts";
import { createAsker } from "../relevance/answers.ts";
import { LONG_TIMEOUTS } from "../relevance/stores.ts";
import type { CheckCase, MetricsFault } from "./check-case.ts";

const OWN_RUNBOOKS = fileURLToPath(new URL("./runbooks", import.meta.url));
const FIRST_TIME = Date.parse("2026-03-01T03:00:00Z");
const HOURS_BETWEEN = 6;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A source that hangs costs this. */
const FAULT_TIMEOUT_MS = 500;

export interface CaseAsker extends AsyncDisposable {
  /** @param hasSources false for the same alert without a source of evidence */
  ask(checkCase: CheckCase, hasSources: boolean): Promise<TriageResult>;
}

/** @param program path of Prometheus @param cases all that are asked */
export async function createCaseAsker(program: string, cases: readonly CheckCase[]): Promise<CaseAsker> {
  const timeOf = new Map(cases.map(({ id }, i) => [id, FIRST_TIME + i * HOURS_BETWEEN * HOUR_MS]));
  const stack = await startStack({
    dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
    ephemeral: true,
    services: ["gateway", "chroma"],
  });
  let prometheus: Prometheus;
  try {
    await seedRunbooks({ env: stack.workerEnv });
    await seedRunbooks({ env: stack.workerEnv, directory: OWN_RUNBOOKS });
    prometheus = await startPrometheus(program, { history: cases.flatMap((each) => samplesOf(each, timeOf)) });
  } catch (error) {
    await stack.stop();
    throw error;
  }
  return {
    async ask(checkCase, hasSources) {
      await using cluster = await clusterServer({ token: null, objects: [...(checkCase.objects ?? [])] });
      await using fault = await faultyServer(checkCase.metricsFault);
      const sources = {
        PROMETHEUS_URL: fault?.url ?? prometheus.url,
        ...(checkCase.objects === undefined ? {} : { KUBERNETES_URL: cluster.url }),
      };
      const services = createServices(
        { ...stack.workerEnv, ...LONG_TIMEOUTS, ...(hasSources ? sources : {}) },
        {
          log: () => {},
          now: () => new Date(timeOf.get(checkCase.id) ?? FIRST_TIME),
          internals: fault === undefined ? {} : { EVIDENCE_TIMEOUT_MS: FAULT_TIMEOUT_MS },
        },
      );
      return await createAsker(services, { isForgotten: true })(checkCase);
    },
    async [Symbol.asyncDispose]() {
      await prometheus[Symbol.asyncDispose]();
      await stack.stop();
    },
  };
}

function samplesOf({ id, metrics = [] }: CheckCase, timeOf: ReadonlyMap<string, number>): string[] {
  const at = timeOf.get(id) ?? FIRST_TIME;
  return metrics.flatMap(({ name, labels, points }) =>
    points.map(([minutesAgo, value]) => sample(name, labels, value, new Date(at - minutesAgo * MINUTE_MS))),
  );
}

const LIE = {
  status: "success",
  data: { resultType: "vector", result: [{ metric: {}, value: [0, "one hundred"] }] },
};
const FAULTS: Readonly<Record<MetricsFault, Answer>> = {
  hangs: "hang",
  refuses: "cut",
  "sends a page": { body: "<html><body>Log in</body></html>", headers: { "content-type": "text/html" } },
  lies: { body: JSON.stringify(LIE) },
};

async function faultyServer(fault: MetricsFault | undefined) {
  return fault === undefined ? undefined : lyingServer({ answer: () => FAULTS[fault] });
}
