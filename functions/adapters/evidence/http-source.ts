// Requests to HTTP APIs of evidence sources: address, credential, size limit, and failures without content.

import { QUERY_LIMITS } from "../../../lib/checks/scope/query.ts";
import { callDependency, DependencyError } from "../../dependencies.ts";
import type { EvidenceSourceDefinition } from "../../schemas/evidence/source.ts";
import type { StartTimer } from "../../timers.ts";
import { fetchDirect } from "../http/fetch-direct.ts";
import { failureOf, parseJson, readBytes } from "../http/http-response.ts";
import type { QueryCall } from "./client.ts";

/** Longer addresses are refused by some proxies. */
const MAX_URL_CHARS = 2_000;
/** Of an error's body: its code is at the beginning. */
const MAX_ERROR_BYTES = 4_096;

export type SourceResponse =
  | { readonly kind: "json"; readonly value: unknown }
  /** More than QUERY_LIMITS.bytes; the rest was not read. */
  | { readonly kind: "too_large"; readonly size: string };

export interface HttpSource {
  /**
   * Sends one request and reads its JSON. Parameters are encoded; a long request is sent as a form.
   * @throws DependencyError
   */
  get(path: string, parameters: Readonly<Record<string, string>>, call: QueryCall): Promise<SourceResponse>;
}

export interface HttpSourceOptions {
  /** A token; or `user:password`; or a whole header value such as `Bearer …`; null without one. */
  readonly credential: string | null;
  readonly startTimer: StartTimer;
  /** Reads the failure from the JSON of an error; undefined to go by the status. */
  readonly failureIn?: (body: unknown) => DependencyError | undefined;
}

export function createHttpSource(
  definition: EvidenceSourceDefinition,
  { credential, startTimer, failureIn }: HttpSourceOptions,
): HttpSource {
  const authorization = credential === null ? null : authorizationOf(credential);
  const headersOf = () => requestHeaders(definition, { accept: "application/json", authorization });
  const send = async (path: string, parameters: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const response = await fetchDirect(...requestOf(addressOf(definition.url, path), parameters, headersOf(), signal));
    if (response.ok) return readJson(response);
    const body = parseJson(new TextDecoder().decode(await readBytes(response, MAX_ERROR_BYTES)));
    throw failureIn?.(body) ?? failureOfStatus(response);
  };
  return {
    get: (path, parameters, { timeoutMs, cancelled }) =>
      callDependency({ dependency: "evidence_source", timeoutMs, startTimer, retries: 0, cancelled }, (signal) =>
        send(path, parameters, signal),
      ),
  };
}

/** @throws DependencyError for a credential that no header may hold */
export function requestHeaders(
  definition: EvidenceSourceDefinition,
  { accept, authorization }: { readonly accept: string; readonly authorization: string | null },
): Headers {
  try {
    const headers = new Headers(definition.headers);
    headers.set("accept", accept);
    if (authorization !== null) headers.set("authorization", authorization);
    return headers;
  } catch {
    // Such as a token with a line break. The error of the platform names the value.
    throw sourceError("refused", "the credential is no valid header value");
  }
}

/** An error whose message holds no content of the request or the response. */
export function sourceError(failure: "timeout" | "refused" | "invalid_response", detail: string): DependencyError {
  return new DependencyError("evidence_source", failure, detail);
}

/** Undefined for a response that was too large. */
export function jsonOf(response: SourceResponse): unknown {
  return response.kind === "json" ? response.value : undefined;
}

/** GET, which read-only proxies and caches accept; a POST with a form only where the address would be too long. */
function requestOf(
  address: URL,
  parameters: Readonly<Record<string, string>>,
  headers: Headers,
  signal: AbortSignal,
): [URL, RequestInit] {
  const encoded = new URLSearchParams(parameters);
  const url = new URL(address);
  for (const [name, value] of encoded) url.searchParams.set(name, value);
  if (url.href.length <= MAX_URL_CHARS) return [url, { headers, signal }];
  return [address, { method: "POST", headers, body: encoded, signal }];
}

function addressOf(base: string, path: string): URL {
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw sourceError("refused", "its url is no http address: correct the url of the source");
  if (url.username !== "" || url.password !== "")
    throw sourceError("refused", "its url holds a user or a password: move them to the secret of its credential");
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}${path}`;
  url.hash = "";
  return url;
}

function authorizationOf(credential: string): string {
  if (/^[A-Za-z-]{1,20} \S/.test(credential)) return credential;
  if (!credential.includes(":")) return `Bearer ${credential}`;
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(credential)))}`;
}

async function readJson(response: Response): Promise<SourceResponse> {
  const announced = Number(response.headers.get("content-length") ?? 0);
  if (announced > QUERY_LIMITS.bytes) {
    await response.body?.cancel();
    return { kind: "too_large", size: `${Math.ceil(announced / 1_024)} KB` };
  }
  const bytes = await readBytes(response, QUERY_LIMITS.bytes);
  if (bytes.byteLength > QUERY_LIMITS.bytes)
    return { kind: "too_large", size: `more than ${QUERY_LIMITS.bytes / 1_024} KB` };
  const value = parseJson(new TextDecoder().decode(bytes));
  if (value === undefined) throw sourceError("invalid_response", "the response is not JSON");
  return { kind: "json", value };
}

function failureOfStatus(response: Response): DependencyError {
  return response.status === 401 || response.status === 403
    ? sourceError("refused", `the server answered ${response.status}: check the credential of the source`)
    : failureOf("evidence_source", response);
}
