// `npm run bench -- stopwatch`: how long a person takes in the console to triage, group and close 300 incidents of 15 services.
// Chromium is driven as a person would at 1440 px: it reads, clicks and types, and calls no API. Alerts come through the
// webhook before. `--pictures <folder>` keeps a picture of each step.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chromium, type Locator } from "playwright-core";
import { z } from "zod";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { findProgram } from "../../tests/support/debian.ts";
import { CONSOLE_COOKIE, signInCookie } from "./sign-in-cookie.ts";

/** A quick reader, who has used the console before. */
const READ_HEAD_MS = 1_500;
const READ_ANSWER_MS = 4_000;
const AIM_MS = 600;
const KEY_MS = 50;

const SERVICES = [
  ...["checkout", "search", "orders", "billing", "cart", "catalog", "auth", "email"],
  ...["reports", "shipping", "prices", "reviews", "media", "stock", "loyalty"],
];
const FAILURES: readonly (readonly [alertname: string, summary: string, fix?: string])[] = [
  ["KubePodCrashLooping", "Pod of {} is in CrashLoopBackOff, restarted 7 times", "Rolled the last release back"],
  ["KubeContainerOOMKilled", "Container of {} was OOMKilled, exit code 137", "Raised the memory limit to 1 GiB"],
  ["PostgresTooManyConnections", "{}: FATAL: sorry, too many clients already", "Put PgBouncer in transaction mode"],
  ["HostOutOfDiskSpace", "No space left on device on the host of {}", "Deleted the old core dumps"],
  ["PostgresDeadlocks", "deadlock detected while {} updates rows"],
  ["KubePodImagePullBackOff", "ImagePullBackOff: {} cannot pull its image, 401 Unauthorized"],
  ["RedisOutOfMemory", "{}: OOM command not allowed when used memory > 'maxmemory'"],
  ["KafkaConsumerLag", "The consumer group of {} is 120000 records behind"],
  ["RabbitMQQueueGrows", "The queue of {} grows, no consumer takes messages"],
  ["CertificateExpiresSoon", "The TLS certificate of {} expires in 3 days"],
  ["NginxUpstreamTimeout", "{}: upstream timed out (110: Connection timed out) while reading response header"],
  ["MySQLReplicationLag", "The replica of {} is 900 seconds behind its source"],
  ["ElasticsearchClusterRed", "Cluster health of {} is red, 3 primary shards are unassigned"],
  ["KubeJobFailed", "The job of {} failed: BackoffLimitExceeded"],
  ["KubePersistentVolumeFillingUp", "The volume of {} is 97 % full"],
  ["JvmHeapFull", "{}: java.lang.OutOfMemoryError: Java heap space"],
  ["DnsLookupFails", "{}: getaddrinfo EAI_AGAIN db.internal"],
  ["PodUnschedulable", "0/6 nodes are available for {}: 6 Insufficient cpu"],
  ["WarpCoreMisaligned", "The warp core of {} is misaligned by 4 degrees"],
  ["TeapotRefusesCoffee", "The teapot of {} answers 418 to each request"],
];
const MUTED = "WarpCoreMisaligned";
/** Alerts that begin at one time may have one cause, and answers say so. */
const GAP_MINUTES = 25;

const { values } = parseArgs({ options: { pictures: { type: "string" } } });
const executablePath = await findProgram("chromium");
if (executablePath === null) throw new Error("Chromium is needed.");
const dir = await mkdtemp(join(tmpdir(), "dejavu-stopwatch-"));
const stack = await startStack({ dir, ephemeral: true, requestsPerMinute: 1_000_000, restart: false });
const { urls, token } = stack.info;
try {
  await seedRunbooks({ env: stack.workerEnv });
  for (const [alertname, , fix] of FAILURES) if (fix !== undefined) await fixBefore(alertname, fix);
  for (const [i, failure] of FAILURES.entries()) await send(failure, 15 + i * GAP_MINUTES);
  await waitUntil("triaged", FAILURES.length * SERVICES.length);
  await printGroups();
  await work(executablePath);
} finally {
  await stack.stop();
  await rm(dir, { recursive: true, force: true });
}

async function work(executablePath: string): Promise<void> {
  // Chromium's sandbox does not work for root.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const cookie = { name: CONSOLE_COOKIE, value: await signInCookie(urls.worker, token), url: urls.worker };
  await context.addCookies([{ ...cookie, httpOnly: true, sameSite: "Strict" }]);
  const page = await context.newPage();
  let pictures = 0;
  const picture = async (name: string) => {
    if (values.pictures === undefined) return;
    await mkdir(values.pictures, { recursive: true });
    await page.screenshot({ path: join(values.pictures, `${String(pictures++).padStart(3, "0")}-${name}.png`) });
  };
  const press = async (target: Locator) => {
    await setTimeout(AIM_MS);
    await target.click();
  };
  const button = (name: RegExp) => page.getByRole("button", { name });
  const heads = page.locator(".incidents-group-head");
  await page.goto(`${urls.worker}/console`);
  await page.locator(".incidents-row").first().waitFor();
  const start = performance.now();
  const seconds = () => ((performance.now() - start) / 1_000).toFixed(1);
  await setTimeout(READ_HEAD_MS);
  console.log(`${seconds()} s: ${await page.locator(".incidents-bar .note").textContent()}`);
  await picture("list");
  await press(page.getByRole("link", { name: "Group by failure" }));
  await heads.first().waitFor();
  await page.waitForLoadState("networkidle");
  await picture("groups");
  console.log(`${seconds()} s: ${await heads.count()} groups`);
  const left = page.locator(".incidents-group:not(:has(.incidents-muted))");
  for (let group = 0; (await left.count()) > 0 && group < 60; group++) {
    const head = left.first().locator(".incidents-group-head");
    await setTimeout(READ_HEAD_MS);
    const text = ((await head.count()) > 0 ? await head.textContent() : null) ?? "one incident";
    const isKnown = text.includes("fixed before");
    const check = left.first().locator(".incidents-check").first();
    if ((await left.first().locator(".incidents-row").count()) === 0) await press(head.getByRole("button"));
    // The answer to one of them says what it is.
    if (!isKnown) {
      await press(left.first().locator(".incidents-title").first());
      await page.locator(".record-bar").waitFor();
      await setTimeout(READ_ANSWER_MS);
      await picture("answer");
      await page.goBack();
      await left.first().locator(".incidents-check").first().waitFor();
    }
    await press(check);
    const isMuted = text.includes("warp core") || text.includes(MUTED);
    await press(isMuted ? button(/^Mute/) : button(/^Resolve/));
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await picture("dialog");
    const before = dialog.getByRole("radio").first();
    if (isMuted) await typeInto(dialog.getByLabel("Why is it expected?"), "A drill of the holodeck");
    else if ((await before.count()) > 0) await press(before);
    else await typeInto(dialog.getByLabel("What fixed it?"), "Restarted the service with its former settings");
    const pressedAt = performance.now();
    await press(dialog.getByRole("button", { name: isMuted ? "Mute" : "Resolve" }));
    await dialog.waitFor({ state: "detached", timeout: 120_000 });
    const waited = ((performance.now() - pressedAt) / 1_000).toFixed(1);
    console.log(`${seconds()} s: ${text}${isMuted ? ", muted" : ""} (waited ${waited} s)`);
    await picture("done");
  }
  console.log(`${seconds()} s: ${(await page.locator("main").textContent())?.slice(-200)}`);
  await picture("end");
  await browser.close();

  async function typeInto(field: Locator, text: string): Promise<void> {
    await setTimeout(AIM_MS);
    await field.click();
    await field.pressSequentially(text, { delay: KEY_MS });
  }
}

/** A failure of last week, on one service, with its fix. */
async function fixBefore(alertname: string, resolution: string): Promise<void> {
  const failure = FAILURES.find(([name]) => name === alertname);
  if (failure === undefined) return;
  const title = failure[1].replace("{}", "gateway");
  const { incident_id } = z
    .object({ incident_id: z.string() })
    .parse(await request("/v1/triage", { title, target: "gateway", labels: { alertname } }));
  await request(`/v1/incidents/${incident_id}/resolve`, { resolution, resolved_by: "dana", worked: true });
}

/** One delivery of alerts, as Alertmanager groups them. */
async function send([alertname, summary]: (typeof FAILURES)[number], minutesAgo: number): Promise<void> {
  const startsAt = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const alerts = SERVICES.map((service, i) => ({
    status: "firing",
    labels: { alertname, service, namespace: service, severity: i % 4 === 0 ? "critical" : "warning", cluster: "eu-1" },
    annotations: { summary: summary.replace("{}", service) },
    startsAt,
    endsAt: "0001-01-01T00:00:00Z",
    fingerprint: `${alertname}-${service}`,
    generatorURL: "http://metrics.example:9090/graph?g0.expr=up",
  }));
  await request("/v1/alerts/alertmanager", {
    version: "4",
    groupKey: `{}:{alertname="${alertname}"}`,
    status: "firing",
    receiver: "dejavu",
    groupLabels: { alertname },
    commonLabels: { alertname },
    commonAnnotations: {},
    externalURL: "http://alerts.example",
    alerts,
  });
}

async function waitUntil(status: string, least: number): Promise<void> {
  const schema = z.object({ counts: z.object({ total: z.number() }).nullable() });
  for (let i = 0; i < 600; i++) {
    const { counts } = schema.parse(await request(`/v1/incidents?status=${status}&counts=true&limit=1`));
    if (i % 10 === 0) console.log(`${counts?.total ?? 0} of ${least} answered`);
    if ((counts?.total ?? 0) >= least) return;
    await setTimeout(1_000);
  }
  throw new Error(`There are fewer than ${least} incidents.`);
}

/** What the list puts together, by the names of the alerts. */
async function printGroups(): Promise<void> {
  const incident = z.object({ failure_id: z.string(), failure: z.string(), labels: z.record(z.string(), z.string()) });
  const schema = z.object({ incidents: z.array(incident), next_cursor: z.string().nullable() });
  const incidents: z.infer<typeof incident>[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: z.infer<typeof schema> = schema.parse(
      await request(`/v1/incidents?status=open&limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`),
    );
    incidents.push(...page.incidents);
    cursor = page.next_cursor;
  }
  for (const group of Map.groupBy(incidents, ({ failure_id }) => failure_id).values()) {
    const names = [...Map.groupBy(group, ({ labels }) => labels.alertname ?? "")];
    console.log(`${group[0]?.failure}: ${names.map(([name, members]) => `${name} ${members.length}`).join(", ")}`);
  }
}

async function request(path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(new URL(path, urls.worker), { ...init, headers });
  if (!response.ok) throw new Error(`${path} ended with status ${response.status}: ${await response.text()}`);
  return response.json();
}
