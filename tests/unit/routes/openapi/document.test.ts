import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { describe, expect, it } from "vitest";
import { createRouter, problemContent } from "../../../../functions/routes/http/router.ts";
import { BEARER_SCHEME } from "../../../../functions/routes/middleware/require-scope.ts";
import { type ApiDocument, describeApi } from "../../../../functions/routes/openapi/document.ts";
import { gapsOf, undocumented } from "../../../integration/support/api-gaps.ts";

const ANSWER = z.object({ name: z.string().openapi({ example: "grafana" }) });
const json = (schema: z.ZodType) => ({ content: { "application/json": { schema } } });
const security = [{ [BEARER_SCHEME]: ["ingest"] }];

const complete = {
  method: "post",
  path: "/v1/search/{id}",
  summary: "Make a thing",
  security,
  request: {
    params: z.object({ id: z.uuid() }),
    body: { required: true, ...json(z.strictObject({ text: z.string().openapi({ example: "a text" }) })) },
  },
  responses: { 201: { description: "The thing.", ...json(ANSWER) }, 503: problemContent("The database is away.") },
} satisfies RouteConfig;

function documentOf(routes: readonly RouteConfig[], recorded: Record<string, unknown> = {}): ApiDocument {
  const router = createRouter();
  for (const route of routes) router.openapi(createRoute(route), (c) => c.body(null));
  return describeApi(router, { version: "1.2.3", recorded });
}

function operationOf(route: RouteConfig, recorded: Record<string, unknown> = {}) {
  const [item] = Object.values(documentOf([route], recorded).paths ?? {});
  return item?.get ?? item?.post;
}

describe("the document of a route", () => {
  it("says who it is, and which version", () => {
    expect(documentOf([complete])).toMatchObject({
      openapi: "3.1.0",
      info: { title: "Dejavu", version: "1.2.3" },
      components: { securitySchemes: { [BEARER_SCHEME]: { type: "http", scheme: "bearer" } } },
      tags: [{ name: "search" }],
    });
  });

  it("adds what every route answers, and names the scope that its token needs", () => {
    const { responses = {} } = operationOf(complete) ?? {};
    expect(Object.keys(responses)).toEqual(["201", "400", "401", "403", "413", "415", "422", "429", "500", "503"]);
    expect(responses[403].description).toContain("`ingest`");
    expect(responses[503].headers).toHaveProperty("retry-after");
    expect(responses[201].headers).toHaveProperty("x-request-id");
    expect(responses[503].content["application/problem+json"].example).toMatchObject({
      type: "urn:dejavu:problem:dependency-unavailable",
      status: 503,
      detail: "The database is away.",
    });
  });

  it("adds nothing about tokens, bodies or parameters where there are none", () => {
    const open = { method: "get", path: "/health", summary: "Is it up?", responses: complete.responses } as const;
    expect(Object.keys(operationOf(open)?.responses ?? {})).toEqual(["201", "500", "503"]);
  });

  it("leaves alone what the route says itself", () => {
    const own = { ...problemContent("The text is too long."), headers: {} };
    const { responses, operationId, tags } =
      operationOf({
        ...complete,
        operationId: "makeIt",
        tags: ["things"],
        responses: { ...complete.responses, 422: own },
      }) ?? {};
    expect(responses?.[422].description).toBe("The text is too long.");
    expect([operationId, tags]).toEqual(["makeIt", ["things"]]);
  });

  it.each([
    ["/v1/incidents", "getIncidents"],
    ["/v1/incidents/{id}/resolve", "getIncidentsByIdResolve"],
    ["/v1/admin/jobs/{name}/runs", "getAdminJobsByNameRuns"],
    ["/openapi.json", "getOpenapiJson"],
    ["/v1/runbooks/{domain}/{source{.+}}", "getRunbooksByDomainBySource"],
  ])("calls GET %s %s", (path, id) => {
    expect(operationOf({ ...complete, method: "get", path })?.operationId).toBe(id);
  });

  it("writes a parameter without the pattern that the router reads in it", () => {
    const paths = documentOf([{ ...complete, path: "/v1/runbooks/{domain}/{source{.+}}" }]).paths ?? {};
    expect(Object.keys(paths)).toEqual(["/v1/runbooks/{domain}/{source}"]);
  });
});

describe("an example", () => {
  const bodyExample = (schema: z.ZodType) => {
    const { requestBody } = operationOf({ ...complete, request: { body: json(schema) } }) ?? {};
    return requestBody && "content" in requestBody ? requestBody.content["application/json"]?.example : undefined;
  };
  const text = z.string().openapi({ example: "a text" });

  it.each<[what: string, schema: z.ZodType, example: unknown]>([
    [
      "of an object is made of its fields'",
      z.object({ a: text, b: z.object({ c: text }) }),
      { a: "a text", b: { c: "a text" } },
    ],
    ["leaves out an optional field that has none", z.object({ a: text, b: z.string().optional() }), { a: "a text" }],
    ["has an optional field that has one", z.object({ a: text.optional() }), { a: "a text" }],
    ["of a list is a list of one", z.object({ a: z.array(text) }), { a: ["a text"] }],
    ["of an enumeration is its first word", z.object({ a: z.enum(["note", "log"]) }), { a: "note" }],
    ["of a constant is the constant", z.object({ a: z.literal(4) }), { a: 4 }],
    ["of a choice is the first that has one", z.union([z.number(), text]), "a text"],
    ["that the schema has itself is taken whole", z.object({ a: text }).openapi({ example: { a: "b" } }), { a: "b" }],
    ["may be false", z.object({ a: z.boolean().openapi({ example: false }) }), { a: false }],
    ["is not made up for a required field that has none", z.object({ a: text, b: z.string() }), undefined],
    ["is not an empty object", z.object({ a: z.string().optional() }), undefined],
  ])("%s", (_, schema, example) => {
    expect(bodyExample(schema)).toEqual(example);
  });

  it("is found through the name of a schema", () => {
    expect(bodyExample(z.object({ a: z.object({ b: text }).openapi("Named") }))).toEqual({ a: { b: "a text" } });
  });

  it("of an answer is the recorded one where its schema has none", () => {
    const bare = {
      ...complete,
      responses: { 201: { description: "A thing.", ...json(z.object({ id: z.string() })) } },
    };
    const answer = operationOf(bare, { postSearchById: { id: "7" } })?.responses?.[201];
    expect(answer.content["application/json"].example).toEqual({ id: "7" });
  });

  it("is given to every plain id", () => {
    expect(operationOf(complete)?.parameters).toMatchObject([
      { name: "id", example: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
  });
});

describe("what is missing", () => {
  const { summary: _, ...silent } = complete;
  const bare = z.object({ name: z.string() });

  it("is nothing in a complete document", () => {
    expect(gapsOf(documentOf([complete]))).toEqual([]);
  });

  it.each<[what: string, route: RouteConfig, gap: RegExp]>([
    ["a summary", silent, /^POST \/v1\/search\/\{id\} has no summary: write one/],
    ["a tag", { ...complete, path: "/v1/elsewhere/{id}" }, /has no tag: add its path to .*openapi\/tags\.ts/],
    ["a tag that is described", { ...complete, tags: ["elsewhere"] }, /has no tag/],
    ["a readable operationId", { ...complete, operationId: "make it" }, /operationId that is not camelCase: "make it"/],
    [
      "an example of the body",
      { ...complete, request: { ...complete.request, body: json(bare) } },
      /has no example of its body \(application\/json\): write openapi\(\{ example \}\)/,
    ],
    [
      "an example of the answer",
      { ...complete, responses: { 200: { description: "A thing.", ...json(bare) } } },
      /has no example of its answer 200 \(application\/json\): .*npm run examples/,
    ],
    [
      "an example of an error of its own form",
      { ...complete, responses: { ...complete.responses, 503: { description: "Away.", ...json(bare) } } },
      /has no example of its answer 503 \(application\/json\)/,
    ],
    [
      "a problem for a status",
      { ...complete, responses: { ...complete.responses, 418: problemContent("A teapot.") } },
      /answer 418 .*: give the status a problem in functions\/routes\/problem\.ts/,
    ],
    [
      "an example of a parameter",
      { ...complete, request: { ...complete.request, query: z.object({ q: z.string() }) } },
      /has no example of its parameter "q"/,
    ],
    [
      "an answer for success",
      { ...complete, responses: { 404: problemContent("Nothing.") } },
      /has no answer for success/,
    ],
  ])("is told: %s", (_, route, gap) => {
    expect(gapsOf(documentOf([route]))).toEqual([expect.stringMatching(gap)]);
  });

  it("is told of two operations of one name", () => {
    const twice = [complete, { ...complete, path: "/v1/search/{id}/again", operationId: "postSearchById" }];
    expect(gapsOf(documentOf(twice))).toHaveLength(2);
  });

  it("is told of a route that the document does not have, and not of what runs for every request", () => {
    const routes = [
      { method: "ALL", path: "/*" },
      { method: "POST", path: "/v1/search/:id" },
      { method: "ALL", path: "/v1/search/:id" },
      { method: "GET", path: "/v1/search/:id" },
      { method: "PUT", path: "/v1/runbooks/:domain/:source{.+}" },
    ];
    expect(undocumented(documentOf([complete]), routes)).toEqual([
      expect.stringMatching(/^GET \/v1\/search\/\{id\} is not in the document: write it with createRoute/),
      expect.stringMatching(/^PUT \/v1\/runbooks\/\{domain\}\/\{source\} is not/),
    ]);
  });
});
