// Owns what every operation of the API document must have, and says which route lacks what and where to write it. Pure.

import { type ApiDocument, METHODS, type Operation } from "../../../functions/routes/openapi/document.ts";

export interface ApiOperation {
  /** As people write it: "POST /v1/triage". */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

interface Route {
  readonly method: string;
  readonly path: string;
}

type Content = Readonly<Record<string, { readonly example?: unknown; readonly examples?: object }>>;

const ON_SCHEMA = "write openapi({ example }) on its schema, or on each of the schema's required fields";

export function operationsOf(document: ApiDocument): ApiOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ name: `${method.toUpperCase()} ${path}`, method, path, operation }] : [];
    }),
  );
}

/** What is missing, one sentence each; empty where the document is complete. */
export function gapsOf(document: ApiDocument): string[] {
  const operations = operationsOf(document);
  const doors = document.tags?.map(({ name }) => name) ?? [];
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
      ...(tags.length > 0 && tags.every((tag) => doors.includes(tag))
        ? []
        : ["has no tag: add its path to functions/routes/openapi/tags.ts"]),
      ...bodyGaps(operation),
      ...parameterGaps(operation),
      ...answerGaps(operation),
    ].map((gap) => `${name} ${gap}.`);
  });
}

/** The routes of the app that the document does not mention. */
export function undocumented(document: ApiDocument, routes: readonly Route[]): string[] {
  const names = operationsOf(document).map(({ name }) => name);
  const wanted = routes
    // What runs for every request is no route.
    .filter(({ method, path }) => method !== "ALL" || !path.includes("*"))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^/]*\})?/g, "{$1}")}`)
    .filter((name) => !names.some((known) => known === name || known.replace(/^\w+/, "ALL") === name));
  return [...new Set(wanted)].map(
    (name) => `${name} is not in the document: write it with createRoute and mount it with .openapi().`,
  );
}

function bodyGaps({ requestBody }: Operation): string[] {
  if (!requestBody || !("content" in requestBody)) return [];
  return withoutExample(requestBody.content).map((type) => `has no example of its body (${type}): ${ON_SCHEMA}`);
}

function parameterGaps({ parameters = [] }: Operation): string[] {
  return parameters.flatMap((parameter) => {
    if (!("name" in parameter) || !parameter.required) return [];
    const inSchema = parameter.schema !== undefined && "example" in parameter.schema;
    const has = parameter.example !== undefined || parameter.examples !== undefined || inSchema;
    return has ? [] : [`has no example of its parameter "${parameter.name}": write openapi({ example }) on its schema`];
  });
}

function answerGaps({ responses = {} }: Operation): string[] {
  const answers: [string, { readonly content?: Content }][] = Object.entries(responses);
  const missing = answers.flatMap(([status, { content = {} }]) =>
    withoutExample(content).map(
      (type) => `has no example of its answer ${status} (${type}): ${adviceFor(status, type)}`,
    ),
  );
  const succeeds = answers.some(([status]) => /^[23]/.test(status));
  return succeeds ? missing : ["has no answer for success: declare one in its createRoute", ...missing];
}

function adviceFor(status: string, type: string): string {
  if (type === "application/problem+json") return "give the status a problem in functions/routes/http/problem.ts";
  const isRecorded = type === "application/json" && status.startsWith("2");
  return isRecorded ? `${ON_SCHEMA}, or run npm run examples, which records what it answers` : ON_SCHEMA;
}

function withoutExample(content: Content): string[] {
  return Object.entries(content)
    .filter(([, { example, examples }]) => example === undefined && examples === undefined)
    .map(([type]) => type);
}
