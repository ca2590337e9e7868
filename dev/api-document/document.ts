// The OpenAPI document: the routes' own definitions, completed with tags, operation ids, examples and common responses.
// Pure functions. tests/integration/routes/openapi.test.ts reports what a route lacks.

import type { OpenAPIHono } from "@hono/zod-openapi";
import { PROBLEM_TYPE } from "../../functions/routes/http/problem-schema.ts";
import { BEARER_SCHEME } from "../../functions/routes/middleware/require-scope.ts";
import { exampleOf, ownExample, resolve, type Schemas } from "./examples.ts";
import { nameSchemas, type SharedSchemas } from "./name-schemas.ts";
import { tagOf, tagsOf } from "./tags.ts";

export type ApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;
export type PathItem = NonNullable<ApiDocument["paths"]>[string];
export type Operation = NonNullable<PathItem["get"]>;
type Parameter = NonNullable<Operation["parameters"]>[number];
type Content = Extract<NonNullable<Operation["requestBody"]>, { content: unknown }>["content"];

interface Response {
  readonly description: string;
  readonly content?: Content;
}

export const METHODS = ["get", "put", "post", "patch", "delete"] as const;
type Method = (typeof METHODS)[number];

interface OperationContext {
  readonly method: Method;
  readonly path: string;
  readonly schemas: Schemas;
}

const PROBLEM_REFERENCE = { $ref: "#/components/responses/Problem" };
const PROBLEM = {
  description: "An error.",
  content: { [PROBLEM_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } },
};

const EXAMPLE_ID = "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a";

const DESCRIPTION = `Dejavu triages incidents and remembers what fixed them.

Send \`Authorization: Bearer <token>\`. Each operation names the scope that its token needs.

Every error is a problem document (RFC 9457, \`application/problem+json\`). Compare \`type\`, which is stable; \`detail\` says
what to do. 429 and 503 carry \`Retry-After\`. Every response has an \`x-request-id\`; log lines of the request carry the same
id.

The response \`default\` of an operation stands for the errors that have the same reason everywhere:

- 400, 408, 413, 415: the body could not be read, took too long, is too large, or has another content type
- 401, 403: the token is missing or not valid, or lacks the scope
- 422: the request is not valid; \`errors\` names the fields
- 429: too many requests
- 500: an internal error; the log holds the reason under the request id
- 503: the database is unavailable

Lists are paged: pass \`next_cursor\` back unchanged as \`cursor\` until it is null. Unknown fields are rejected.`;

/**
 * Describes every route that is mounted on the app when it is called.
 * @param shared schemas that operations refer to by name
 */
export function describeApi(
  app: Pick<OpenAPIHono, "getOpenAPI31Document">,
  version: string,
  shared: SharedSchemas = {},
): ApiDocument {
  const generated = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Dejavu",
      version,
      description: DESCRIPTION,
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT" },
    },
    servers: [{ url: "/", description: "The server that serves this document." }],
  });
  const schemas = generated.components?.schemas ?? {};
  const named = nameSchemas(schemas, shared);
  const operations = Object.entries(generated.paths ?? {}).flatMap(([pattern, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const path = withoutPatterns(pattern);
      return operation ? [{ path, method, operation: complete(operation, { method, path, schemas }) }] : [];
    }),
  );
  const parameters = sharedParameters(operations.flatMap(({ operation }) => operation.parameters ?? []));
  const paths: Record<string, PathItem> = {};
  for (const { path, method, operation } of operations)
    paths[path] = { ...paths[path], [method]: named.refer(withSharedParameters(operation, parameters)) };
  return {
    ...generated,
    tags: tagsOf(Object.keys(paths)),
    paths,
    ...(generated.webhooks && { webhooks: named.refer(generated.webhooks) }),
    components: {
      schemas: named.schemas,
      parameters,
      responses: { Problem: PROBLEM },
      securitySchemes: {
        [BEARER_SCHEME]: {
          type: "http",
          scheme: "bearer",
          description: "The service token, or an access token created with it.",
        },
      },
    },
  };
}

function complete(operation: Operation, { method, path, schemas }: OperationContext): Operation {
  const operationId = operation.operationId ?? operationIdOf(method, path);
  const tag = tagOf(path);
  const { requestBody, parameters } = operation;
  const body = requestBody && "content" in requestBody ? requestBody : undefined;
  const declared: Readonly<Record<string, Response>> = operation.responses ?? {};
  const responses = Object.entries(declared).map(([status, response]) => [status, responseOf(response)]);
  return {
    ...(tag !== undefined && { tags: [tag] }),
    ...operation,
    // Stated for public operations too: an empty list means that no token is needed.
    security: operation.security ?? [],
    description: [operation.description, tokenNoteOf(operation)].filter((part) => part !== undefined).join("\n\n"),
    operationId,
    ...(parameters && { parameters: parameters.map(completeParameter) }),
    ...(body && {
      requestBody: { ...body, content: withExamples(body.content, schemas) },
    }),
    responses: { ...Object.fromEntries(responses), default: PROBLEM_REFERENCE },
  };
}

/** A problem becomes a reference with the description of the route. */
function responseOf(response: Response) {
  const isProblem = Object.keys(response.content ?? {}).join() === PROBLEM_TYPE;
  return isProblem ? { ...PROBLEM_REFERENCE, description: response.description } : response;
}

/** The scopes of which the token needs one; undefined for a route without a token. */
function scopesOf({ security = [] }: Operation): string[] | undefined {
  const scopes = security.flatMap((requirement) => requirement[BEARER_SCHEME] ?? []);
  return security.some((requirement) => BEARER_SCHEME in requirement) ? scopes : undefined;
}

/** Undefined for a route that describes its authentication itself: a signature, or a scope for each tool. */
function tokenNoteOf(operation: Operation): string | undefined {
  if (operation.security === undefined) return "Needs no token.";
  const scopes = scopesOf(operation) ?? [];
  return scopes.length > 0 ? `Needs a token with the scope \`${scopes.join("` or `")}\`.` : undefined;
}

/**
 * Adds an example to each media type where neither it nor its schema has one: Swagger UI sends it. It makes the examples
 * of responses from their schemas.
 */
function withExamples(content: Content, schemas: Schemas): Content {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const hasOwn = media.example !== undefined || media.examples !== undefined;
      const schema = media.schema && resolve(media.schema, schemas);
      const isIncomplete = !hasOwn && schema !== undefined && ownExample(schema) === undefined;
      const example = isIncomplete ? exampleOf(schema, schemas) : undefined;
      return [type, example === undefined ? media : { ...media, example }];
    }),
  );
}

/** Adds the same example to every UUID without its own, and leaves out the description that the schema repeats. */
function completeParameter(parameter: Parameter): Parameter {
  if (!("schema" in parameter) || parameter.schema === undefined || "$ref" in parameter.schema) return parameter;
  const { description: _, ...schema } = parameter.schema;
  const isPlainId = schema.format === "uuid" && ownExample(schema) === undefined && parameter.example === undefined;
  const { required, ...rest } = parameter;
  return { ...rest, ...(required && { required }), schema, ...(isPlainId && { example: EXAMPLE_ID }) };
}

/** The parameters that several operations have, each under its name; of those with the same name, the first. */
function sharedParameters(all: readonly Parameter[]): Record<string, Parameter> {
  const written = all.map((parameter) => JSON.stringify(parameter));
  const repeated = all.filter((_, i) => written.indexOf(written[i] ?? "") < i);
  return Object.fromEntries(repeated.toReversed().flatMap((each) => ("name" in each ? [[each.name, each]] : [])));
}

function withSharedParameters(operation: Operation, shared: Readonly<Record<string, Parameter>>): Operation {
  const parameters = operation.parameters?.map((each) => {
    const isShared = "name" in each && JSON.stringify(shared[each.name]) === JSON.stringify(each);
    return isShared ? { $ref: `#/components/parameters/${each.name}` } : each;
  });
  return { ...operation, ...(parameters && { parameters }) };
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

/** Removes the router's patterns, `{source{.+}}`: in the document the parameter's schema holds them. */
function withoutPatterns(path: string): string {
  return path.replaceAll(/\{(\w+)\{[^/]*\}\}/g, "{$1}");
}
