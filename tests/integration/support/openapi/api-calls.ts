// Requests built from an operation of the API document: its examples, and invalid variants of them. Pure functions.

import { type ApiOperation, exampleOfMedia } from "./api-gaps.ts";

export interface ApiCall {
  readonly name: string;
  readonly path: string;
  readonly init: RequestInit;
}

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
/** Above the limit of every body. */
const TOO_LARGE_BYTES = 2_000_000;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly example: unknown;
  readonly format: string | undefined;
  /** Whether the schema lists the allowed values. */
  readonly isChoice: boolean;
}

interface Body {
  readonly mediaType: string;
  readonly example: unknown;
}

export type PathValues = Readonly<Record<string, string>>;

/** Each example of the body, once with the required parameters and once with all that have an example. */
export function callsOf({ name, method, path, operation }: ApiOperation, values: PathValues): ApiCall[] {
  const parameters = parametersOf(operation);
  const requiredOnly = parameters.filter(({ required }) => required);
  const all = parameters.filter(({ required, example }) => required || example !== undefined);
  const bodies = bodiesOf(operation);
  return (all.length > requiredOnly.length ? [requiredOnly, all] : [requiredOnly]).flatMap((selected) =>
    (bodies.length > 0 ? bodies : [undefined]).map((body) => ({
      name,
      path: fill(path, selected, values),
      init: {
        method: method.toUpperCase(),
        headers: {
          ...Object.fromEntries(placed(selected, "header").map((each) => [each.name, String(each.example)])),
          ...(body && { "content-type": body.mediaType }),
        },
        ...(body && { body: encode(body) }),
      },
    })),
  );
}

/** The first of these calls, changed so that the operation must respond with the status; undefined if it cannot. */
export function invalidCall(operation: ApiOperation, status: number): ApiCall | undefined {
  const [call] = callsOf(operation, {});
  if (!call) return undefined;
  const { path, init } = call;
  const changed = (changes: RequestInit) => ({ ...call, init: { ...init, ...changes } });
  const typed = (type: string) => ({ ...init.headers, "content-type": type });
  if (status === 401) return changed({ headers: { ...init.headers, authorization: "Bearer not-a-token" } });
  const isJson = String(new Headers(init.headers).get("content-type")).endsWith("json");
  if (init.body === undefined || (status === 422 && !isJson)) {
    const wrongPath = status === 422 ? invalidPath(operation, path) : undefined;
    return wrongPath === undefined ? undefined : { ...call, path: wrongPath };
  }
  switch (status) {
    case 400:
      return changed({ body: new Uint8Array([0x7b, 0xff]) });
    case 413:
      return changed({ body: "x".repeat(TOO_LARGE_BYTES) });
    case 415:
      return changed({ headers: typed("application/x-nothing") });
    case 422:
      return changed({ body: '{"no_such_field":1}' });
    default:
      return undefined;
  }
}

/** The first of these calls for a record that does not exist; undefined when the path names no record. */
export function callForUnknown(operation: ApiOperation): ApiCall | undefined {
  const named = placed(parametersOf(operation.operation), "path").filter(({ isChoice }) => !isChoice);
  const last = named.at(-1);
  if (!last) return undefined;
  // A reversed id keeps its format.
  return callsOf(operation, { [last.name]: last.format === "uuid" ? UNKNOWN_ID : unlike(last.example) })[0];
}

function unlike(example: unknown): string {
  return typeof example === "number" ? String(example + 1_000_000) : [...String(example)].reverse().join("");
}

/** A path that the parameters' schemas reject; undefined if they reject none. */
function invalidPath({ path: pattern, operation }: ApiOperation, path: string): string | undefined {
  const parameters = parametersOf(operation);
  if (placed(parameters, "query").length > 0) return `${path}${path.includes("?") ? "&" : "?"}no_such_parameter=1`;
  const id = placed(parameters, "path").find(({ format }) => format === "uuid");
  return id && fill(pattern, parameters, { [id.name]: "no-id" });
}

function parametersOf({ parameters = [] }: ApiOperation["operation"]): Parameter[] {
  return parameters.flatMap((each) => {
    if (!("name" in each)) return [];
    const { name, in: place, required = false, schema } = each;
    const example: unknown = each.example ?? (schema && "example" in schema ? schema.example : undefined);
    const format = schema && "format" in schema ? schema.format : undefined;
    const isChoice = schema !== undefined && "enum" in schema;
    return [{ name, in: place, required, example, format, isChoice }];
  });
}

function bodiesOf({ requestBody }: ApiOperation["operation"]): Body[] {
  if (!requestBody || !("content" in requestBody)) return [];
  return Object.entries(requestBody.content).flatMap(([mediaType, { examples, ...media }]) => {
    const named = Object.values(examples ?? {}).flatMap((each) => ("value" in each ? [each.value] : []));
    return (examples ? named : [exampleOfMedia(media)]).map((value: unknown) => ({ mediaType, example: value }));
  });
}

function encode({ mediaType, example }: Body): string {
  if (typeof example === "string") return example;
  if (mediaType !== "application/x-www-form-urlencoded") return JSON.stringify(example);
  const fields: Record<string, unknown> = Object(example);
  return new URLSearchParams(Object.fromEntries(texts(Object.entries(fields)))).toString();
}

function fill(path: string, parameters: readonly Parameter[], values: PathValues): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const example = parameters.find((each) => each.in === "path" && each.name === name)?.example;
    return encodeURIComponent(values[name] ?? String(example));
  });
  const pairs = placed(parameters, "query").map(({ name, example }) => [name, example] as const);
  const query = new URLSearchParams(Object.fromEntries(texts(pairs)));
  return query.size > 0 ? `${filled}?${query}` : filled;
}

function texts(pairs: readonly (readonly [string, unknown])[]): [string, string][] {
  return pairs.map(([name, value]) => [name, String(value)]);
}

function placed(parameters: readonly Parameter[], place: string): Parameter[] {
  return parameters.filter((each) => each.in === place);
}
