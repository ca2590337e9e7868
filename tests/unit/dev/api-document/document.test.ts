import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { describe, expect, it } from "vitest";
import { type ApiDocument, describeApi } from "../../../../dev/api-document/document.ts";
import { exampleOf } from "../../../../dev/api-document/examples.ts";
import { createRouter, problemContent } from "../../../../functions/routes/http/router.ts";
import { BEARER_SCHEME } from "../../../../functions/routes/middleware/require-scope.ts";
import { exampleOfMedia, gapsOf, undocumented } from "../../../integration/support/openapi/api-gaps.ts";

const RESPONSE = z.object({ name: z.string().openapi({ example: "grafana" }) });
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
  responses: {
    201: { description: "The thing.", ...json(RESPONSE) },
    503: problemContent("The database is unavailable, or too slow."),
  },
} satisfies RouteConfig;

function documentOf(routes: readonly RouteConfig[], shared: Record<string, z.ZodType> = {}): ApiDocument {
  const router = createRouter();
  for (const route of routes) router.openapi(createRoute(route), (c) => c.body(null));
  return describeApi(router, "1.2.3", shared);
}

function operationOf(route: RouteConfig) {
  const [item] = Object.values(documentOf([route]).paths ?? {});
  return item?.get ?? item?.post;
}

describe("the document of a route", () => {
  it("holds the title, the version and the security scheme", () => {
    expect(documentOf([complete])).toMatchObject({
      openapi: "3.1.0",
      info: { title: "Dejavu", version: "1.2.3" },
      components: { securitySchemes: { [BEARER_SCHEME]: { type: "http", scheme: "bearer" } } },
      tags: [{ name: "search" }],
    });
  });

  it("adds the default response, and names the scope that the token needs", () => {
    const { responses = {}, description } = operationOf(complete) ?? {};
    expect(Object.keys(responses)).toEqual(["201", "503", "default"]);
    expect(description).toContain("`ingest`");
    expect(responses.default).toEqual({ $ref: "#/components/responses/Problem" });
    expect(responses[503]).toEqual({
      $ref: "#/components/responses/Problem",
      description: "The database is unavailable, or too slow.",
    });
  });

  it("describes a problem once for all routes", () => {
    const { components } = documentOf([complete]);
    expect(components?.responses?.Problem).toMatchObject({
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    });
    expect(exampleOf({ $ref: "#/components/schemas/Problem" }, components?.schemas ?? {})).toMatchObject({
      status: 422,
    });
  });

  it("keeps what the route declares itself", () => {
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
    ["/v1/things/{name}/runs", "getThingsByNameRuns"],
    ["/openapi.json", "getOpenapiJson"],
    ["/v1/runbooks/{domain}/{source{.+}}", "getRunbooksByDomainBySource"],
  ])("names GET %s %s", (path, id) => {
    expect(operationOf({ ...complete, method: "get", path })?.operationId).toBe(id);
  });

  it("removes the router's pattern from a parameter", () => {
    const paths = documentOf([{ ...complete, path: "/v1/runbooks/{domain}/{source{.+}}" }]).paths ?? {};
    expect(Object.keys(paths)).toEqual(["/v1/runbooks/{domain}/{source}"]);
  });
});

describe("a shared schema", () => {
  const shared = { Thing: RESPONSE };
  const answerOf = (schema: z.ZodType) => {
    const document = documentOf(
      [{ ...complete, responses: { 201: { description: "The thing.", ...json(schema) } } }],
      shared,
    );
    return document.paths?.["/v1/search/{id}"]?.post?.responses?.[201].content["application/json"].schema;
  };
  const reference = { $ref: "#/components/schemas/Thing" };

  it.each<[what: string, schema: z.ZodType, expected: unknown]>([
    ["stands for each copy of it", RESPONSE, reference],
    ["keeps the description of a copy", RESPONSE.describe("Ours."), { ...reference, description: "Ours." }],
    ["may be null in one place", RESPONSE.nullable(), { anyOf: [reference, { type: "null" }] }],
    [
      "stands for a part of another",
      z.object({ things: z.array(RESPONSE) }),
      { type: "object", properties: { things: { type: "array", items: reference } }, required: ["things"] },
    ],
  ])("%s", (_, schema, expected) => {
    expect(answerOf(schema)).toEqual(expected);
  });

  it("stands for the part of an object that has all its fields", () => {
    const fields = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, z.string()]));
    const document = documentOf(
      [
        {
          ...complete,
          responses: { 201: { description: "More.", ...json(z.object({ ...fields, more: z.string() })) } },
        },
      ],
      { Fields: z.object(fields) },
    );
    expect(document.paths?.["/v1/search/{id}"]?.post?.responses?.[201].content["application/json"].schema).toEqual({
      allOf: [
        { $ref: "#/components/schemas/Fields" },
        { type: "object", properties: { more: expect.anything() }, required: ["more"] },
      ],
    });
  });

  it("is a component of the document", () => {
    expect(documentOf([complete], shared).components?.schemas).toMatchObject({ Thing: { required: ["name"] } });
  });
});

describe("a parameter", () => {
  it("has a name if several operations have it", () => {
    const { paths, components } = documentOf([complete, { ...complete, path: "/v1/search/{id}/again" }]);
    expect(paths?.["/v1/search/{id}"]?.post?.parameters).toEqual([{ $ref: "#/components/parameters/id" }]);
    expect(components?.parameters).toMatchObject({ id: { in: "path", schema: { format: "uuid" } } });
  });
});

describe("an example", () => {
  const bodyExample = (schema: z.ZodType) => {
    const { requestBody } = operationOf({ ...complete, request: { body: json(schema) } }) ?? {};
    return requestBody && "content" in requestBody
      ? exampleOfMedia(requestBody.content["application/json"] ?? {})
      : undefined;
  };
  const text = z.string().openapi({ example: "a text" });

  it.each<[what: string, schema: z.ZodType, example: unknown]>([
    [
      "of an object is built from its fields",
      z.object({ a: text, b: z.object({ c: text }) }),
      { a: "a text", b: { c: "a text" } },
    ],
    ["omits an optional field without one", z.object({ a: text, b: z.string().optional() }), { a: "a text" }],
    ["includes an optional field with one", z.object({ a: text.optional() }), { a: "a text" }],
    ["of a list is a list of one", z.object({ a: z.array(text) }), { a: ["a text"] }],
    ["of an enumeration is its first value", z.object({ a: z.enum(["note", "log"]) }), { a: "note" }],
    ["of a constant is the constant", z.object({ a: z.literal(4) }), { a: 4 }],
    ["of a union is that of the first member with one", z.union([z.number(), text]), "a text"],
    ["of the schema itself is used unchanged", z.object({ a: text }).openapi({ example: { a: "b" } }), { a: "b" }],
    ["may be false", z.object({ a: z.boolean().openapi({ example: false }) }), { a: false }],
    ["omits an optional field with a default", z.object({ a: text, b: z.number().default(3) }), { a: "a text" }],
    [
      "is null for a nullable field without one",
      z.object({ a: text, b: z.string().nullable() }),
      { a: "a text", b: null },
    ],
    ["is undefined if a required field has none", z.object({ a: text, b: z.string() }), undefined],
    ["is never an empty object", z.object({ a: z.string().optional() }), undefined],
  ])("%s", (_, schema, example) => {
    expect(bodyExample(schema)).toEqual(example);
  });

  it("is found through the name of a schema", () => {
    expect(bodyExample(z.object({ a: z.object({ b: text }).openapi("Named") }))).toEqual({ a: { b: "a text" } });
  });

  it("is added to every UUID parameter", () => {
    expect(operationOf(complete)?.parameters).toMatchObject([
      { name: "id", example: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
  });
});

describe("a gap", () => {
  const { summary: _, ...withoutSummary } = complete;
  const bare = z.object({ name: z.string() });

  it("is not reported for a complete document", () => {
    expect(gapsOf(documentOf([complete]))).toEqual([]);
  });

  it.each<[what: string, route: RouteConfig, gap: RegExp]>([
    ["a summary", withoutSummary, /^POST \/v1\/search\/\{id\} has no summary: write one/],
    ["a tag", { ...complete, path: "/v1/elsewhere/{id}" }, /has no tag: add its path to .*api-document\/tags\.ts/],
    ["a tag that is described", { ...complete, tags: ["elsewhere"] }, /has no tag/],
    ["a readable operationId", { ...complete, operationId: "make it" }, /operationId that is not camelCase: "make it"/],
    [
      "an example of the body",
      { ...complete, request: { ...complete.request, body: json(bare) } },
      /has no example of its body \(application\/json\): write openapi\(\{ example \}\)/,
    ],
    [
      "an example of the response",
      { ...complete, responses: { 200: { description: "A thing.", ...json(bare) } } },
      /has no example of its response 200 \(application\/json\): write openapi\(\{ example \}\)/,
    ],
    [
      "an example of an error of its own form",
      { ...complete, responses: { ...complete.responses, 503: { description: "Away.", ...json(bare) } } },
      /has no example of its response 503 \(application\/json\)/,
    ],
    [
      "an example of a parameter",
      { ...complete, request: { ...complete.request, query: z.object({ q: z.string() }) } },
      /has no example of its parameter "q"/,
    ],
    [
      "a response for success",
      { ...complete, responses: { 404: problemContent("Nothing.") } },
      /has no response for success/,
    ],
  ])("is reported: %s", (_, route, gap) => {
    expect(gapsOf(documentOf([route]))).toEqual([expect.stringMatching(gap)]);
  });

  it("is reported for two operations with one id", () => {
    const duplicates = [complete, { ...complete, path: "/v1/search/{id}/again", operationId: "postSearchById" }];
    expect(gapsOf(documentOf(duplicates))).toHaveLength(2);
  });

  it("is reported for an undocumented route, but not for middleware", () => {
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
