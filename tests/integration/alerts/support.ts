// Shared by the tests of alert webhooks: recorded request bodies, sending them, and investigating the incidents they create.

import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { z } from "zod";
import type { AlertSource } from "../../../functions/incidents/webhooks/index.ts";
import { consume, QUEUES, type QueueMessage } from "../../../functions/jobs/queues.ts";
import { problemSchema } from "../../../functions/routes/http/problem-schema.ts";
import type { Services } from "../../../functions/services.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { type Harness, sql } from "../support/harness.ts";

export const receiptSchema = z.strictObject({
  received: z.number(),
  stored: z.number(),
  truncated: z.number(),
  alerts: z.array(
    z.strictObject({
      fingerprint: z.string(),
      status: z.string().nullable(),
      decision: z.string(),
      rule: z.string(),
      incident_id: z.string().nullable(),
      url: z.string().nullable(),
      related_to: z.string().nullable(),
    }),
  ),
  incidents: z.array(z.string()),
  persisted: z.union([z.literal(true), z.literal("pending")]),
});
export type Receipt = z.infer<typeof receiptSchema>;

/** A webhook's body, byte for byte as recorded. */
export function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8");
}

export function send(
  { request }: Pick<Harness, "request">,
  source: AlertSource,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return request(`/v1/alerts/${source}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** Sends a webhook that must be accepted. */
export async function deliver(
  harness: Pick<Harness, "request">,
  source: AlertSource,
  body: string,
  headers: Record<string, string> = {},
): Promise<Receipt> {
  const response = await send(harness, source, body, headers);
  if (response.status !== 202)
    throw new Error(`The webhook was answered with ${response.status}: ${await response.text()}`);
  return receiptSchema.parse(await response.json());
}

export interface MadeAlert {
  readonly name?: string;
  readonly pod?: string;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly fingerprint?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A webhook in Alertmanager's format with the test's own alerts. */
export function webhook(alerts: readonly MadeAlert[], more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    receiver: "dejavu",
    status: "firing",
    alerts: alerts.map(({ name = "KubePodCrashLooping", pod = "checkout-1", ...alert }) => ({
      status: alert.endsAt === undefined ? "firing" : "resolved",
      labels: { alertname: name, namespace: "shop", pod, severity: "warning", ...alert.labels },
      annotations: { summary: "Pod is crash looping.", ...alert.annotations },
      startsAt: alert.startsAt ?? "2026-03-01T02:55:12.345Z",
      endsAt: alert.endsAt ?? "0001-01-01T00:00:00Z",
      generatorURL: "http://prometheus.example:9090/graph?g0.tab=1",
      fingerprint: alert.fingerprint ?? `${name}-${pod}`,
    })),
    groupLabels: {},
    commonLabels: {},
    commonAnnotations: {},
    externalURL: "http://alertmanager.example:9093",
    version: "4",
    groupKey: '{}:{alertname="KubePodCrashLooping"}',
    truncatedAlerts: 0,
    ...more,
  });
}

/** Investigates incidents as the queue does, and waits for the background tasks. */
export async function investigate(services: Services, incidentIds: readonly string[]): Promise<void> {
  const context = createExecutionContext();
  const messages = incidentIds.map(
    (incident_id): QueueMessage => ({
      body: { incident_id },
      attempts: 1,
      ack: () => {},
      retry: () => {
        throw new Error(`The incident ${incident_id} was not investigated.`);
      },
    }),
  );
  await consume(services, { queue: QUEUES.triages, messages }, (work) => context.waitUntil(work));
  await context.settled();
}

export async function alertRows() {
  return sql`select * from public.alerts order by id`;
}

export async function incidentRows() {
  return sql`select * from public.incidents order by created_at, id`;
}

/** The kinds of an incident's events, oldest first. */
export async function timeline(incidentId: string): Promise<string[]> {
  const rows = await sql`select kind from public.incident_events where incident_id = ${incidentId} order by at, id`;
  return rows.map(({ kind }) => String(kind));
}

/** The secret of the signatures of Grafana and PagerDuty. */
export const SECRET = "a-secret-of-the-webhooks";

export function hmac(text: string, secret = SECRET): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

export async function expectProblem(response: Response, status: number, code: string) {
  expect(response.status).toBe(status);
  const problem = problemSchema.parse(await response.json());
  expect(problem.type).toBe(`urn:dejavu:problem:${code}`);
  return problem;
}

export async function expectNothingStored(): Promise<void> {
  expect([await alertRows(), await incidentRows()].flat()).toEqual([]);
}
