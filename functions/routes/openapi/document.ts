// Owns the API document: what the routes say of themselves, and what holds for all of them, so that no route repeats
// it. Pure and deterministic. tests/integration/routes/openapi.test.ts tells which route lacks what.

import type { OpenAPIHono } from "@hono/zod-openapi";
import { exampleProblem } from "../http/problem.ts";
import { BEARER_SCHEME } from "../middleware/require-scope.ts";
import { exampleOf, ownExample, type Schema, type Schemas } from "./examples.ts";
import { COMMON_HEADERS, COMMON_RESPONSES, commonResponsesOf, PROBLEM_TYPE, withCommonHeaders } from "./responses.ts";
import { tagOf, tagsOf } from "./tags.ts";

export type ApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;
export type PathItem = NonNullable<ApiDocument["paths"]>[string];
export type Operation = NonNullable<PathItem["get"]>;
type Parameter = NonNullable<Operation["parameters"]>[number];
type Content = Extract<NonNullable<Operation["requestBody"]>, { content: unknown }>["content"];
type ExampleFor = (schema: Schema | undefined, mediaType: string) => unknown;

interface Response {
  readonly description: string;
  readonly content?: Content;
}

export const METHODS = ["get", "put", "post", "patch", "delete"] as const;
type Method = (typeof METHODS)[number];

/** Answers by operation id, for operations whose schemas have no example. */
export type RecordedExamples = Readonly<Record<string, unknown>>;

interface Given {
  readonly version: string;
  readonly recorded: RecordedExamples;
}

interface Named {
  readonly method: Method;
  readonly path: string;
  readonly schemas: Schemas;
  readonly recorded: RecordedExamples;
}

const EXAMPLE_ID = "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a";

const DESCRIPTION = `Dejavu triages incidents and remembers what fixed them.

Send \`Authorization: Bearer <token>\`. Each operation names the scope that its token needs.

Every error is a problem document (RFC 9457, \`application/problem+json\`): compare \`type\`, which is stable; \`detail\` says
what to do. 429 and 503 say with \`Retry-After\` when to try again. Every answer has an \`x-request-id\`, under which the log
knows the request.

Lists are paged: pass \`next_cursor\` back as \`cursor\`, unread, until it is null. Unknown fields are refused.`;

/** Describes every route that is mounted on the app by then. */
export function describeApi(app: Pick<OpenAPIHono, "getOpenAPI31Document">, { version, recorded }: Given): ApiDocument {
  const generated = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Dejavu",
      version,
      description: DESCRIPTION,
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT" },
    },
    servers: [{ url: "/", description: "The server that gave you this document." }],
  });
  const schemas = generated.components?.schemas ?? {};
  const paths: Record<string, PathItem> = {};
  for (const [pattern, item] of Object.entries(generated.paths ?? {})) {
    const path = withoutPatterns(pattern);
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      paths[path] = { ...paths[path], [method]: complete(operation, { method, path, schemas, recorded }) };
    }
  }
  return {
    ...generated,
    tags: tagsOf(Object.keys(paths)),
    paths,
    components: {
      schemas,
      responses: COMMON_RESPONSES,
      headers: COMMON_HEADERS,
      securitySchemes: {
        [BEARER_SCHEME]: { type: "http", scheme: "bearer", description: "The service's own token, or one made of it." },
      },
    },
  };
}

function complete(operation: Operation, { method, path, schemas, recorded }: Named): Operation {
  const operationId = operation.operationId ?? operationIdOf(method, path);
  const door = tagOf(path);
  const { requestBody, parameters } = operation;
  const body = requestBody && "content" in requestBody ? requestBody : undefined;
  const own: Readonly<Record<string, Response>> = operation.responses ?? {};
  const traits = { scopes: scopesOf(operation), hasBody: body !== undefined, hasParameters: parameters !== undefined };
  const responses: Record<string, Response> = {};
  for (const [key, response] of Object.entries(own)) {
    const status = Number(key);
    const content =
      response.content &&
      withExamples(response.content, (schema, mediaType) =>
        mediaType === PROBLEM_TYPE
          ? exampleProblem(status, response.description)
          : (exampleOf(schema, schemas) ?? (isRecorded(status, mediaType) ? recorded[operationId] : undefined)),
      );
    responses[key] = withCommonHeaders(status, { ...response, ...(content && { content }) });
  }
  return {
    ...(door !== undefined && { tags: [door] }),
    ...operation,
    operationId,
    ...(parameters && { parameters: parameters.map(withIdExample) }),
    ...(body && {
      requestBody: { ...body, content: withExamples(body.content, (schema) => exampleOf(schema, schemas)) },
    }),
    responses: { ...commonResponsesOf(traits), ...responses },
  };
}

/** The scopes that a route's token needs; undefined for a route that takes no token. */
function scopesOf({ security = [] }: Operation): string[] | undefined {
  const scopes = security.flatMap((requirement) => requirement[BEARER_SCHEME] ?? []);
  return security.some((requirement) => BEARER_SCHEME in requirement) ? scopes : undefined;
}

/** Only what was asked for and can be read: an error has its example, a stream writes its own. */
function isRecorded(status: number, mediaType: string): boolean {
  return status < 300 && mediaType === "application/json";
}

/** An example for each media type that has none of its own. */
function withExamples(content: Content, exampleFor: ExampleFor): Content {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const hasOwn = media.example !== undefined || media.examples !== undefined;
      const example = hasOwn ? undefined : exampleFor(media.schema, type);
      return [type, example === undefined ? media : { ...media, example }];
    }),
  );
}

/** Ids look alike everywhere. */
function withIdExample(parameter: Parameter): Parameter {
  if (!("schema" in parameter) || parameter.schema === undefined || !("format" in parameter.schema)) return parameter;
  const isPlainId = parameter.schema.format === "uuid" && ownExample(parameter.schema) === undefined;
  return isPlainId && parameter.example === undefined ? { ...parameter, example: EXAMPLE_ID } : parameter;
}

/** `POST /v1/incidents/{id}/resolve` is `postIncidentsByIdResolve`. */
function operationIdOf(method: Method, path: string): string {
  const words = path
    .replace(/^\/v1\//, "/")
    .replaceAll(/\{(\w+)\}/g, "by-$1")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  return method + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

/** The router lets a parameter say what it looks like, `{source{.+}}`; the document has that in its schema. */
function withoutPatterns(path: string): string {
  return path.replaceAll(/\{(\w+)\{[^/]*\}\}/g, "{$1}");
}
