// Requests to a Kubernetes API server: GET alone, without redirects, within a number of bytes.

import { DependencyError } from "../../dependencies.ts";
import type { EvidenceSourceDefinition } from "../../schemas/evidence/source.ts";
import { fetchDirect } from "../http/fetch-direct.ts";
import { failureOf, parseJson, readStart } from "../http/http-response.ts";
import { requestHeaders } from "./http-source.ts";

export type ApiAnswer =
  | { readonly kind: "json"; readonly body: Readonly<Record<string, unknown>> }
  /** The server does not have the object, or the path. */
  | { readonly kind: "not_found"; readonly body: Readonly<Record<string, unknown>> | null }
  | { readonly kind: "forbidden" }
  /** Nothing is known of the rest. */
  | { readonly kind: "too_large" };

export interface ApiRequest {
  /** Segments of the path; each is encoded. */
  readonly path: readonly string[];
  readonly parameters?: Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export type GetFromApi = (request: ApiRequest) => Promise<ApiAnswer>;

export const JSON_TYPE = "application/json";
/** Bytes of an error that are read: a Status has some hundreds. */
const MAX_ERROR_BYTES = 4_096;

/** The functions of a client's requests throw DependencyError. */
export function createApi(definition: EvidenceSourceDefinition, credential: string | null): GetFromApi {
  const base = definition.url.replace(/(?<!\/)\/+$/, "");
  const authorization = credential === null ? null : `Bearer ${credential.trim()}`;
  return async ({ path, parameters = {}, accept = JSON_TYPE, maxBytes, signal }) => {
    const query = new URLSearchParams(parameters).toString();
    const url = `${base}/${path.map(encodeSegment).join("/")}${query === "" ? "" : `?${query}`}`;
    const headers = requestHeaders(definition, { accept, authorization });
    const response = await fetchDirect(url, { headers, signal });
    if (response.status === 404)
      return { kind: "not_found", body: objectOf(await readStart(response, MAX_ERROR_BYTES)) };
    if (!response.ok) {
      await response.body?.cancel();
      if (response.status === 403) return { kind: "forbidden" };
      throw failureOf("evidence_source", response);
    }
    const text = await readStart(response, maxBytes);
    // One character has at least one byte.
    if (new TextEncoder().encode(text).length > maxBytes) return { kind: "too_large" };
    const body = objectOf(text);
    if (body === null) throw invalid("the response is no JSON object");
    return { kind: "json", body };
  };
}

/** @throws DependencyError if the credential may not read it */
export function permitted(answer: ApiAnswer): Exclude<ApiAnswer, { kind: "forbidden" }> {
  if (answer.kind === "forbidden") throw refused("the server answered 403: the credential may not read this");
  return answer;
}

export function invalid(detail: string): DependencyError {
  return new DependencyError("evidence_source", "invalid_response", detail);
}

export function refused(detail: string): DependencyError {
  return new DependencyError("evidence_source", "refused", detail);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

/** @throws DependencyError for a segment that a URL would resolve */
function encodeSegment(segment: string): string {
  if (segment === "" || segment === "." || segment === ".." || /[/\\]/.test(segment))
    throw refused("a name in the request is no segment of a path");
  return encodeURIComponent(segment);
}
