// `npm run bench -- notifications [file.png]`: an alert's life in Slack as a picture, the time to its message, and that to an answer
// with and without a target. An alert, its repeat, a mute and a resolution, from a real Alertmanager to a stand-in of Slack. The clock
// is the tool's. The picture needs Chromium and Alertmanager: apt-get install chromium-headless-shell prometheus-alertmanager.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { createApp } from "../../functions/app.ts";
import { consume, QUEUES } from "../../functions/jobs/queues.ts";
import { createServices } from "../../functions/services.ts";
import { startAlertmanager } from "../../tests/integration/alerts/real-alertmanager.ts";
import { createExecutionContext } from "../../tests/integration/support/execution-context.ts";
import { listen, servedRequestsSettled } from "../../tests/integration/support/servers/listen.ts";
import { BOT_TOKEN, notificationServer } from "../../tests/integration/support/servers/notification-server.ts";
import { SIGNING_SECRET } from "../../tests/integration/support/servers/slack-server.ts";
import { launchChromium } from "../../tests/support/chromium.ts";
import { findProgram } from "../../tests/support/debian.ts";
import { createTimings } from "../support/timings.ts";
import { type ShownMessage, slackPage } from "./slack-page.ts";

const MINUTE_MS = 60_000;
const ROUNDS = 40;
const WARM_UP = 5;
const listSchema = z.object({
  incidents: z.array(z.object({ id: z.string(), alerts: z.object({ total: z.number() }) })),
});
const triagedSchema = z.object({ incident_id: z.string() });
const picture = resolve(process.argv[2] ?? "slack.png");

const stack = await startStack({ dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")), ephemeral: true });
await using systems = await notificationServer();
let now = new Date("2026-03-01T03:00:00Z");
const queue: string[] = [];
const environment = {
  ...stack.workerEnv,
  PUBLIC_URL: "https://dejavu.example.com",
  SLACK_API_URL: `${systems.server.url}/api`,
  SLACK_BOT_TOKEN: BOT_TOKEN,
  SLACK_SIGNING_SECRET: SIGNING_SECRET,
  TRIAGE_QUEUE: {
    send: async () => {},
    sendBatch: async (messages: readonly { readonly body: { readonly incident_id: string } }[]) =>
      void queue.push(...messages.map(({ body }) => body.incident_id)),
  },
};
const services = createServices(environment, { now: () => new Date(now), log: () => {} });
const app = createApp(services);

/** The answer, and the end of what follows it. */
async function send(method: string, path: string, body?: unknown) {
  const context = createExecutionContext();
  const headers = { authorization: `Bearer ${services.config.DEJAVU_TOKEN}`, "content-type": "application/json" };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await app.fetch(new Request(`http://dejavu.local${path}`, init), {}, context);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  return { answer: text === "" ? null : JSON.parse(text), settled: () => context.settled() };
}

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const { answer, settled } = await send(method, path, body);
  await settled();
  return answer;
}

/** Consumes the queue, and waits for the messages. */
async function work(): Promise<void> {
  const context = createExecutionContext();
  const messages = queue.splice(0).map((incident_id) => ({ body: { incident_id }, attempts: 1, ack() {}, retry() {} }));
  await consume(services, { queue: QUEUES.triages, messages }, (task) => context.waitUntil(task));
  await context.settled();
}

/** When each message was posted, by its timestamp. */
const times = new Map<string, string>();
async function pass(minutes: number): Promise<void> {
  now = new Date(now.getTime() + minutes * MINUTE_MS);
  await services.deliverNotifications();
  stamp();
}
function stamp(): void {
  for (const { ts } of systems.slack) if (!times.has(ts)) times.set(ts, now.toISOString().slice(11, 16));
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error("Nothing came within a minute.");
    await setTimeout(50);
  }
}

function shown(): ShownMessage[] {
  const render = ({ ts, blocks, edits }: (typeof systems.slack)[number]): ShownMessage => ({
    time: times.get(ts) ?? "",
    isEdited: edits > 0,
    blocks,
    replies: systems.slack.filter(({ thread }) => thread === ts).map(render),
  });
  return systems.slack.filter(({ thread }) => thread === undefined).map(render);
}

const pod = (name: string, more: object = {}) => ({
  labels: {
    alertname: "KubePodCrashLooping",
    severity: "critical",
    namespace: "shop",
    pod: name,
    container: "checkout",
  },
  annotations: {
    summary: "Pod is crash looping",
    description: "Last State: Terminated, Reason: OOMKilled, Exit Code: 137",
  },
  startsAt: now.toISOString(),
  ...more,
});
const disk = (more: object = {}) => ({
  labels: { alertname: "NodeDiskFull", severity: "warning", cluster: "prod", instance: "db-1", job: "node" },
  annotations: { summary: "The disk of db-1 is full", description: "write failed: No space left on device" },
  startsAt: now.toISOString(),
  ...more,
});

async function takePicture(): Promise<void> {
  const program = await findProgram("alertmanager");
  if (program === null) throw new Error("Alertmanager is missing: apt-get install prometheus-alertmanager.");
  await using server = await listen(services);
  const webhook = { url: `${server.url}/v1/alerts/alertmanager`, token: services.config.DEJAVU_TOKEN ?? "" };
  await using alertmanager = await startAlertmanager(program, webhook);
  // What was learned a week ago.
  const { incident_id } = triagedSchema.parse(
    await call("POST", "/v1/triage", {
      title: "Pod is crash looping",
      target: "checkout",
      labels: { alertname: "KubePodCrashLooping", namespace: "shop" },
      logs: "Last State: Terminated, Reason: OOMKilled, Exit Code: 137",
    }),
  );
  await call("POST", `/v1/incidents/${incident_id}/resolve`, {
    resolution: "Raised the memory limit of checkout to 1 GiB",
    resolved_by: "dana",
    worked: true,
  });
  await pass(7 * 24 * 60);
  await call("PUT", "/v1/notifications/oncall", { kind: "slack", options: { channel: "C024BE91L" } });
  await call("POST", "/v1/changes", {
    service: "checkout",
    kind: "deployment",
    title: "checkout 4.2",
    version: "4.2",
    at: new Date(now.getTime() - 12 * MINUTE_MS).toISOString(),
  });

  const stages: { readonly channel: string; readonly messages: readonly ShownMessage[] }[] = [];
  const keep = (channel: string) => stages.push({ channel, messages: shown() });
  // An alert, and its repeat on a second pod.
  await alertmanager.push([pod("checkout-7c9f8d6b5-k9d2m")]);
  await until(() => queue.length > 0);
  await work();
  stamp();
  keep("on-call, the answer");
  await pass(4);
  await alertmanager.push([pod("checkout-7c9f8d6b5-x2v8q")]);
  await until(async () => (await newest()).alerts.total > 1);
  await servedRequestsSettled();
  stamp();
  await pass(2);
  keep("on-call, after a repeat");
  // Somebody has it, and records the fix.
  const { id } = await newest();
  await call("PATCH", `/v1/incidents/${id}`, { acknowledged: true, by: "dana" });
  await pass(20);
  await call("POST", `/v1/incidents/${id}/resolve`, {
    resolution: "Raised the memory limit to 2 GiB: the cache grew",
    resolved_by: "dana",
  });
  await pass(5);
  // What is expected is counted in the next message.
  await call("POST", "/v1/mutes", {
    matchers: ['alertname="KubeNodeNotReady"'],
    reason: "nodes are replaced one by one",
    owner: "kim",
    ends_at: new Date(now.getTime() + 180 * MINUTE_MS).toISOString(),
  });
  await alertmanager.push([
    {
      labels: { alertname: "KubeNodeNotReady", severity: "warning", node: "node-3" },
      annotations: { summary: "Node is not ready", description: "Kubelet stopped posting node status" },
      startsAt: now.toISOString(),
    },
  ]);
  await until(() => queue.length > 0);
  await work();
  await pass(3);
  await alertmanager.push([disk()]);
  await until(() => queue.length > 0);
  await work();
  stamp();
  const { id: full } = await newest();
  await pass(3);
  await call("POST", "/v1/mutes", {
    incident_id: full,
    reason: "the nightly import; it frees the disk at 06:00",
    owner: "kim",
    ends_at: new Date(now.getTime() + 150 * MINUTE_MS).toISOString(),
  });
  await pass(3);

  await using browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
  keep("on-call, after the resolution and a mute");
  await page.setContent(stages.map(({ channel, messages }) => slackPage(channel, messages)).join(""));
  await page.screenshot({ path: picture, fullPage: true });
  console.log(`Wrote ${picture}`);
}

async function newest(): Promise<{ readonly id: string; readonly alerts: { readonly total: number } }> {
  const { incidents } = listSchema.parse(await call("GET", "/v1/incidents?limit=1"));
  const [incident] = incidents;
  if (incident === undefined) throw new Error("There is no incident.");
  return incident;
}

/** The time from the request of the sender to the message in the channel. */
async function measure(): Promise<void> {
  const timings = createTimings();
  // The mutes have ended then.
  await pass(24 * 60);
  await call("PUT", "/v1/notifications/oncall", {
    kind: "slack",
    options: { channel: "C024BE91L" },
    per_minute: 60,
    window_minutes: 1,
  });
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (round === WARM_UP) timings.reset();
    now = new Date(now.getTime() + 10 * MINUTE_MS);
    const alerts = [
      disk({
        fingerprint: `f${round}`,
        labels: {
          ...disk().labels,
          alertname: `NodeDisk${"abcdefghij"[round % 10]}${"klmnopqrst"[Math.floor(round / 10)]}`,
          cluster: `c${round}`,
        },
      }),
    ];
    const before = systems.slack.length;
    const started = performance.now();
    await call("POST", "/v1/alerts/alertmanager", { version: "4", groupKey: "{}", status: "firing", alerts });
    await work();
    timings.add("alert to message", performance.now() - started);
    if (systems.slack.length === before) throw new Error("An alert led to no message.");
  }
  console.log(`Alert to message, p50 of ${ROUNDS}: ${Math.round(timings.p50("alert to message"))} ms.`);
}

/** The time to an answer without a target, with one, and with one that never answers, in turn. */
async function measureAnswers(): Promise<void> {
  const timings = createTimings();
  await call("DELETE", "/v1/notifications/oncall");
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (round === WARM_UP) timings.reset();
    for (const name of ["without a target", "with a target", "with a target that hangs"]) {
      now = new Date(now.getTime() + 10 * MINUTE_MS);
      systems.misbehave = name.endsWith("hangs") ? () => "hang" : null;
      // A target that failed is paused, so each round has its own.
      const path = name.startsWith("without") ? null : `/v1/notifications/round-${name.endsWith("hangs")}-${round}`;
      if (path !== null) await call("PUT", path, { kind: "slack", options: { channel: "C024BE91L" } });
      const { requests } = systems.server;
      const before = requests.length;
      const started = performance.now();
      const { settled } = await send("POST", "/v1/triage", {
        title: `The disk of db-${round} is full`,
        logs: "write failed: No space left on device",
      });
      timings.add(name, performance.now() - started);
      if (name.endsWith("hangs")) await until(() => requests.length > before);
      else await settled();
      if (path !== null) await call("DELETE", path);
    }
  }
  timings.print();
}

try {
  await seedRunbooks({ env: stack.workerEnv });
  await takePicture();
  await measure();
  await measureAnswers();
} finally {
  await stack.stop();
}
