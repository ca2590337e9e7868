import { describe, expect, it } from "vitest";
import { currentDocument } from "../../../../dev/api-document/current-document.ts";
import type { Json, JsonObject } from "../../../../dev/api-document/json.ts";
import { apiChanges, versionProblem } from "../../../../dev/release/api-changes.ts";
import { publishedReleases } from "../../../../dev/release/recorded-releases.ts";
import packageJson from "../../../../package.json" with { type: "json" };

const PLACE = "POST /v1/things";

interface Parts {
  readonly request?: Json;
  readonly response?: Json;
  readonly operation?: JsonObject;
}

const schemaOf = (schema: Json | undefined) => ({ content: { "application/json": { schema: schema ?? {} } } });

function documentOf({ request, response, operation }: Parts, schemas: JsonObject = {}): JsonObject {
  const post: JsonObject = {
    requestBody: schemaOf(request),
    responses: { 200: schemaOf(response), 404: { description: "Missing." } },
    ...operation,
  };
  return { info: { version: "1.0.0" }, paths: { "/v1/things": { post } }, components: { schemas } };
}

function changesOf(before: Parts, after: Parts): string[] {
  return apiChanges(documentOf(before), documentOf(after)).map(
    ({ breaking, place, text }) => `${breaking ? "breaks" : "adds"} ${place.replace(PLACE, "").trim()}: ${text}`,
  );
}

const object = (properties: JsonObject, required: readonly string[] = [], rest: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  required,
  ...rest,
});
const text = { type: "string" };
const listed = (...values: readonly string[]) => ({ type: "string", enum: values });

describe("the schema of a request", () => {
  it.each<[string, Json, Json, string[]]>([
    ["a removed field", object({ a: text }), object({}), ["breaks request.a: removed"]],
    ["a new optional field", object({}), object({ a: text }), ["adds request.a: added"]],
    ["a new required field", object({}), object({ a: text }, ["a"]), ["breaks request.a: added as required"]],
    [
      "a field that is required now",
      object({ a: text }),
      object({ a: text }, ["a"]),
      ["breaks request.a: is required now"],
    ],
    [
      "a field that is optional now",
      object({ a: text }, ["a"]),
      object({ a: text }),
      ["adds request.a: is optional now"],
    ],
    ["a narrowed type", { type: ["string", "null"] }, text, ["breaks request: type string, before string | null"]],
    ["a widened type", { type: "integer" }, { type: "number" }, ["adds request: type number, before integer"]],
    ["a removed value", listed("a", "b"), listed("a"), ['breaks request: value "b" removed']],
    ["an added value", listed("a"), listed("a", "b"), ['adds request: value "b" added']],
    ["a list of values where all were accepted", text, listed("a"), ["breaks request: is limited to listed values"]],
    ["a lower maximum", { maxLength: 9 }, { maxLength: 8 }, ["breaks request: maxLength 8, before 9"]],
    ["a higher maximum", { maxLength: 9 }, { maxLength: 10 }, ["adds request: maxLength 10, before 9"]],
    ["a new minimum", {}, { minimum: 1 }, ["breaks request: minimum 1, before none"]],
    ["a new pattern", {}, { pattern: "^a" }, ['breaks request: pattern "^a", before null']],
    ["a changed default", { default: 1 }, { default: 2 }, ["breaks request: default 2, before 1"]],
    [
      "unknown fields that are refused now",
      object({}),
      object({}, [], { additionalProperties: false }),
      ["breaks request: additionalProperties changed"],
    ],
    ["narrower items", { items: {} }, { items: text }, ["breaks request[]: type string, before any"]],
    [
      "a removed variant",
      { anyOf: [text, { type: "null" }] },
      text,
      ["breaks request(2): type string, before null", "adds request: 1 variants, before 2"],
    ],
    ["an added variant", text, { anyOf: [{ type: "null" }, text] }, ["adds request: 2 variants, before 1"]],
    ["a keyword without a rule", {}, { allOf: [text] }, ["breaks request: allOf changed"]],
    ["other words", { description: "A." }, { description: "B.", examples: ["b"] }, []],
  ])("classifies %s", (_, before, after, changes) => {
    expect(changesOf({ request: before }, { request: after })).toEqual(changes);
  });
});

describe("the schema of a response", () => {
  it.each<[string, Json, Json, string[]]>([
    ["a removed field", object({ a: text }), object({}), ["breaks 200.a: removed"]],
    ["a new field", object({}), object({ a: text }, ["a"]), ["adds 200.a: added as required"]],
    [
      "a field that may be missing now",
      object({ a: text }, ["a"]),
      object({ a: text }),
      ["breaks 200.a: is optional now"],
    ],
    ["a field that has a default now", object({ a: text }, ["a"]), object({ a: { ...text, default: "" } }), []],
    [
      "a nullable object that is written as variants",
      { ...object({ a: text }), type: ["object", "null"] },
      { anyOf: [object({ a: text }), { type: "null" }] },
      [],
    ],
    ["a widened type", text, { type: ["string", "null"] }, ["breaks 200: type string | null, before string"]],
    ["a narrowed type", { type: ["string", "null"] }, text, ["adds 200: type string, before string | null"]],
    ["an added value", listed("a"), listed("a", "b"), ['adds 200: value "b" added']],
    ["any value where few were listed", listed("a"), text, ["breaks 200: is no longer limited to listed values"]],
    ["a lost format", { format: "date-time" }, {}, ['breaks 200: format null, before "date-time"']],
    ["items without a schema", { items: text }, {}, ["breaks 200[]: items are no longer described"]],
    ["fewer leading items", { prefixItems: [text] }, {}, ["breaks 200: 0 leading items, before 1"]],
    [
      "an added variant",
      text,
      { anyOf: [text, { type: "null" }] },
      ["breaks 200(2): type null, before string", "adds 200: 2 variants, before 1"],
    ],
  ])("classifies %s", (_, before, after, changes) => {
    expect(changesOf({ response: before }, { response: after })).toEqual(changes);
  });

  it("follows references, and ends where schemas refer to themselves", () => {
    const thing = (name: JsonObject) => object({ name, parent: { $ref: "#/components/schemas/Thing" } });
    const parts = { response: { $ref: "#/components/schemas/Thing" } };
    const changes = apiChanges(
      documentOf(parts, { Thing: thing(text) }),
      documentOf(parts, { Thing: thing({ type: "null" }) }),
    );
    expect(changes).toEqual([{ breaking: true, place: `${PLACE} 200.name`, text: "type null, before string" }]);
  });
});

describe("an operation", () => {
  const security = (...scopes: readonly (readonly string[])[]) => ({ security: scopes.map((token) => ({ token })) });
  const parameter = (required: boolean, schema: Json = {}) => ({
    parameters: [{ in: "query", name: "q", required, schema }],
  });
  it.each<[string, JsonObject, JsonObject, string[]]>([
    ["a changed operationId", { operationId: "a" }, { operationId: "b" }, ["breaks : operationId changed"]],
    ["a removed parameter", parameter(false), {}, ["breaks query:q: removed"]],
    ["a new parameter", {}, parameter(false), ["adds query:q: added"]],
    ["a new required parameter", {}, parameter(true), ["breaks query:q: added"]],
    ["a parameter that is required now", parameter(false), parameter(true), ["breaks query:q: is required now"]],
    [
      "a narrowed parameter",
      parameter(true, text),
      parameter(true, listed("a")),
      ["breaks query:q: is limited to listed values"],
    ],
    ["a new error", {}, { responses: { 200: schemaOf({}), 404: {}, 409: {} } }, ["adds 409: added"]],
    ["a removed error", {}, { responses: { 200: schemaOf({}) } }, ["adds 404: removed"]],
    ["a removed success", {}, { responses: { 404: {} } }, ["breaks 200: removed"]],
    [
      "another content type",
      {},
      { responses: { 200: { content: { "text/plain": {} } }, 404: {} } },
      ["breaks 200: application/json removed", "adds 200: text/plain added"],
    ],
    [
      "a scope that no longer suffices",
      security(["a"], ["b"]),
      security(["a"]),
      ['breaks : security [{"token":["a"]}], before [{"token":["a"]},{"token":["b"]}]'],
    ],
    [
      "one more scope that suffices",
      security(["a"]),
      security(["a"], ["b"]),
      ['adds : security [{"token":["a"]},{"token":["b"]}], before [{"token":["a"]}]'],
    ],
    ["a token where none was needed", security(), security(["a"]), ['breaks : security [{"token":["a"]}], before []']],
    ["no token where one was needed", security(["a"]), security(), ['adds : security [], before [{"token":["a"]}]']],
  ])("classifies %s", (_, before, after, changes) => {
    expect(changesOf({ operation: before }, { operation: after })).toEqual(changes);
  });

  it("breaks when it is removed", () => {
    const [before, after] = [documentOf({}), { paths: {} }];
    expect(apiChanges(before, after)).toEqual([{ breaking: true, place: PLACE, text: "removed" }]);
    expect(apiChanges(after, before)).toEqual([{ breaking: false, place: PLACE, text: "added" }]);
  });
});

describe("the version", () => {
  const breaks = [{ breaking: true, place: "GET /a", text: "removed" }];
  const adds = [{ breaking: false, place: "GET /b", text: "added" }];
  it.each([
    [breaks, "1.2.3", "1.3.0", /raise the major version[\s\S]+GET \/a: removed/],
    [adds, "1.2.3", "1.2.4", /Raise the minor version[\s\S]+GET \/b: added/],
  ])("must be raised for %j from %s to %s", (changes, released, version, problem) => {
    expect(versionProblem(changes, released, version)).toMatch(problem);
  });

  it.each([
    [breaks, "1.2.3", "2.0.0"],
    [adds, "1.2.3", "1.3.0"],
    [[], "1.2.3", "1.2.4"],
    [breaks, "0.1.0", "0.1.0"],
  ])("covers %j from %s to %s", (changes, released, version) => {
    expect(versionProblem(changes, released, version)).toBeNull();
  });
});

describe("the API", () => {
  it("is that of the last published release, or the version says that it is not", async () => {
    const released = publishedReleases().at(-1);
    if (released === undefined) return;
    const changes = apiChanges(released.api, currentDocument());
    const problem = versionProblem(changes, released.version, packageJson.version);
    expect(problem, problem ?? "").toBeNull();
  });
});
