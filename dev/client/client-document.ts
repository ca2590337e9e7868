// The part of the API document that the typed client needs.

import { PROBLEM_TYPE } from "../../functions/routes/http/problem-schema.ts";
import { currentDocument } from "../api-document/current-document.ts";
import { METHODS } from "../api-document/document.ts";
import { isObject, type Json, type JsonObject } from "../api-document/json.ts";

/** Paths that no program calls: pages, and what only Slack, a signed webhook or an MCP client sends. */
export const LEFT_OUT = /^\/($|docs|openapi\.json$|slack$|mcp$|v1\/(?:alerts\/pagerduty|changes\/github)$)/;
const PROBLEM = { $ref: "#/components/responses/Problem" };

/** Without examples and response headers, and with one response for every problem: the types are half as long. */
export function clientDocument(): JsonObject {
  const { openapi, paths, components } = currentDocument();
  const shared = objectOf(withoutExamples(objectOf(components)));
  const called = Object.entries(objectOf(paths)).filter(([path]) => !LEFT_OUT.test(path));
  return {
    openapi: openapi ?? null,
    info: { title: "Dejavu", version: "" },
    paths: Object.fromEntries(called.map(([path, item]) => [path, pathItem(objectOf(item), shared)])),
    components: {
      // Only responses refer to them.
      schemas: mapObjects(shared.schemas ?? {}, true, withDefaultRequired),
      responses: {
        Problem: {
          description: "A problem document (RFC 9457).",
          content: { [PROBLEM_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  };
}

function pathItem(item: JsonObject, shared: JsonObject): JsonObject {
  return Object.fromEntries(
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const { responses, ...rest } = objectOf(operation);
      const described = Object.entries(objectOf(responses)).map(([status, response]) => [
        status,
        responseOf(objectOf(response)),
      ]);
      const request = objectOf(mapObjects(withoutExamples(rest), false, (value) => inlined(value, shared)));
      return [[method, { ...request, responses: Object.fromEntries(described) }]];
    }),
  );
}

function responseOf({ headers: _, ...response }: JsonObject): Json {
  const types = Object.keys(objectOf(response.content ?? {}));
  const isProblem = response.$ref !== undefined || types.join() === PROBLEM_TYPE;
  return isProblem ? PROBLEM : mapObjects(withoutExamples(response), false, withDefaultRequired);
}

/** A property may be named "example": only keywords of a schema, a parameter or a media type are removed. */
function withoutExamples(value: Json, isProperties = false): Json {
  return mapObjects(value, isProperties, (keywords) =>
    Object.fromEntries(Object.entries(keywords).filter(([key]) => key !== "example" && key !== "examples")),
  );
}

/** The schema or the parameter that a reference names. */
function inlined({ $ref, ...rest }: JsonObject, shared: JsonObject): JsonObject {
  if (typeof $ref !== "string") return rest;
  const [kind = "", name = ""] = $ref.split("/").slice(2);
  return { ...objectOf(objectOf(shared[kind])[name]), ...rest };
}

/** In a response, a field with a default is always present; in a request it may be omitted. */
function withDefaultRequired(keywords: JsonObject): JsonObject {
  if (!isObject(keywords.properties)) return keywords;
  const required = Array.isArray(keywords.required) ? keywords.required : [];
  const filled = Object.entries(keywords.properties).flatMap(([name, property]) =>
    isObject(property) && property.default !== undefined ? [name] : [],
  );
  return { ...keywords, required: [...new Set([...required, ...filled])] };
}

/** Changes every object but those whose keys are names of properties. */
function mapObjects(value: Json, isProperties: boolean, change: (keywords: JsonObject) => JsonObject): Json {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, false, change));
  if (!isObject(value)) return value;
  const entries = Object.entries(isProperties ? value : change(value));
  return Object.fromEntries(
    entries.map(([key, item]) => [key, mapObjects(item, !isProperties && key === "properties", change)]),
  );
}

function objectOf(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw new Error("The API document is incomplete.");
  return value;
}
