// One HTTP request of the deploy check: bounded in time, with failures as values.

export type Reply =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  /** `reason` is a part of a sentence. */
  | { readonly ok: false; readonly reason: string };

export async function ask(url: string, init: RequestInit, timeoutMs: number): Promise<Reply> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, signal, redirect: "manual" });
    const text = await response.text();
    return { ok: true, status: response.status, body: parseBody(text) };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return { ok: false, reason: isLate ? `no answer within ${timeoutMs / 1_000} s` : "no connection" };
  }
}

/** @returns undefined for a text that is no JSON */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
