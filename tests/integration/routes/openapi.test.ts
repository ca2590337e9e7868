// The API document against the app: it is valid, complete, and every example in it is what the app takes and answers.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import SwaggerParser from "@apidevtools/swagger-parser";
import type { OpenAPI } from "openapi-types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { SCOPES } from "../../../functions/access/caller.ts";
import { createApp } from "../../../functions/app.ts";
import { BEARER_SCHEME } from "../../../functions/routes/middleware/require-scope.ts";
import { type ApiDocument, describeApi, type Operation } from "../../../functions/routes/openapi/document.ts";
import { type ApiCall, callForNothing, callsOf, type PathValues, refusedCall } from "../support/api-calls.ts";
import { type ApiOperation, gapsOf, operationsOf, undocumented } from "../support/api-gaps.ts";
import { faultsOf } from "../support/api-schemas.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { rerankServer } from "../support/rerank-server.ts";
import { plantProcedure } from "../support/sample-memory.ts";

type Content = Readonly<Record<string, { readonly schema?: unknown; readonly example?: unknown }>>;

const EXAMPLES = fileURLToPath(new URL("../../../functions/routes/openapi/examples.json", import.meta.url));
const HERE = "tests/integration/routes/openapi.test.ts";
/** Refused for every operation that takes a token and may answer so. */
const REFUSALS = [400, 401, 413, 415, 422];

const reranker = await rerankServer((document) =>
  document.startsWith("Container killed") ? 0.93 : document.startsWith("Docker host") ? 0.21 : 0.08,
);
afterAll(() => reranker[Symbol.asyncDispose]());
// Few hits, so that a recorded example is one that people read.
const harness = createHarness({
  ...reranker.env,
  RERANKER: "http:bge-reranker-v2-m3",
  RUNBOOK_RECALL_LIMIT: "2",
  MODEL: "none",
});
const app = createApp(harness.services);
/** Believed to be one: it is held against the standard below. */
const documentSchema = z.custom<ApiDocument>();
const document = documentSchema.parse(await (await harness.request("/openapi.json")).json());
const whole: ApiDocument = await resolved(document);
const operations = operationsOf(whole);
const makesTokens = operations.some(({ name }) => name === "POST /v1/admin/tokens");

/** What the parameters of paths stand for, by the path up to them. Others have their example. */
type Records = Readonly<Record<string, string>>;
let kept: Records;

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  kept = await makeRecords("api-gateway");
  await harness.request("/v1/admin/jobs/retry-outbox", { method: "POST" });
});

async function makeRecords(target: string): Promise<Records> {
  const title = `${target} container exited with code 137`;
  const session_id = `on-call-${target}`;
  const { incident_id, triage_id } = await harness.triage({ title, target, session_id });
  const planted = { incidentId: incident_id, triageId: triage_id, sessionId: session_id, at: harness.clock.now() };
  return {
    "/v1/incidents/{id}": incident_id,
    "/v1/triages/{id}": triage_id,
    "/v1/memory/observations/{id}": incident_id,
    "/v1/memory/past-answers/{id}": triage_id,
    "/v1/memory/sessions/{id}": session_id,
    "/v1/memory/procedures/{id}": await plantProcedure(harness.services, planted, { text: title }),
  };
}

/** The document without references. */
async function resolved(given: object): Promise<ApiDocument> {
  return documentSchema.parse(await SwaggerParser.validate(z.custom<OpenAPI.Document>().parse(structuredClone(given))));
}

/** What an operation takes and answers, by media type. */
function contentsOf({ requestBody, responses = {} }: Operation): Content[] {
  const answers: Record<string, { readonly content?: Content }> = responses;
  const taken = requestBody && "content" in requestBody ? [requestBody.content] : [];
  return [...taken, ...Object.values(answers).flatMap(({ content }) => (content ? [content] : []))];
}

/** The values of a path's parameters: of records that are there, or that the API's own examples make. */
async function valuesOf({ method, path }: ApiOperation): Promise<PathValues> {
  // What is deleted is nobody else's.
  const records = method === "delete" ? await makeRecords(`worker-${harness.services.newId().slice(0, 8)}`) : kept;
  const values: Record<string, string> = {};
  for (const { 0: parameter, 1: name = "", index } of path.matchAll(/\{(\w+)\}/g)) {
    const known = records[path.slice(0, index + parameter.length)];
    const id = known ?? (await createdBy(`POST ${path.slice(0, index - 1)}`));
    if (id !== undefined) values[name] = id;
  }
  if (method !== "put") await createdBy(`PUT ${path}`);
  return values;
}

/** The id of what an operation's example makes, where there is such an operation. */
async function createdBy(name: string): Promise<string | undefined> {
  const operation = operations.find((each) => each.name === name);
  const [call] = operation ? callsOf(operation, {}) : [];
  if (!call) return undefined;
  const body: unknown = JSON.parse((await (await send(call)).text()) || "null");
  return typeof body === "object" && body !== null && "id" in body ? String(body.id) : undefined;
}

/** A minute passes between two calls, so that lists by time have one order. */
function send({ path, init }: ApiCall): Promise<Response> {
  harness.clock.advance(60_000);
  return harness.request(path, init);
}

/** Finds the answer in the document, and what it has in common with it. @returns the body, where it is JSON */
async function expectDocumented(response: Response, { name, operation }: ApiOperation): Promise<unknown> {
  const body = await response.text();
  const { status, headers } = response;
  const answered = `${name} answered ${status} with ${body.slice(0, 1_000)}`;
  const documented = operation.responses?.[status];
  expect(documented, `${answered}; its createRoute does not declare this status`).toBeDefined();
  expect(headers.get("x-request-id"), answered).toBeTruthy();
  if (documented.headers["retry-after"]) expect(headers.get("retry-after"), answered).toMatch(/^\d+$/);
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

describe.skipIf(process.env.RECORD_EXAMPLES)("the API document", () => {
  it("is valid OpenAPI 3.1, and the validator would say so if it were not", async () => {
    expect(whole).toMatchObject({ openapi: "3.1.0", info: { version: harness.services.version } });
    const broken = [
      { ...whole, info: {} },
      { ...whole, paths: { "/x": { get: { responses: { 200: {} } } } } },
      { ...whole, paths: { "/x": { get: { responses: { 200: { $ref: "#/components/responses/None" } } } } } },
      { ...whole, components: { securitySchemes: { token: { type: "magic" } } } },
    ];
    for (const each of broken) await expect(resolved(each)).rejects.toThrow();
  });

  it("has schemas that JSON Schema understands", () => {
    const contents = operations.flatMap(({ operation }) => contentsOf(operation));
    const schemas = contents.flatMap((content) => Object.values(content).map(({ schema }) => schema));
    expect(schemas.length).toBeGreaterThan(operations.length);
    for (const schema of schemas) expect(() => faultsOf(schema, null)).not.toThrow();
  });

  it("has every route of the app", () => {
    expect(undocumented(whole, app.routes)).toEqual([]);
    expect(operations.length).toBeGreaterThan(20);
  });

  it("says of every operation all that a reader needs", () => {
    expect(gapsOf(whole)).toEqual([]);
  });

  it("is the same every time", async () => {
    const again = createHarness();
    expect(await (await again.request("/openapi.json")).json()).toEqual(document);
  });

  it("is open to all", async () => {
    for (const path of ["/openapi.json", "/docs", "/docs/start.js"]) {
      expect((await harness.request(path, { headers: { authorization: "" } })).status).toBe(200);
    }
  });

  it("holds nothing recorded that no operation answers", async () => {
    const { default: recorded } = await import("../../../functions/routes/openapi/examples.json");
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(Object.keys(recorded).filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe.skipIf(process.env.RECORD_EXAMPLES).each(operations)("$name", (operation) => {
  const { name } = operation;
  const { responses = {}, security = [] } = operation.operation;
  const takesToken = security.some((requirement) => BEARER_SCHEME in requirement);

  it("has examples that its own schemas allow", () => {
    for (const content of contentsOf(operation.operation)) {
      for (const [mediaType, { schema, example }] of Object.entries(content)) {
        if (example === undefined) continue;
        expect(
          faultsOf(schema, example),
          `${name}, its example of ${mediaType} (npm run examples renews a recorded one)`,
        ).toEqual([]);
      }
    }
  });

  it("takes its examples, and answers as the document says", async () => {
    for (const call of callsOf(operation, await valuesOf(operation))) {
      const response = await send(call);
      await expectDocumented(response.clone(), operation);
      // A webhook with a signature refuses an example, which has none.
      if (!takesToken) continue;
      const advice = `a record for a parameter of the path: makeRecords in ${HERE}`;
      expect(response.status, `${name} refused its own example: ${await response.text()} (${advice})`).toBeLessThan(
        400,
      );
    }
  });

  const refused = REFUSALS.flatMap((status) => {
    const call = responses[status] && refusedCall(operation, status);
    return call ? [{ status, call }] : [];
  });
  it.each(takesToken ? refused : [])("refuses with $status", async ({ status, call }) => {
    const response = await send(call);
    expect(response.status, `${name}: ${await response.clone().text()}`).toBe(status);
    const { type } = responses[status].content["application/problem+json"].example;
    expect(await expectDocumented(response, operation)).toMatchObject({ type });
  });

  /** Any of them will do. */
  const allowed = security.flatMap((requirement) => requirement[BEARER_SCHEME] ?? []);
  it.each(makesTokens && allowed.length > 0 ? [allowed.join(" and ")] : [])(
    "refuses with 403 a token that lacks only %s",
    async () => {
      const scopes = SCOPES.filter((other) => !allowed.includes(other));
      const made = await harness.post("/v1/admin/tokens", { name: "of another scope", scopes });
      const { token } = z.object({ token: z.string() }).parse(await made.json());
      const [call] = callsOf(operation, {});
      const headers = { ...call?.init.headers, authorization: `Bearer ${token}` };
      const response = await harness.request(call?.path ?? "", { ...call?.init, headers });
      expect(response.status, name).toBe(403);
      expect(await expectDocumented(response, operation)).toMatchObject({
        detail: expect.stringContaining(allowed.map((scope) => `\`${scope}\``).join(" or ")),
      });
    },
  );

  const forNothing = takesToken && responses[404] ? callForNothing(operation) : undefined;
  it.each(forNothing ? [forNothing] : [])("answers 404 for $path, which there is not", async (call) => {
    const response = await send(call);
    expect(response.status, `${name}: ${await response.clone().text()}`).toBe(404);
    await expectDocumented(response, operation);
  });
});

// `npm run examples`: writes down what the app answers, for operations whose schemas have no example of it.
async function recordExamples(): Promise<void> {
  const bare = await resolved(describeApi(app, { version: "", recorded: {} }));
  const examples: Record<string, unknown> = {};
  for (const operation of operationsOf(bare)) {
    const answers = Object.entries(operation.operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
    const json = answers.flatMap(([, { content = {} }]) => content["application/json"] ?? []);
    const lacks = json.some(({ example }) => example === undefined);
    const [call] = lacks ? callsOf(operation, await valuesOf(operation)) : [];
    const response = call && (await send(call));
    if (response?.ok && response.headers.get("content-type")?.startsWith("application/json")) {
      examples[operation.operation.operationId ?? ""] = await expectDocumented(response, operation);
    }
  }
  writeFileSync(EXAMPLES, `${withSteadyIds(JSON.stringify(examples, null, 2))}\n`);
}
if (process.env.RECORD_EXAMPLES) it("records the examples", recordExamples);

/** The same ids whenever it is recorded, so that only what changed is a change. */
function withSteadyIds(json: string): string {
  const ids = [...new Set(json.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))];
  return ids.reduce(
    (text, id, i) => text.replaceAll(id, `3f2a8c1e-5b7d-4e9f-8a6c-${String(i).padStart(12, "0")}`),
    json,
  );
}
