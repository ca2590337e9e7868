// The API document against the app: the document is valid and complete, its examples match its schemas, and real
// responses do too.

import SwaggerParser from "@apidevtools/swagger-parser";
import type { OpenAPI } from "openapi-types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { currentDocument } from "../../../dev/api-document/current-document.ts";
import type { ApiDocument, Operation } from "../../../dev/api-document/document.ts";
import { SCOPES } from "../../../functions/access/caller.ts";
import { createApp } from "../../../functions/app.ts";
import { incidentSteps } from "../../../functions/incidents/detail/steps.ts";
import { BEARER_SCHEME } from "../../../functions/routes/middleware/require-scope.ts";
import { createHarness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { type ApiCall, callForUnknown, callsOf, invalidCall, type PathValues } from "../support/openapi/api-calls.ts";
import { type ApiOperation, exampleOfMedia, gapsOf, operationsOf, undocumented } from "../support/openapi/api-gaps.ts";
import { faultsOf } from "../support/openapi/api-schemas.ts";
import { plantIncident, plantObservation, plantProcedure, plantRepeat } from "../support/sample-memory.ts";
import { rerankServer } from "../support/servers/rerank-server.ts";

type Content = Readonly<Record<string, Parameters<typeof exampleOfMedia>[0]>>;

const HERE = "tests/integration/routes/openapi.test.ts";
const MAX_REPEATED_LENGTH = 920;
const MAX_DOCUMENT_LENGTH = 302_000;
/** What each operation with a token responds to an invalid request, beside the responses that it declares. */
const REFUSALS = {
  400: "malformed-body",
  401: "unauthorized",
  413: "body-too-large",
  415: "unsupported-media-type",
  422: "invalid-request",
};
/** The statuses for which `default` stands. */
const DEFAULT_STATUSES = [...Object.keys(REFUSALS).map(Number), 403, 408, 429, 500, 503];

const reranker = await rerankServer((document) =>
  document.startsWith("Container killed") ? 0.93 : document.startsWith("Docker host") ? 0.21 : 0.08,
);
afterAll(() => reranker[Symbol.asyncDispose]());
const harness = createHarness({
  ...reranker.env,
  RERANKER: "http:bge-reranker-v2-m3",
  MODEL: "none",
  SLACK_SIGNING_SECRET: "0123456789abcdef",
});
const app = createApp(harness.services);
/** Not checked here: the first test validates it against the standard. */
const documentSchema = z.custom<ApiDocument>();
const document = documentSchema.parse(currentDocument());
const whole: ApiDocument = await resolved(document);
const operations = operationsOf(whole);
const makesTokens = operations.some(({ name }) => name === "POST /v1/admin/tokens");

/** Ids of stored records, by the path that ends in their parameter. Other parameters take their example. */
type RecordIds = Readonly<Record<string, string>>;
let sharedIds: RecordIds;

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  sharedIds = { ...(await makeRecords("api-gateway")), "/v1/quality/gaps/{id}": await makeGap() };
  await makeCorrectable(sharedIds["/v1/memory/observations/{id}"] ?? "");
  await makeMergeable(sharedIds["/v1/incidents/{id}"] ?? "");
  await harness.request("/v1/admin/jobs/retry-outbox", { method: "POST" });
});

let workers = 0;

async function makeRecords(target: string): Promise<RecordIds> {
  const title = `${target} container exited with code 137`;
  const session_id = `on-call-${target}`;
  const { services } = harness;
  const { session } = await services.sessions.signIn({ kind: "service", name: null }, services.newId());
  const triage = await harness.triage({ title, target, session_id });
  const { incident_id, triage_id } = triage;
  const planted = { incidentId: incident_id, triageId: triage_id, sessionId: session_id, at: harness.clock.now() };
  return {
    "/v1/incidents/{id}": incident_id,
    "/v1/incidents/{id}/steps/{key}": incidentSteps(triage, [])[0]?.key ?? "",
    "/v1/incidents/{id}/comparison/{other_id}": (await plantIncident(harness.services)).incidentId,
    "/v1/incidents/{id}/sources/{source_id}": triage.sources[0]?.id ?? "",
    "/v1/triages/{id}": triage_id,
    "/v1/admin/sessions/{id}": session.id,
    "/v1/memory/observations/{id}": incident_id,
    "/v1/memory/past-answers/{id}": triage_id,
    "/v1/memory/sessions/{id}": session_id,
    "/v1/memory/procedures/{id}": await plantProcedure(harness.services, planted, { text: title }),
  };
}

/** The id of a failure that no runbook answers. */
async function makeGap(): Promise<string> {
  await harness.triage({ title: "Nobody wrote about it", labels: { alertname: "NobodyWrote" } });
  const response = await harness.request("/v1/quality/gaps");
  const { gaps } = z.object({ gaps: z.array(z.object({ id: z.string() })) }).parse(await response.json());
  return gaps[0]?.id ?? "";
}

/** Stores the records that the examples of a split and a join name. */
async function makeCorrectable(observationId: string): Promise<void> {
  const exampleOf = (action: string) => {
    const operation = operations.find(({ name }) => name === `POST /v1/memory/observations/{id}/${action}`);
    const [call] = operation ? callsOf(operation, { id: observationId }) : [];
    return z
      .object({ incident_ids: z.array(z.string()).default([]), observation_id: z.string().optional() })
      .parse(JSON.parse(z.string().parse(call?.init.body)));
  };
  for (const incidentId of exampleOf("split").incident_ids)
    await plantRepeat(await plantIncident(harness.services, { incidentId }), observationId);
  const incidentId = exampleOf("join").observation_id;
  await plantObservation(harness.services, await plantIncident(harness.services, { incidentId }));
  await sql`update public.observations o set domain = k.domain from public.observations k where k.id = ${observationId}`;
}

/** Stores the alerts that the example of a split names, and the incident of that of a merge. */
async function makeMergeable(id: string): Promise<void> {
  const operation = operations.find(({ name }) => name === "POST /v1/incidents/{id}/merge");
  const [call] = operation ? callsOf(operation, { id }) : [];
  const { into } = z.object({ into: z.string() }).parse(JSON.parse(z.string().parse(call?.init.body)));
  await plantIncident(harness.services, { incidentId: into });
  const at = harness.clock.now();
  for (const target of ["checkout", "ledger"])
    await sql`insert into public.alerts (owner, source, fingerprint, starts_at, status, alertname, domain, severity, title, target,
        received_at, last_received_at, incident_id, decision, rule)
      select 'service', 'alertmanager', ${target}, ${at}, 'firing', 'TargetDown', i.domain, 'high', 'down', ${target}, ${at}, ${at},
        i.id, 'created', 'first of its kind' from public.incidents i where i.id = ${id}`;
}

/** Validates a document and replaces its references. */
async function resolved(input: object): Promise<ApiDocument> {
  return documentSchema.parse(await SwaggerParser.validate(z.custom<OpenAPI.Document>().parse(structuredClone(input))));
}

/** The bodies of an operation's request and responses, by media type. */
function contentsOf({ requestBody, responses = {} }: Operation): Content[] {
  const declared: Record<string, { readonly content?: Content }> = responses;
  const request = requestBody && "content" in requestBody ? [requestBody.content] : [];
  return [...request, ...Object.values(declared).flatMap(({ content }) => (content ? [content] : []))];
}

/** Values of a path's parameters: ids of stored records, or of records created with the API's own examples. */
async function valuesOf({ method, path }: ApiOperation): Promise<PathValues> {
  // A deletion and a correction get records of their own.
  const isDestructive =
    ["delete", "patch"].includes(method) && Object.keys(sharedIds).some((key) => path.startsWith(key));
  const ids = isDestructive ? { ...sharedIds, ...(await makeRecords(`worker-${++workers}`)) } : sharedIds;
  const values: Record<string, string> = {};
  for (const { 0: parameter, 1: name = "", index } of path.matchAll(/\{(\w+)\}/g)) {
    const storedId = ids[path.slice(0, index + parameter.length)];
    const id = storedId ?? (await createdBy(`POST ${path.slice(0, index - 1)}`));
    if (id !== undefined) values[name] = id;
  }
  if (method !== "put") await createdBy(`PUT ${path.replace(/\}\/(?:versions\/\{number\}|[^{}]+)$/, "}")}`);
  return values;
}

/** The id of the record that an operation's example creates; undefined without such an operation. */
async function createdBy(name: string): Promise<string | undefined> {
  const operation = operations.find((each) => each.name === name);
  const [call] = operation ? callsOf(operation, {}) : [];
  if (!call) return undefined;
  const body: unknown = JSON.parse((await (await send(call)).text()) || "null");
  return typeof body === "object" && body !== null && "id" in body ? String(body.id) : undefined;
}

/** Advances the clock by a minute between calls, so that lists by time have one order. */
function send({ path, init }: ApiCall): Promise<Response> {
  harness.clock.advance(60_000);
  return harness.request(path, init);
}

/** Expects the document to declare this response. @returns the body if it is JSON */
async function expectDocumented(response: Response, { name, operation }: ApiOperation): Promise<unknown> {
  const body = await response.text();
  const { status, headers } = response;
  const answered = `${name} responded ${status} with ${body.slice(0, 1_000)}`;
  const { [status]: declared, default: common } = operation.responses ?? {};
  const documented = declared ?? (DEFAULT_STATUSES.includes(status) ? common : undefined);
  expect(documented, `${answered}; its createRoute does not declare this status`).toBeDefined();
  expect(headers.get("x-request-id"), answered).toBeTruthy();
  if (status === 429 || status === 503) expect(headers.get("retry-after"), answered).toMatch(/^\d+$/);
  const mediaType = headers.get("content-type")?.split(";")[0] ?? "";
  if (!documented.content) {
    expect(body, answered).toBe("");
    return undefined;
  }
  expect(Object.keys(documented.content), answered).toContain(mediaType);
  if (!mediaType.endsWith("json")) return undefined;
  const value: unknown = JSON.parse(body);
  expect(faultsOf(documented.content[mediaType].schema, value), `${answered}; its schema says otherwise`).toEqual([]);
  return value;
}

describe("the API document", () => {
  it("is valid OpenAPI 3.1, and the validator rejects broken documents", async () => {
    expect(whole).toMatchObject({ openapi: "3.1.0", info: { version: harness.services.version } });
    const broken = [
      { ...whole, info: {} },
      { ...whole, paths: { "/x": { get: { responses: { 200: {} } } } } },
      { ...whole, paths: { "/x": { get: { responses: { 200: { $ref: "#/components/responses/None" } } } } } },
      { ...whole, components: { securitySchemes: { token: { type: "magic" } } } },
    ];
    for (const each of broken) await expect(resolved(each)).rejects.toThrow();
  });

  it("has valid JSON schemas", () => {
    const contents = operations.flatMap(({ operation }) => contentsOf(operation));
    const schemas = contents.flatMap((content) => Object.values(content).map(({ schema }) => schema));
    expect(schemas.length).toBeGreaterThan(operations.length);
    for (const schema of schemas) expect(() => faultsOf(schema, null)).not.toThrow();
  });

  it("describes every route of the app", () => {
    expect(undocumented(whole, app.routes)).toEqual([]);
    expect(operations.length).toBeGreaterThan(20);
  });

  it("has a summary, a tag, an operation id and examples for every operation", () => {
    expect(gapsOf(whole)).toEqual([]);
  });

  it("states each schema of some length once", async () => {
    const repeated = new Map<string, number>();
    JSON.stringify(document, (_, value) => {
      if (typeof value !== "object" || value?.properties === undefined) return value;
      const { description: __, example: ___, ...schema } = value;
      const text = JSON.stringify(schema);
      repeated.set(text, (repeated.get(text) ?? 0) + 1);
      return value;
    });
    const long = [...repeated].filter(([text, times]) => times > 1 && text.length > MAX_REPEATED_LENGTH);
    expect(long, "add them to dev/api-document/shared-schemas.ts").toEqual([]);
    expect(JSON.stringify(document).length).toBeLessThan(MAX_DOCUMENT_LENGTH);
  });

  it("needs no token", async () => {
    for (const path of ["/docs", "/docs/start.js"]) {
      expect((await harness.request(path, { headers: { authorization: "" } })).status).toBe(200);
    }
  });
});

describe.each(operations)("$name", (operation) => {
  const { name } = operation;
  const { responses = {}, security = [] } = operation.operation;
  const takesToken = security.some((requirement) => BEARER_SCHEME in requirement);

  it("has examples that match its schemas", () => {
    for (const content of contentsOf(operation.operation)) {
      for (const [mediaType, media] of Object.entries(content)) {
        const example = exampleOfMedia(media);
        if (example === undefined) continue;
        expect(faultsOf(media.schema, example), `${name}, its ${mediaType} example`).toEqual([]);
      }
    }
  });

  it("accepts its examples, and responds as documented", async () => {
    for (const call of callsOf(operation, await valuesOf(operation))) {
      const response = await send(call);
      await expectDocumented(response.clone(), operation);
      // A signed webhook rejects an example, which has no signature.
      if (!takesToken) continue;
      const advice = `if the path needs a stored record, add it to makeRecords in ${HERE}`;
      expect(response.status, `${name} rejected its own example: ${await response.text()} (${advice})`).toBeLessThan(
        400,
      );
    }
  });

  const rejected = Object.entries(REFUSALS).flatMap(([status, code]) => {
    const call = invalidCall(operation, Number(status));
    return call ? [{ status: Number(status), code, call }] : [];
  });
  it.each(takesToken ? rejected : [])("responds $status to an invalid request", async ({ status, code, call }) => {
    const response = await send(call);
    expect(response.status, `${name}: ${await response.clone().text()}`).toBe(status);
    expect(await expectDocumented(response, operation)).toMatchObject({ type: `urn:dejavu:problem:${code}` });
  });

  /** One of them is enough. */
  const allowed = security.flatMap((requirement) => requirement[BEARER_SCHEME] ?? []);
  it.each(makesTokens && allowed.length > 0 ? [allowed.join(" and ")] : [])(
    "responds 403 to a token that lacks only %s",
    async () => {
      const scopes = SCOPES.filter((other) => !allowed.includes(other));
      const created = await harness.post("/v1/admin/tokens", { name: "of another scope", scopes });
      const { token } = z.object({ token: z.string() }).parse(await created.json());
      const [call] = callsOf(operation, {});
      const headers = { ...call?.init.headers, authorization: `Bearer ${token}` };
      const response = await harness.request(call?.path ?? "", { ...call?.init, headers });
      expect(response.status, name).toBe(403);
      expect(await expectDocumented(response, operation)).toMatchObject({
        detail: expect.stringContaining(allowed.map((scope) => `\`${scope}\``).join(" or ")),
      });
    },
  );

  const unknownCall = takesToken && responses[404] ? callForUnknown(operation) : undefined;
  it.each(unknownCall ? [unknownCall] : [])("responds 404 to $path, which does not exist", async (call) => {
    const response = await send(call);
    expect(response.status, `${name}: ${await response.clone().text()}`).toBe(404);
    await expectDocumented(response, operation);
  });
});
