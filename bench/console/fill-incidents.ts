// Incidents for the list of the console: a page full of them, in all states.

import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { Stack } from "../../dev/stack/stack.ts";
import type { StackInfo } from "../../dev/stack/stack-info.ts";

const TITLES = [
  "PostgreSQL FATAL: sorry, too many clients already",
  "api-gateway docker container exited with code 137",
  "Pod stuck in CrashLoopBackOff",
  "deadlock detected while updating orders",
  "No space left on device",
] as const;
const COUNT = 40;

/** Triages incidents and resolves each fourth. */
export async function fillIncidents({ info }: Pick<Stack, "info">): Promise<void> {
  for (let i = 0; i < COUNT; i++) {
    const title = TITLES[i % TITLES.length] ?? "";
    const severity = i % 3 === 0 ? "critical" : "medium";
    const id = await triage(info, { title, target: `service-${i}`, severity });
    if (i % 4 === 0) await post(info, `/v1/incidents/${id}/resolve`, { resolution: `Rolled release ${i} back` });
  }
}

/** What each view of the console has to show: a fix that returns, alerts, each outcome, a page full of incidents. */
export async function fillConsole({ info }: Pick<Stack, "info">): Promise<void> {
  const { incidents } = await listed.parseAsync(await get(info, "/v1/incidents?limit=1"));
  if (incidents.length > 0) return;
  await fillIncidents({ info });
  const killed = {
    title: "api-gateway docker container exited with code 137",
    severity: "critical",
    labels: { domain: "docker" },
    logs: "03:00:00 INFO retry\n03:00:01 FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n03:00:02 exiting",
  };
  const first = await triage(info, { ...killed, target: "cart" });
  await post(info, `/v1/incidents/${first}/resolve`, {
    resolution: "Raised the memory limit to 1 GiB: `docker update --memory 1g cart`",
    resolved_by: "dana",
    did_not_help: ["Restarted the container."],
    worked: true,
  });
  const slots = await triage(info, { title: "FATAL: sorry, too many clients already", target: "billing" });
  await post(info, `/v1/incidents/${slots}/resolve`, {
    resolution: "Put PgBouncer in transaction mode before the database",
    resolved_by: "eli",
  });
  const now = Date.now();
  const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  for (const service of ["orders", "api-gateway"])
    await post(info, "/v1/changes", {
      service,
      kind: "release",
      title: `${service} 3.8.0`,
      version: "3.8.0",
      by: "sam",
      at: minutesAgo(14),
    });
  await triage(info, { ...killed, target: "api-gateway" });
  await triage(info, {
    title: "orders is down",
    target: "orders",
    severity: "high",
    logs: "psycopg2: FATAL: sorry, too many clients already",
  });
  await triage(info, { title: "The flux capacitor hums", target: "time-machine", severity: "low" });
  const backup = await triage(info, { title: "The nightly backup runs late", target: "backup", severity: "low" });
  const DAY_MS = 86_400_000;
  const mute = { reason: "planned migration", owner: "dana", ends_at: new Date(Date.now() + DAY_MS).toISOString() };
  await post(info, "/v1/mutes", { ...mute, incident_id: backup });
  await post(info, "/v1/mutes", { ...mute, matchers: ['alertname="NodeDrained"', 'cluster="eu-2"'] });
  await triage(info, { title: "Watchdog", labels: { alertname: "Watchdog" }, severity: "info" });
  const alert = (service: string, start: number) => ({
    status: "firing",
    labels: { alertname: "PostgresTooManyConnections", service, severity: "critical", cluster: "eu-1" },
    annotations: { summary: `PostgreSQL of ${service} is almost out of connections` },
    startsAt: minutesAgo(start),
    endsAt: "0001-01-01T00:00:00Z",
    fingerprint: `a${service}`,
    generatorURL: "http://metrics.example:9090/graph?g0.expr=pg_connections+%3E+0.9",
  });
  await post(info, "/v1/alerts/alertmanager", {
    version: "4",
    groupKey: '{}:{alertname="PostgresTooManyConnections"}',
    status: "firing",
    receiver: "dejavu",
    groupLabels: { alertname: "PostgresTooManyConnections" },
    commonLabels: {},
    commonAnnotations: {},
    externalURL: "http://alerts.example",
    alerts: [alert("checkout", 35), alert("search", 20)],
  });
  await waitUntilInvestigated(info);
}

/** @throws Error when the queue has not investigated every incident within a minute */
async function waitUntilInvestigated(info: StackInfo): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (const status of ["queued", "investigating"])
    for (;;) {
      const { incidents } = listed.parse(await get(info, `/v1/incidents?status=${status}&limit=1`));
      if (incidents.length === 0) break;
      if (Date.now() > deadline) throw new Error(`An incident is still ${status} after a minute.`);
      await setTimeout(500);
    }
}

const listed = z.object({ incidents: z.array(z.unknown()) });
const triaged = z.object({ incident_id: z.string() });

async function triage(info: StackInfo, report: object): Promise<string> {
  return triaged.parse(await post(info, "/v1/triage", report)).incident_id;
}

function get(info: StackInfo, path: string): Promise<unknown> {
  return request(info, path, {});
}

function post(info: StackInfo, path: string, body: object): Promise<unknown> {
  return request(info, path, { method: "POST", body: JSON.stringify(body) });
}

async function request({ urls, token }: StackInfo, path: string, init: RequestInit): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(new URL(path, urls.worker), { ...init, headers });
  if (!response.ok) throw new Error(`${path} ended with status ${response.status}: ${await response.text()}`);
  return response.json();
}
