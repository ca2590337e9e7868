// What people and systems do with a Worker of any version, and which of it fails.

import SwaggerParser from "@apidevtools/swagger-parser";
import { expect } from "vitest";
import { z } from "zod";
import { callCron } from "../../../../../dev/stack/services/worker.ts";
import type { QueueBroker } from "./queue-broker.ts";

export interface WorkerAddress {
  readonly url: string;
  readonly token: string;
  /** The document of its API. */
  readonly api: unknown;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

interface Request {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function request(
  { url, token }: WorkerAddress,
  route: string,
  { body, headers = {} }: Request = {},
): Promise<Reply> {
  const [method = "GET", path = "/"] = route.split(" ");
  const isText = typeof body === "string";
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": isText ? "text/markdown" : "application/json",
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

/** @throws Error with the answer, if its status or its shape is another */
export async function expectReply<T>(
  worker: WorkerAddress,
  route: string,
  input: Request,
  { status, schema }: { readonly status: number; readonly schema: z.ZodType<T> },
): Promise<T> {
  const reply = await request(worker, route, input);
  const parsed = schema.safeParse(reply.body);
  if (reply.status === status && parsed.success) return parsed.data;
  throw new Error(`${route} answered ${describe(reply)}`);
}

/** The status with the stable code of a problem, or the text of another answer. */
function describe({ status, body }: Reply): string {
  const problem = z.object({ type: z.string() }).safeParse(body);
  return `${status} ${problem.success ? problem.data.type : JSON.stringify(body).slice(0, 300)}`;
}

export const triageSchema = z.object({
  triage_id: z.string(),
  incident_id: z.string(),
  outcome: z.string(),
  persisted: z.union([z.boolean(), z.string()]),
  warnings: z.array(z.object({ code: z.string() })),
});
const receiptSchema = z.object({ incident_id: z.string() });
const incidentSchema = z.object({ id: z.string(), status: z.string() });

export function alertWebhook(name: string, status: "firing" | "resolved"): object {
  const alert = {
    status,
    labels: { alertname: name, severity: "critical", container: "api-gateway" },
    annotations: { summary: "container exited with code 137" },
    startsAt: "2026-03-01T02:50:00Z",
    endsAt: status === "resolved" ? "2026-03-01T02:58:00Z" : "0001-01-01T00:00:00Z",
    generatorURL: "",
    fingerprint: `fp-${name}`,
  };
  const group = { groupKey: "{}", receiver: "dejavu", groupLabels: {}, commonLabels: {}, commonAnnotations: {} };
  return { version: "4", status, externalURL: "", truncatedAlerts: 0, ...group, alerts: [alert] };
}

type Check = (worker: WorkerAddress, broker: QueueBroker) => Promise<void>;

const unique = (name: string) => `${name}-${crypto.randomUUID().slice(0, 8)}`;

export const CHECKS: Readonly<Record<string, Check>> = {
  "a triage with a key": async (worker) => {
    const body = { title: `${unique("billing")} container exited with code 137`, session_id: unique("session") };
    const input = { body, headers: { "idempotency-key": crypto.randomUUID() } };
    const first = await expectReply(worker, "POST /v1/triage", input, { status: 200, schema: triageSchema });
    const again = await expectReply(worker, "POST /v1/triage", input, { status: 200, schema: triageSchema });
    if (first.persisted !== true) throw new Error(`it is not stored: ${JSON.stringify(first.warnings)}`);
    if (first.triage_id !== again.triage_id) throw new Error("a repeated request got another answer");
    if (first.warnings.length > 0) throw new Error(`it has warnings: ${JSON.stringify(first.warnings)}`);
  },
  "a queued report": async (worker, broker) => {
    const input = { body: { title: `${unique("worker")} container exited with code 137` } };
    const { incident_id } = await expectReply(worker, "POST /v1/incidents", input, {
      status: 202,
      schema: receiptSchema,
    });
    // The response does not wait for the message.
    await expect
      .poll(async () => {
        await broker.deliver(worker.url);
        return statusOf(worker, incident_id);
      })
      .toBe("triaged");
  },
  "an alert that fires and ends": async (worker, broker) => {
    const name = unique("Ended");
    const schema = z.object({ alerts: z.array(z.object({ incident_id: z.string().nullable() })) });
    const route = "POST /v1/alerts/alertmanager";
    const input = { body: alertWebhook(name, "firing") };
    const { alerts } = await expectReply(worker, route, input, { status: 202, schema });
    await broker.deliver(worker.url);
    await expectReply(worker, route, { body: alertWebhook(name, "resolved") }, { status: 202, schema });
    await expectStatus(worker, alerts[0]?.incident_id ?? "", "resolved");
  },
  "feedback and a fix": async (worker) => {
    const input = { body: { title: `${unique("ledger")} container exited with code 137` } };
    const triage = await expectReply(worker, "POST /v1/triage", input, { status: 200, schema: triageSchema });
    const [any, status] = [z.unknown(), 200];
    const rating = { body: { rating: "up", by: "dana" } };
    await expectReply(worker, `POST /v1/triages/${triage.triage_id}/feedback`, rating, { status, schema: any });
    const fix = { body: { resolution: "Raised the memory limit." } };
    await expectReply(worker, `POST /v1/incidents/${triage.incident_id}/resolve`, fix, { status, schema: any });
    await expectStatus(worker, triage.incident_id, "resolved");
  },
  "a runbook that is stored and found": async (worker) => {
    const name = unique("ingress");
    const body = `# ${name} answers 502\n\nNo endpoint.\n\n## Mitigate\n\n1. Roll the controller back.\n`;
    const put = await request(worker, `PUT /v1/runbooks/docker/${name}.md`, { body });
    if (put.status !== 200 && put.status !== 201) throw new Error(`PUT answered ${describe(put)}`);
    const search = { body: { collection: "runbooks", query: `${name} answers 502`, limit: 3 } };
    const hits = await request(worker, "POST /v1/search", search);
    if (!JSON.stringify(hits.body).includes(`docker/${name}.md`)) throw new Error(`it is not found: ${describe(hits)}`);
  },
  "a token": async (worker) => {
    const input = { body: { name: unique("ci"), scopes: ["read"] } };
    const schema = z.object({ token: z.string() });
    const { token } = await expectReply(worker, "POST /v1/admin/tokens", input, { status: 201, schema });
    await expectReply({ ...worker, token }, "GET /v1/incidents", {}, { status: 200, schema: z.unknown() });
  },
  "every list": async (worker) => {
    const schema = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
    const document = z.custom<Parameters<typeof SwaggerParser.dereference>[0]>().parse(worker.api);
    const { paths } = schema.parse(await SwaggerParser.dereference(document));
    const lists = Object.entries(paths).filter(([path, item]) => isList(path, item));
    const replies = await Promise.all(lists.map(([path]) => request(worker, `GET ${path}`)));
    const failed = lists.flatMap(([path], index) => {
      const reply = replies[index];
      return reply === undefined || reply.status === 200 ? [] : [`${path} ${describe(reply)}`];
    });
    if (failed.length > 0) throw new Error(failed.join(", "));
  },
  "every job": async (worker) => {
    const schema = z.object({
      jobs: z.array(
        z.object({
          name: z.string(),
          schedule: z.string(),
          last_run: z.object({ error: z.string().nullable() }).nullable(),
        }),
      ),
    });
    const list = () => expectReply(worker, "GET /v1/admin/jobs", {}, { status: 200, schema });
    for (const { schedule } of (await list()).jobs) await callCron(worker.url, schedule);
    const failed = (await list()).jobs.filter(({ last_run }) => last_run === null || last_run.error !== null);
    if (failed.length > 0)
      throw new Error(failed.map(({ name, last_run }) => `${name}: ${last_run?.error}`).join(", "));
  },
};

/** The checks that fail, each with its reason. */
export async function failuresOf(worker: WorkerAddress, broker: QueueBroker): Promise<string[]> {
  const failures: string[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check(worker, broker);
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return failures;
}

async function expectStatus(worker: WorkerAddress, incidentId: string, status: string): Promise<void> {
  const present = await statusOf(worker, incidentId);
  if (present !== status) throw new Error(`the incident is ${present}`);
}

async function statusOf(worker: WorkerAddress, incidentId: string): Promise<string> {
  const schema = incidentSchema;
  return (await expectReply(worker, `GET /v1/incidents/${incidentId}`, {}, { status: 200, schema })).status;
}

const operationSchema = z.object({
  parameters: z.array(z.object({ in: z.string(), required: z.boolean().optional() })).default([]),
});

function isList(path: string, item: Readonly<Record<string, unknown>>): boolean {
  if (!path.startsWith("/v1/") || item.get === undefined) return false;
  return operationSchema.parse(item.get).parameters.every(({ required = false }) => !required);
}
