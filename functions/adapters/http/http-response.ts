// Helpers for adapters with HTTP APIs: failures by status, and bounded reading of responses.

import { DependencyError } from "../../dependencies.ts";
import type { Dependency } from "../../schemas/dependency.ts";
import { redirectFailure } from "./fetch-direct.ts";

/** Statuses after which a retry may succeed. */
const RETRYABLE_STATUSES = new Set([408, 500, 502, 503, 504]);

/** The failure for a status other than 2xx. */
export function failureOf(dependency: Dependency, { status, headers }: Response): DependencyError {
  const detail = `the server answered ${status}`;
  const retryAfterMs = retryAfterOf(headers);
  if (status === 429) return new DependencyError(dependency, "busy", detail, { retryAfterMs: retryAfterMs ?? 1_000 });
  const failure = RETRYABLE_STATUSES.has(status) ? "unreachable" : "refused";
  return redirectFailure(dependency, status) ?? new DependencyError(dependency, failure, detail, { retryAfterMs });
}

/** Seconds, or a time beside that of the response; undefined without either. */
function retryAfterOf(headers: Headers): number | undefined {
  const after = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.parse(headers.get("date") ?? "");
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/**
 * Reads the start of a response as text, at least `bytes` of it. A longer response is cut, so that it is not valid
 * JSON.
 */
export async function readStart(response: Response, bytes: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(response, bytes));
}

/** Reads the start of a response, at least `bytes` of it. */
export async function readBytes(response: Response, bytes: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  while (size <= bytes) {
    const { done, value } = await reader.read();
    if (done) return join(parts, size);
    size += value.byteLength;
    parts.push(value);
  }
  await reader.cancel();
  return join(parts, size);
}

function join(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** Parses JSON; undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
