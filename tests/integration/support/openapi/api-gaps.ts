// Checks that each operation of the API document is complete, and reports where to add what is missing. Pure functions.

import { type ApiDocument, METHODS, type Operation } from "../../../../dev/api-document/document.ts";
import { exampleOf, type Schema } from "../../../../dev/api-document/examples.ts";

export interface ApiOperation {
  /** Method and path: "POST /v1/triage". */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

interface Route {
  readonly method: string;
  readonly path: string;
}

interface Media {
  readonly example?: unknown;
  readonly examples?: object;
  readonly schema?: Schema;
}
type Content = Readonly<Record<string, Media>>;

const ON_SCHEMA = "write openapi({ example }) on its schema, or on each of the schema's required fields";

export function operationsOf(document: ApiDocument): ApiOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ name: `${method.toUpperCase()} ${path}`, method, path, operation }] : [];
    }),
  );
}

/** One sentence for each missing part; empty when the document is complete. */
export function gapsOf(document: ApiDocument): string[] {
  const operations = operationsOf(document);
  const tagNames = document.tags?.map(({ name }) => name) ?? [];
  const ids = operations.map(({ operation }) => operation.operationId);
  return operations.flatMap(({ name, operation }) => {
    const { summary, operationId = "", tags = [] } = operation;
    return [
      ...(summary ? [] : ["has no summary: write one in its createRoute"]),
      ...(/^[a-z][A-Za-z0-9]*$/.test(operationId)
        ? []
        : [`has an operationId that is not camelCase: "${operationId}"`]),
      ...(ids.indexOf(operationId) === ids.lastIndexOf(operationId)
        ? []
        : [`shares the operationId "${operationId}": write another in its createRoute`]),
      ...(tags.length > 0 && tags.every((tag) => tagNames.includes(tag))
        ? []
        : ["has no tag: add its path to dev/api-document/tags.ts"]),
      ...(operation.description ? [] : ["has no description: write one in its createRoute"]),
      ...(operation.security ? [] : ["does not say whether it needs a token: write security in its createRoute"]),
      ...bodyGaps(operation),
      ...parameterGaps(operation),
      ...responseGaps(operation),
    ].map((gap) => `${name} ${gap}.`);
  });
}

/** The routes of the app that the document lacks. */
export function undocumented(document: ApiDocument, routes: readonly Route[]): string[] {
  const names = operationsOf(document).map(({ name }) => name);
  const missing = routes
    // Middleware that runs for every request, the addresses within the console, and the documentation's files.
    .filter(
      ({ method, path }) => (method !== "ALL" || !path.includes("*")) && !["/console/*", "/guide/*"].includes(path),
    )
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^/]*\})?/g, "{$1}")}`)
    .filter((name) => !names.some((documented) => documented === name || documented.replace(/^\w+/, "ALL") === name));
  return [...new Set(missing)].map(
    (name) => `${name} is not in the document: write it with createRoute and mount it with .openapi().`,
  );
}

function bodyGaps({ requestBody }: Operation): string[] {
  if (!requestBody || !("content" in requestBody)) return [];
  return withoutExample(requestBody.content).map((type) => `has no example of its body (${type}): ${ON_SCHEMA}`);
}

function parameterGaps({ parameters = [] }: Operation): string[] {
  return parameters.flatMap((parameter) => {
    if (!("name" in parameter)) return [];
    const inSchema = parameter.schema !== undefined && "example" in parameter.schema;
    const has = parameter.example !== undefined || parameter.examples !== undefined || inSchema;
    if (!parameter.required)
      return has ? [`has an example of its optional parameter "${parameter.name}", which Swagger UI sends`] : [];
    return has ? [] : [`has no example of its parameter "${parameter.name}": write openapi({ example }) on its schema`];
  });
}

function responseGaps({ responses = {} }: Operation): string[] {
  const entries: [string, { readonly content?: Content }][] = Object.entries(responses);
  const missing = entries.flatMap(([status, { content = {} }]) =>
    withoutExample(content).map((type) => `has no example of its response ${status} (${type}): ${ON_SCHEMA}`),
  );
  const succeeds = entries.some(([status]) => /^[23]/.test(status));
  return succeeds ? missing : ["has no response for success: declare one in its createRoute", ...missing];
}

function withoutExample(content: Content): string[] {
  return Object.entries(content)
    .filter(([, media]) => media.examples === undefined && exampleOfMedia(media) === undefined)
    .map(([type]) => type);
}

/** Its own, or the one that tools make from its schema. @param media without references */
export function exampleOfMedia({ example, schema }: Media): unknown {
  return example === undefined ? exampleOf(schema, {}) : example;
}
