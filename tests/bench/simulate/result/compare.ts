// Compares a small simulated burst with the same one through the real Worker, queues and stores of a local stack.

import { availableParallelism, loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import { SERVICE_NAMES } from "../../../../dev/stack/services/service.ts";
import { startStack } from "../../../../dev/stack/start-stack.ts";
import { createServices } from "../../../../functions/services.ts";
import { scratchFolder } from "../../../support/scratch-folder.ts";
import { randomNumbers } from "../../support/random-numbers.ts";
import type { Burst } from "../burst/burst.ts";
import { createTeams, storeTeams } from "../burst/teams.ts";
import { createWebhooks } from "../burst/webhooks.ts";
import { publishedLimits } from "../figures/limits.ts";
import { type PlatformFigures, simulateBurst } from "../simulate-burst.ts";
import { startServers } from "../stores.ts";
import { readStored, type StoredCounts } from "./outcome.ts";

const HERE = { name: "local", roundTripMs: 0 };
const BURST: Burst = {
  alerts: 800,
  teams: 20,
  tokens: 20,
  rules: 2,
  repeats: 0.2,
  seconds: 20,
  seed: 1,
  regions: [HERE],
  consumerRegion: HERE,
};
const UNLIMITED = 1_000;
/** Pool of the PostgREST of the local stack. */
const LOCAL_POOL = 20;
/** Of the local embedding sidecar: docs/internals/performance.md. */
const LOCAL_EMBEDDING_MS = 15;
const POLL_MS = 200;
const COUNTS = ["alerts", "created", "grouped", "incidents", "answered", "triages", "runs"] as const;

export interface Comparison {
  readonly local: StoredCounts;
  readonly simulated: StoredCounts;
  readonly loadAverage: number;
}

export async function compareWithLocalStack(figures: Omit<PlatformFigures, "limits">): Promise<Comparison> {
  const local = await runLocally();
  const loadAverage = loadavg()[0] ?? 0;
  const limits = {
    ...publishedLimits(),
    postgrestPool: LOCAL_POOL,
    postgresCores: availableParallelism(),
    chromaReads: UNLIMITED,
    chromaWrites: UNLIMITED,
    embeddingMs: LOCAL_EMBEDDING_MS,
    isolatesPerRegion: 1,
  };
  await using servers = await startServers();
  const { outcome } = await servers.withStores((stores) => simulateBurst(BURST, { ...figures, limits }, { stores }));
  return { local, simulated: outcome.stored, loadAverage };
}

async function runLocally(): Promise<StoredCounts> {
  const stack = await startStack({
    dir: await scratchFolder("simulate"),
    ephemeral: true,
    services: SERVICE_NAMES.filter((name) => name !== "collector"),
  });
  const sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
  try {
    const random = randomNumbers(BURST.seed);
    const teams = createTeams({ teams: BURST.teams, regions: 1, tokens: BURST.tokens, random });
    await storeTeams(createServices({ ...stack.workerEnv }, { log: () => {} }), stack.info.urls.postgres, teams);
    const startedAt = new Date();
    const webhooks = createWebhooks({ ...BURST, teams, startedAt, random });
    await Promise.all(
      webhooks.map(async ({ team, sentAt, body }) => {
        await pause(sentAt);
        const headers = { authorization: `Bearer ${team.token}`, "content-type": "application/json" };
        const init = { method: "POST", headers, body: JSON.stringify(body) };
        const response = await fetch(`${stack.info.urls.worker}/v1/alerts/alertmanager`, init);
        if (response.status !== 202) throw new Error(`A webhook was answered with ${response.status}.`);
        await response.body?.cancel();
      }),
    );
    for (;;) {
      const stored = await readStored(sql, startedAt);
      if (stored.answered === stored.incidents && stored.pendingWrites === 0) return stored;
      await pause(POLL_MS);
    }
  } finally {
    await sql.end();
    await stack.stop();
  }
}

export function describeComparison({ local, simulated, loadAverage }: Comparison): string {
  const row = (label: string, a: number, b: number, digits: number) =>
    `  ${label.padEnd(32)}${a.toFixed(digits).padStart(10)}${b.toFixed(digits).padStart(11)}${(b / a).toFixed(2).padStart(8)}`;
  return [
    `  ${"".padEnd(32)}${"local".padStart(10)}${"simulated".padStart(11)}${"ratio".padStart(8)}`,
    ...COUNTS.map((name) => row(name, local[name], simulated[name], 0)),
    row("last alert stored after, s", local.lastAlertAfter, simulated.lastAlertAfter, 1),
    row("incident to answer, median, s", local.answerDelay.median, simulated.answerDelay.median, 1),
    row("incident to answer, p95, s", local.answerDelay.p95, simulated.answerDelay.p95, 1),
    row("last answer after, s", local.answeredAfter.last, simulated.answeredAfter.last, 1),
    "",
    `Load average of this machine: ${loadAverage.toFixed(1)} on ${availableParallelism()} cores. The local times are those of a machine that is as busy as this one.`,
  ].join("\n");
}

/** What must be the same in both, as sentences about what is not. */
export function differencesOf({ local, simulated }: Comparison): string[] {
  return COUNTS.filter((name) => local[name] !== simulated[name]).map(
    (name) => `${name}: ${local[name]} through the local Worker, ${simulated[name]} simulated.`,
  );
}
