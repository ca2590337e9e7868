// Client of the evaluation for the Dejavu API. It marks every request as evaluation traffic, limits its time, and waits
// when the rate limit says so.

import { z } from "zod";
import { problemIn } from "../../cli/service/problem-error.ts";
import { type TriageResult, triageResultSchema } from "../../functions/schemas/triage-result.ts";
import type { AskBody, SetupStep } from "../case-files/case-schema.ts";
import type { SampleDocument } from "../case-files/samples.ts";

/** Sends one request with a token that has the scopes triage, read, ingest, feedback and admin. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

export interface CallOptions {
  /** Aborts the request and any wait before it. */
  readonly cancelled?: AbortSignal | undefined;
  /** Called each time a request is sent, also after a wait. */
  readonly onSend?: (() => void) | undefined;
}

export interface Dejavu {
  /** Puts run and case into the traces of all requests from now on. */
  mark(trial: { readonly run: string; readonly case: string }): void;
  triage(body: AskBody & { readonly session_id: string }, options: CallOptions): Promise<TriageResult>;
  resolve(incidentId: string, resolution: NonNullable<SetupStep["resolved"]>, options: CallOptions): Promise<void>;
  rate(triageId: string, rating: "up" | "down", options: CallOptions): Promise<void>;
  /** The stored incident, as JSON. */
  incident(id: string, options: CallOptions): Promise<string>;
  /** Waits until the outbox has no entry for these ids. Returns after 100 checks in any case. */
  waitForIndex(ids: ReadonlySet<string>, options: CallOptions): Promise<void>;
  /** Creates or replaces a runbook. @param source domain and path */
  storeRunbook(source: string, text: string, options: CallOptions): Promise<void>;
  /** Deletes its domain, too, when that holds no other text. Idempotent. */
  deleteRunbook(source: string): Promise<void>;
  storeDocument(document: SampleDocument, options: CallOptions): Promise<void>;
  /** Defines a source of metrics. @param alerts names of the alerts that it serves */
  storeSource(name: string, source: { readonly url: string; readonly alerts: readonly string[] }): Promise<void>;
  /** Idempotent. */
  deleteSource(name: string): Promise<void>;
  /** Deletes a domain with its texts. Idempotent. */
  deleteDomain(name: string): Promise<void>;
  /** Deletes every incident of a session, then the session. Idempotent. */
  deleteSession(sessionId: string): Promise<void>;
  hasIncidents(sessionId: string): Promise<boolean>;
  isReachable(): Promise<boolean>;
  get(path: string): Promise<unknown>;
}

export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Rejects when `cancelled` fires. */
  pause(ms: number, cancelled?: AbortSignal): Promise<void>;
  /** Fires with a TimeoutError after `ms`. */
  timeout(ms: number): AbortSignal;
}

export interface ClientOptions {
  readonly clock: Clock;
  /** Limit for one request; waits for the rate limit do not count. */
  readonly timeoutMs: number;
}

/** Waits for the rate limit (429) before one call gives up. */
const MAX_WAITS = 6;
const MAX_WAIT_SECONDS = 30;
const MAX_OUTBOX_CHECKS = 100;
const OUTBOX_CHECK_INTERVAL_MS = 60;
const HEALTH_TIMEOUT_MS = 5_000;

const outboxSchema = z.object({
  pending: z.array(z.object({ document_id: z.string() })),
  next_cursor: z.string().nullable(),
});
const incidentsSchema = z.object({ incidents: z.array(z.object({ id: z.string() })) });

export function createDejavu(send: Send, options: ClientOptions): Dejavu {
  let marks: Readonly<Record<string, string>> = {};
  const request = createRequest(send, options, () => marks);
  const fetchJson = async (...args: Parameters<typeof request>): Promise<unknown> => {
    const response = await request(...args);
    if (!response.ok) throw await problemIn(response);
    return response.json();
  };
  const deleteRecord = async (
    path: string,
    { expected }: { readonly expected: readonly number[] } = { expected: [] },
  ) => {
    const response = await request("DELETE", path);
    // 404: already deleted.
    if (!response.ok && ![404, ...expected].includes(response.status)) throw await problemIn(response);
    await response.body?.cancel();
  };
  const incidentsOf = async (sessionId: string) => {
    const query = `/v1/incidents?limit=100&session_id=${encodeURIComponent(sessionId)}`;
    return incidentsSchema.parse(await fetchJson("GET", query)).incidents;
  };
  /** The oldest entries are on the first page. */
  const isPending = async (ids: ReadonlySet<string>, call: CallOptions): Promise<boolean> => {
    for (let place = ""; ; ) {
      const page = await fetchJson("GET", `/v1/memory/outbox?limit=100${place}`, call);
      const { pending, next_cursor } = outboxSchema.parse(page);
      if (pending.some(({ document_id }) => ids.has(document_id))) return true;
      if (next_cursor === null) return false;
      place = `&cursor=${encodeURIComponent(next_cursor)}`;
    }
  };
  return {
    mark(trial) {
      marks = { "x-dejavu-eval-run": trial.run, "x-dejavu-eval-case": trial.case };
    },
    triage: async (body, call) => triageResultSchema.parse(await fetchJson("POST", "/v1/triage", { body, ...call })),
    async resolve(incidentId, body, call) {
      await fetchJson("POST", `/v1/incidents/${incidentId}/resolve`, { body, ...call });
    },
    async rate(triageId, rating, call) {
      await fetchJson("POST", `/v1/triages/${triageId}/feedback`, { body: { rating, by: "evaluation" }, ...call });
    },
    incident: async (id, call) => JSON.stringify(await fetchJson("GET", `/v1/incidents/${id}`, call)),
    async waitForIndex(ids, call) {
      for (let check = 0; check < MAX_OUTBOX_CHECKS; check++) {
        if (!(await isPending(ids, call))) return;
        await options.clock.pause(OUTBOX_CHECK_INTERVAL_MS, call.cancelled);
      }
    },
    async storeRunbook(source, text, call) {
      await fetchJson("PUT", `/v1/runbooks/${source}`, { text, ...call });
    },
    async deleteRunbook(source) {
      await deleteRecord(`/v1/runbooks/${source}`);
      await deleteRecord(`/v1/domains/${source.slice(0, source.indexOf("/"))}`, { expected: [409] });
    },
    async storeDocument(document, call) {
      await fetchJson("POST", "/v1/documents", { body: document, ...call });
    },
    async storeSource(name, { url, alerts }) {
      const body = { kind: "prometheus", url, labels: { alertname: alerts } };
      await fetchJson("PUT", `/v1/sources/${name}`, { body });
    },
    deleteSource: (name) => deleteRecord(`/v1/sources/${name}`),
    deleteDomain: (name) => deleteRecord(`/v1/domains/${name}?force=true`),
    async deleteSession(sessionId) {
      for (const { id } of await incidentsOf(sessionId)) await deleteRecord(`/v1/incidents/${id}`);
      await deleteRecord(`/v1/memory/sessions/${encodeURIComponent(sessionId)}`);
    },
    hasIncidents: async (sessionId) => (await incidentsOf(sessionId)).length > 0,
    async isReachable() {
      try {
        const response = await send("/health", { signal: options.clock.timeout(HEALTH_TIMEOUT_MS) });
        await response.body?.cancel();
        return response.ok;
      } catch {
        return false;
      }
    },
    get: (path) => fetchJson("GET", path),
  };
}

/** Sends one request; repeats it after the wait that a 429 response asks for, at most `MAX_WAITS` times. */
function createRequest(send: Send, { clock, timeoutMs }: ClientOptions, marks: () => Readonly<Record<string, string>>) {
  return async (
    method: string,
    path: string,
    { body, text, cancelled, onSend }: CallOptions & { readonly body?: unknown; readonly text?: string } = {},
  ): Promise<Response> => {
    const type = text !== undefined ? "text/markdown" : body !== undefined ? "application/json" : null;
    for (let waits = 0; ; waits++) {
      cancelled?.throwIfAborted();
      onSend?.();
      const response = await send(path, {
        method,
        headers: { "x-dejavu-traffic": "evaluation", ...marks(), ...(type === null ? {} : { "content-type": type }) },
        signal: AbortSignal.any([clock.timeout(timeoutMs), ...(cancelled ? [cancelled] : [])]),
        ...(type === null ? {} : { body: text ?? JSON.stringify(body) }),
      });
      if (response.status !== 429 || waits === MAX_WAITS) return response;
      await response.body?.cancel();
      await clock.pause(1_000 * retryAfterSeconds(response), cancelled);
    }
  };
}

/** The `retry-after` header, at most `MAX_WAIT_SECONDS`; 1 when it is absent or not a number. */
function retryAfterSeconds(response: Response): number {
  const seconds = Number(response.headers.get("retry-after") ?? 1);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, MAX_WAIT_SECONDS) : 1;
}

/** Sends over HTTP with a bearer token. */
export function overHttp(url: string, token: string): Send {
  return (path, init) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(new URL(path, url), { ...init, headers });
  };
}
