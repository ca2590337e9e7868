// Shared by the tests of changes: recorded request bodies, reports of changes, and the surroundings of an incident.

import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { createIncident, type TriageRequest } from "../../../functions/incidents/create-incident.ts";
import { startRun } from "../../../functions/investigation/start-run.ts";
import type { Services } from "../../../functions/services.ts";
import { type Harness, sql } from "../support/harness.ts";

export const SECRET = "sixteen-characters-or-more";

/** A body, byte for byte as recorded. */
export function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8");
}

export const receiptSchema = z.strictObject({
  changes: z.array(
    z.strictObject({ id: z.string().nullable(), service: z.string(), at: z.string(), state: z.string() }),
  ),
  ignored: z.array(z.strictObject({ event: z.string(), rule: z.string() })),
  persisted: z.union([z.literal(true), z.literal("pending")]),
});

/** Reports changes that must be accepted. */
export async function report(
  { request }: Pick<Harness, "request">,
  body: unknown,
  { path = "/v1/changes", headers = {} }: { readonly path?: string; readonly headers?: Record<string, string> } = {},
) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await request(path, {
    method: "POST",
    body: text,
    headers: { "content-type": "application/json", ...headers },
  });
  if (response.status !== 202) throw new Error(`The report got ${response.status}: ${await response.text()}`);
  return receiptSchema.parse(await response.json());
}

/** GitHub sends a signature and no token. */
export function signed(body: string, event = "deployment", secret = SECRET): Record<string, string> {
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  return { authorization: "", "x-hub-signature-256": `sha256=${digest}`, "x-github-event": event };
}

export function changeRows() {
  return sql`select * from public.changes order by at, delivery`;
}

/** The start of a run. @param id of an incident that is stored; without one, a new incident */
export async function startedRun(services: Services, request: TriageRequest, id: string = services.newId()) {
  const catalog = services.domains.current().catalog;
  const incident = createIncident(request, { catalog, now: services.now(), newId: () => id });
  const runStart = {
    runId: services.newId(),
    sessionId: incident.sessionId,
    startedAt: services.now(),
    query: incident.title,
  };
  const started = await startRun(services, incident, runStart, null);
  if (started.state !== "started") throw new Error(`The run is ${started.state}.`);
  return started;
}
