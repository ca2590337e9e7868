// Owns what adapters that call an HTTP API themselves have in common: what a status means, and how much of a reply is read.

import { DependencyError } from "../dependencies.ts";
import type { Dependency } from "../schemas/dependency.ts";

/** Statuses that say "not now" instead of "no". */
const PASSING_STATUS = new Set([408, 500, 502, 503, 504]);

/** The failure that a status other than 2xx stands for. */
export function failureOf(dependency: Dependency, { status, headers }: Response): DependencyError {
  const detail = `the server answered ${status}`;
  if (status === 429) {
    const seconds = Number(headers.get("retry-after") ?? 1);
    return new DependencyError(dependency, "busy", detail, {
      retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : 1_000,
    });
  }
  return new DependencyError(dependency, PASSING_STATUS.has(status) ? "unreachable" : "refused", detail);
}

/** The reply's beginning, at least `bytes` of it where there are so many; a longer one is cut, so that it is no JSON any more. */
export async function readStart(response: Response, bytes: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(response, bytes));
}

/** The reply's beginning, at least `bytes` of it where there are so many. */
export async function readBytes(response: Response, bytes: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  while (size <= bytes) {
    const { done, value } = await reader.read();
    if (done) return joined(parts, size);
    size += value.byteLength;
    parts.push(value);
  }
  await reader.cancel();
  return joined(parts, size);
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** Undefined where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
