// One burst on the simulated platform, from the first webhook until every incident has its answer and the index is
// complete.

import { createHash } from "node:crypto";
import postgres from "postgres";
import { z } from "zod";
import { COLLECTIONS } from "../../../functions/search-index/collections.ts";
import type { Log } from "../../../functions/telemetry/log.ts";
import { randomNumbers } from "../support/random-numbers.ts";
import type { Burst } from "./burst/burst.ts";
import { type DeliveryCounts, startSenders } from "./burst/senders.ts";
import { createTeams, storeTeams } from "./burst/teams.ts";
import { createWebhooks, type Webhook } from "./burst/webhooks.ts";
import type { Costs } from "./figures/costs.ts";
import { createFigures } from "./figures/figures.ts";
import type { LimitValues } from "./figures/limits.ts";
import type { WranglerSettings } from "./figures/wrangler-settings.ts";
import { createPlatform, type Platform } from "./platform/platform.ts";
import { createUseRecorder } from "./platform/resources.ts";
import { createTraceRecorder, type RecordedCall } from "./platform/traces.ts";
import { createVirtualClock, type VirtualClock } from "./platform/virtual-clock.ts";
import { type Outcome, readOutcome } from "./result/outcome.ts";
import { createServicesForSetup, type Stores } from "./stores.ts";

export interface PlatformFigures {
  readonly settings: WranglerSettings;
  readonly limits: LimitValues;
  readonly costs: Costs;
}

export interface Progress {
  readonly virtualMs: number;
  readonly webhooksOpen: number;
  readonly webhooks: number;
  readonly backlog: number;
}

/** Virtual time starts here. */
const STARTED_AT = new Date("2026-03-01T03:00:00Z");
const WATCH_MS = 1_000;
const MAX_VIRTUAL_MS = 24 * 3_600_000;

/** A run that can be replayed. */
export interface Recording {
  readonly outcome: Outcome;
  readonly webhookList: readonly Webhook[];
  readonly webhooks: ReadonlyMap<Webhook, RecordedWebhook>;
  /** The calls of each investigation, in the order in which they began. */
  readonly investigations: readonly (readonly RecordedCall[])[];
  readonly collections: readonly string[];
  /** The randomness of the senders, from its start. */
  readonly random: () => () => number;
}

export interface RecordedWebhook {
  readonly calls: readonly RecordedCall[];
  /** The body of its answer. */
  readonly receipt: z.infer<typeof receiptSchema>;
  readonly created: number;
  readonly grouped: number;
}

const receiptSchema = z.object({
  alerts: z.array(z.object({ decision: z.string() })),
  incidents: z.array(z.string()),
  persisted: z.unknown().optional(),
});

/** The teams and their webhooks, the same for the same burst. */
export function planBurst(burst: Burst) {
  const random = randomNumbers(burst.seed);
  const teams = createTeams({ teams: burst.teams, regions: burst.regions.length, tokens: burst.tokens, random });
  const webhookList = createWebhooks({ ...burst, teams, startedAt: STARTED_AT, random });
  return { teams, webhookList, senderRandom: () => randomNumbers(burst.seed + 1) };
}

/** @throws Error when the burst does not end within a virtual day, or when the product has a bug */
export async function simulateBurst(
  burst: Burst,
  { settings, limits, costs }: PlatformFigures,
  { stores, onProgress }: { readonly stores: Stores; readonly onProgress?: (progress: Progress) => void },
): Promise<Recording> {
  const { teams, webhookList, senderRandom } = planBurst(burst);
  const newId = createIds(burst.seed);
  await storeTeams(createServicesForSetup(stores, newId), stores.postgresUrl, teams);
  const clock = createVirtualClock();
  const recorder = createUseRecorder();
  const recorded = createTraceRecorder();
  const figures = createFigures(limits, costs, burst.seed);
  const errors: string[] = [];
  const log: Log = (level, event) => {
    if (level === "error") errors.push(event);
    if (event === "alerts.postponed") recorder.refused("waiting_incidents_of_a_token", clock.now());
  };
  const common = { burst, recorder, limits, settings, startedAt: STARTED_AT };
  const platform = createPlatform({ ...burst, ...common, clock, traces: recorded, figures, stores, newId, log });
  const sql = postgres(stores.postgresUrl, { max: 1, onnotice: () => {} });
  const receipts: Receipts = new Map();
  try {
    const send = createSend(platform, receipts);
    const senders = startSenders(webhookList, { clock, random: senderRandom(), send });
    await untilAnswered({ clock, platform, senders, sql, onProgress, webhooks: webhookList.length });
    const outcome = await readOutcome({ ...common, sql, senders, platform, errors });
    const { traces } = recorded;
    const answered = ([webhook, { key, receipt }]: [Webhook, Receipt]) =>
      [webhook, recordedWebhook(receipt, traces.get(key))] as const;
    return {
      outcome,
      webhookList,
      webhooks: new Map([...receipts].map(answered)),
      investigations: [...traces.values()].filter((trace) => trace.some(({ name }) => name === "finish_run")),
      collections: COLLECTIONS,
      random: senderRandom,
    };
  } finally {
    platform.close();
    await sql.end();
  }
}

interface Receipt {
  /** Of the trace of the accepted request. */
  readonly key: string;
  readonly receipt: RecordedWebhook["receipt"];
}
type Receipts = Map<Webhook, Receipt>;

/** Sends webhooks to the Worker, and keeps the answers of those that are accepted. */
function createSend(platform: Platform, receipts: Receipts): (webhook: Webhook) => Promise<Response> {
  let requests = 0;
  return async (webhook) => {
    const key = `webhook ${requests++}`;
    const response = await send(platform, webhook, key);
    if (response.status === 202)
      receipts.set(webhook, { key, receipt: receiptSchema.parse(await response.clone().json()) });
    return response;
  };
}

function recordedWebhook(receipt: RecordedWebhook["receipt"], calls: readonly RecordedCall[] = []): RecordedWebhook {
  const count = (decision: string) => receipt.alerts.filter((alert) => alert.decision === decision).length;
  return { calls, receipt, created: receipt.incidents.length, grouped: count("grouped") };
}

function send(platform: Platform, { team, alerts, body }: Webhook, traceKey: string): Promise<Response> {
  const request = new Request("https://dejavu.simulated/v1/alerts/alertmanager", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return platform.isolateFor(team.region).fetch(request, { alerts, token: team.token, traceKey });
}

interface Watch {
  readonly clock: VirtualClock;
  readonly platform: Platform;
  readonly senders: DeliveryCounts;
  readonly sql: postgres.Sql;
  readonly webhooks: number;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

async function untilAnswered({ clock, platform, senders, sql, webhooks, onProgress }: Watch): Promise<void> {
  let isDone = false;
  const watch = async (): Promise<void> => {
    const backlog = [...platform.queues.values()].reduce((sum, { open }) => sum + open, 0);
    onProgress?.({ virtualMs: clock.now(), webhooksOpen: senders.open, webhooks, backlog });
    if (senders.open === 0 && backlog === 0) {
      const [row] = await sql<{ open: boolean }[]>`select
        exists (select 1 from public.incidents where status in ('queued', 'investigating'))
        or exists (select 1 from public.outbox where done_at is null) as open`;
      isDone = row?.open === false;
    }
    clock.after(WATCH_MS, watch);
  };
  clock.after(WATCH_MS, watch);
  await clock.run(() => isDone, MAX_VIRTUAL_MS);
}

/** UUIDs that are the same for the same seed. */
function createIds(seed: number): () => string {
  let count = 0;
  return () => {
    const hex = createHash("sha256").update(`${seed} ${count++}`).digest("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}
