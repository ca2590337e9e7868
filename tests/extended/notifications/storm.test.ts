// A storm of 1,000 incidents in a minute, the Worker killed in the middle of it, and a target that is down for ten minutes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { recoverStuckRuns } from "../../../functions/jobs/recover-stuck-runs.ts";
import { deliver, investigate, webhook } from "../../integration/alerts/support.ts";
import { sendJson } from "../../integration/support/api.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../../integration/support/harness.ts";
import { BOT_TOKEN, notificationServer } from "../../integration/support/servers/notification-server.ts";
import { SIGNING_SECRET } from "../../integration/support/servers/slack-server.ts";

const INCIDENTS = 1_000;
const ALERTS_PER_WEBHOOK = 50;
const PER_MINUTE = 5;
const MINUTE_MS = 60_000;
const OUTAGE_MINUTES = 10;
const PARALLEL = 4;
const WORKER = fileURLToPath(new URL("./worker-process.ts", import.meta.url));

const systems = await notificationServer();
afterAll(() => systems[Symbol.asyncDispose]());
const settings = {
  PUBLIC_URL: "https://dejavu.example.com",
  SLACK_API_URL: `${systems.server.url}/api`,
  SLACK_BOT_TOKEN: BOT_TOKEN,
  SLACK_SIGNING_SECRET: SIGNING_SECRET,
  MAX_WAITING_INCIDENTS: String(INCIDENTS),
};
const harness = createHarness(settings);
const { services, clock } = harness;

beforeAll(() => emptyStores(services));

/** Different failures: a name says what failed, and memory takes those that differ only in a number for one. */
const PARTS = [
  "amber basil cedar delta ember fjord grove heron ivory jetty karst lemur maple nylon onyx pearl quartz raven slate topaz".split(
    " ",
  ),
  "anvil bridge cargo drum engine flute gasket hinge inlet jigsaw kettle lantern mirror needle oboe piston quiver rotor saddle tiller".split(
    " ",
  ),
  ["stalled", "leaking", "refused"],
] as const;
const failureOf = (i: number) =>
  [PARTS[0][i % 20], PARTS[1][Math.floor(i / 20) % 20], PARTS[2][Math.floor(i / 400)]].join("-");

const posted = () => systems.slack.filter(({ thread }) => thread === undefined);
const triaged = async () =>
  Number((await sql`select count(*) from public.incidents where status = 'triaged'`)[0]?.count);

it("stores and answers every incident, and announces each once", { timeout: 1_200_000 }, async () => {
  const target = { kind: "slack", options: { channel: "C024BE91L" }, per_minute: PER_MINUTE };
  expect((await sendJson(harness, "PUT", "/v1/notifications/oncall", target)).status).toBe(201);
  const ids: string[] = [];
  for (let first = 0; first < INCIDENTS; first += ALERTS_PER_WEBHOOK) {
    const alerts = Array.from({ length: ALERTS_PER_WEBHOOK }, (_, i) => {
      const failure = failureOf(first + i);
      const annotations = { summary: `The ${failure} is down`, description: `error: ${failure.replaceAll("-", " ")}` };
      return { name: failure, pod: `${failure}-0`, annotations };
    });
    ids.push(...(await deliver(harness, "alertmanager", webhook(alerts))).incidents);
    clock.advance(MINUTE_MS / (INCIDENTS / ALERTS_PER_WEBHOOK));
  }
  expect(ids).toHaveLength(INCIDENTS);

  // Killed while it investigates and sends; the target fails from the same moment on.
  const environment = { ...workerEnv, ...settings };
  const env = { ...process.env, WORK: JSON.stringify({ environment, now: clock.now(), incidents: ids }) };
  const worker = spawn(process.execPath, [WORKER], { env, stdio: ["ignore", "ignore", "inherit"] });
  const hasEnded = once(worker, "exit");
  await expect.poll(triaged, { timeout: 600_000, interval: 200 }).toBeGreaterThan(INCIDENTS / 3);
  systems.misbehave = () => ({ status: 503, body: "" });
  worker.kill("SIGKILL");
  await hasEnded;
  const before = await triaged();
  expect(before).toBeLessThan(INCIDENTS);
  const inFirstMinute = posted().length;
  expect(inFirstMinute).toBeLessThanOrEqual(PER_MINUTE + 1);

  // The queue delivers the other messages again, to another isolate. What the dead one had begun is released by the job.
  const rest = async () => {
    const rows = await sql`select id from public.incidents where status <> 'triaged' order by created_at, id`;
    const waiting = rows.map(({ id }) => String(id));
    const work = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await investigate(services, [id]);
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
  };
  const claimed = await sql`select id from public.incidents where status = 'investigating'`;
  clock.advance(services.config.STUCK_RUN_SECONDS * 1_000 + MINUTE_MS);
  await recoverStuckRuns(services, (work) => void work.catch(() => {}));
  await rest();
  expect(await triaged()).toBe(INCIDENTS);
  const answers =
    await sql`select count(*)::int as all, count(distinct incident_id)::int as incidents from public.triages`;
  expect(answers).toEqual([{ all: INCIDENTS, incidents: INCIDENTS }]);
  expect(posted()).toHaveLength(inFirstMinute);

  for (let minute = 0; minute < OUTAGE_MINUTES; minute++) {
    clock.advance(MINUTE_MS);
    await services.deliverNotifications();
  }
  expect(posted()).toHaveLength(inFirstMinute);
  systems.misbehave = null;
  const isPending = async () =>
    (await sql`select 1 from public.notification_messages where due_at is not null`).length > 0;
  let minutes = 0;
  for (; minutes < 60 && (await isPending()); minutes++) {
    const former = posted().length;
    clock.advance(MINUTE_MS);
    await services.deliverNotifications();
    expect(posted().length - former).toBeLessThanOrEqual(PER_MINUTE + 1);
  }
  expect(await isPending()).toBe(false);

  const texts = posted().map(({ text }) => text);
  const summarised = texts.map((text) => Number(/^\*(\d+) more incidents?\b/.exec(text)?.[1] ?? 0));
  const single = texts.filter((_, i) => summarised[i] === 0);
  const [{ failures } = { failures: 0 }] =
    await sql`select count(distinct coalesce(observation_id, id))::int as failures from public.incidents`;
  expect(single.length + summarised.reduce((sum, total) => sum + total, 0)).toBe(failures);
  expect(new Set(single).size).toBe(single.length);
  expect(await sql`select 1 from public.notification_messages where given_up_at is not null`).toEqual([]);
  console.log(
    `${INCIDENTS} incidents of ${failures} failures: ${before} answered before the kill, ${claimed.length} begun; ${single.length} messages and ${texts.length - single.length} summaries, the last ${minutes} min after the outage.`,
  );
});
