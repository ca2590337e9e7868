// Owns how the evaluation speaks to a Dejavu: every call is marked as evaluation and bounded in time, and whoever is told
// to wait waits.

import { z } from "zod";
import { problemIn } from "../../../cli/find-service.ts";
import { type TriageResult, triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import type { AskBody, EvalCase } from "../case-files/case-schema.ts";

/** Sends one request with a token that may triage, read, give feedback and forget. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

export interface CallOptions {
  /** Fires when nobody wants the answer any more. */
  readonly cancelled?: AbortSignal | undefined;
  /** Called whenever a request goes out, also after a wait. */
  readonly onSend?: (() => void) | undefined;
}

export interface Dejavu {
  triage(body: AskBody & { readonly session_id: string }, options: CallOptions): Promise<TriageResult>;
  resolve(
    incidentId: string,
    resolved: NonNullable<EvalCase["before"][number]["resolved"]>,
    options: CallOptions,
  ): Promise<void>;
  vote(triageId: string, rating: "up" | "down", options: CallOptions): Promise<void>;
  /** The incident as it is on record, as JSON. */
  incident(id: string, options: CallOptions): Promise<string>;
  /** Returns when the index holds what was learnt under these ids, or has had its time. */
  settled(ids: ReadonlySet<string>, options: CallOptions): Promise<void>;
  /** Forgets every incident of a session, and the session. May be repeated. */
  forgetSession(sessionId: string): Promise<void>;
  /** Whether anything is on record that was reported in a session. */
  remembers(sessionId: string): Promise<boolean>;
  isAlive(): Promise<boolean>;
  get(path: string): Promise<unknown>;
}

export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Rejects when `cancelled` fires. */
  pause(ms: number, cancelled?: AbortSignal): Promise<void>;
}

/** Times that one call waits because it was told to (429). */
const MOST_WAITS = 6;
const LONGEST_WAIT_SECONDS = 30;
/** Looks at what the index is owed, and the time between two. */
const LOOKS_AT_OUTBOX = 100;
const BETWEEN_LOOKS_MS = 60;
const ALIVE_TIMEOUT_MS = 5_000;

const owedSchema = z.object({ owed: z.array(z.object({ document_id: z.string() })) });
const incidentsSchema = z.object({ incidents: z.array(z.object({ id: z.string() })) });

/** @param timeoutMs that one request may take; waiting because of a limit is not counted */
export function createDejavu(
  send: Send,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Dejavu {
  const call = async (
    method: string,
    path: string,
    { body, cancelled, onSend }: CallOptions & { readonly body?: unknown } = {},
  ) => {
    for (let waits = 0; ; waits++) {
      cancelled?.throwIfAborted();
      onSend?.();
      const response = await send(path, {
        method,
        headers: {
          "x-dejavu-traffic": "evaluation",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(cancelled ? [cancelled] : [])]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (response.status !== 429 || waits === MOST_WAITS) return response;
      await response.body?.cancel();
      await clock.pause(1_000 * secondsToWait(response), cancelled);
    }
  };
  const ask = async (...request: Parameters<typeof call>): Promise<unknown> => {
    const response = await call(...request);
    if (!response.ok) throw await problemIn(response);
    return response.json();
  };
  const forget = async (path: string) => {
    const response = await call("DELETE", path);
    // What is gone already is forgotten.
    if (!response.ok && response.status !== 404) throw await problemIn(response);
    await response.body?.cancel();
  };
  const incidentsOf = async (sessionId: string) => {
    const query = `/v1/incidents?limit=100&session_id=${encodeURIComponent(sessionId)}`;
    return incidentsSchema.parse(await ask("GET", query)).incidents;
  };
  return {
    triage: async (body, options) => triageResultSchema.parse(await ask("POST", "/v1/triage", { body, ...options })),
    async resolve(incidentId, body, options) {
      await ask("POST", `/v1/incidents/${incidentId}/resolve`, { body, ...options });
    },
    async vote(triageId, rating, options) {
      await ask("POST", `/v1/triages/${triageId}/feedback`, { body: { rating, by: "evaluation" }, ...options });
    },
    incident: async (id, options) => JSON.stringify(await ask("GET", `/v1/incidents/${id}`, options)),
    async settled(ids, options) {
      for (let look = 0; look < LOOKS_AT_OUTBOX; look++) {
        const { owed } = owedSchema.parse(await ask("GET", "/v1/memory/outbox?limit=100", options));
        if (!owed.some(({ document_id }) => ids.has(document_id))) return;
        await clock.pause(BETWEEN_LOOKS_MS, options.cancelled);
      }
    },
    async forgetSession(sessionId) {
      for (const { id } of await incidentsOf(sessionId)) await forget(`/v1/incidents/${id}`);
      await forget(`/v1/memory/sessions/${encodeURIComponent(sessionId)}`);
    },
    remembers: async (sessionId) => (await incidentsOf(sessionId)).length > 0,
    async isAlive() {
      try {
        const response = await send("/health", { signal: AbortSignal.timeout(ALIVE_TIMEOUT_MS) });
        await response.body?.cancel();
        return response.ok;
      } catch {
        return false;
      }
    },
    get: (path) => ask("GET", path),
  };
}

function secondsToWait(response: Response): number {
  const seconds = Number(response.headers.get("retry-after") ?? 1);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, LONGEST_WAIT_SECONDS) : 1;
}

/** Sends over HTTP. */
export function overHttp(url: string, token: string): Send {
  return (path, init) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(new URL(path, url), { ...init, headers });
  };
}
