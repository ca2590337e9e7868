// What integration tests share: services on the shared stack with an injected clock, the app as a function, and a clean
// slate.

import postgres from "postgres";
import { inject } from "vitest";
import { createApp } from "../../../functions/app.ts";
import { type Log, writtenFields } from "../../../functions/log.ts";
import { COLLECTIONS } from "../../../functions/memory/collections.ts";
import { createServices, type Services } from "../../../functions/services.ts";
import { type TriageResult, triageResultSchema } from "../../../functions/triage/result.ts";
import { createExecutionContext, type TestContext } from "./execution-context.ts";

export const { info, workerEnv } = inject("stack");

/** A clock that stands still until it is moved. */
export class Clock {
  #now: Date;
  constructor(start = new Date("2026-03-01T03:00:00Z")) {
    this.#now = start;
  }
  now = (): Date => new Date(this.#now);
  advance(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms);
  }
}

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Harness {
  readonly services: Services;
  readonly clock: Clock;
  readonly log: LogLine[];
  /** Sends a request with the token and returns at once; what it leaves running can be waited for. */
  open(path: string, init?: RequestInit): Promise<{ readonly response: Response; readonly context: TestContext }>;
  /** Sends a request with the token and waits for what it leaves running. */
  request(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** A triage that has to succeed. */
  triage(body: unknown, headers?: Record<string, string>): Promise<TriageResult>;
}

/** A real server that is slow on a busy machine is not away: only tests that take one away have it time out. */
const PATIENCE = { CHROMA_TIMEOUT_MS: "9000", EMBEDDINGS_TIMEOUT_MS: "9000" };

/**
 * The whole application in this process, on the shared stack's real servers.
 * @param toConsole whether its log goes where the product's goes; `log` stays empty then
 */
export function createHarness(
  environment: Record<string, unknown> = {},
  { toConsole = false }: { readonly toConsole?: boolean } = {},
): Harness {
  const clock = new Clock();
  const log: LogLine[] = [];
  const keep: Log = (level, event, fields = {}) => void log.push({ level, event, fields: writtenFields(fields) });
  const services = createServices(
    { ...workerEnv, ...PATIENCE, ...environment },
    { now: clock.now, ...(toConsole ? {} : { log: keep }) },
  );
  const app = createApp(services);
  const open = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${services.config.DEJAVU_TOKEN}`);
    const context: TestContext = createExecutionContext();
    const { settled } = context;
    const isBug = ({ event }: LogLine) => event === "background.failed";
    const before = log.filter(isBug).length;
    context.settled = async () => {
      await settled();
      const [bug] = log.filter(isBug).slice(before);
      if (bug) throw new Error(`Work behind an answer failed: ${JSON.stringify(bug.fields)}`);
    };
    const response = await app.fetch(new Request(`http://dejavu.test${path}`, { ...init, headers }), {}, context);
    return { response, context };
  };
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const { response, context } = await open(path, init);
    await context.settled();
    return response;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  const triage = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await post("/v1/triage", body, headers);
    if (response.status !== 200) throw new Error(`The triage ended with ${response.status}: ${await response.text()}`);
    return triageResultSchema.parse(await response.json());
  };
  return { services, clock, log, open, request, post, triage };
}

/** A superuser's connection, for looking and for cleaning; the product never has one. */
export const sql = postgres(info.urls.postgres, { max: 2, onnotice: () => {}, idle_timeout: 5 });

const RUNBOOK_COLLECTIONS = COLLECTIONS.filter((collection) => collection.startsWith("runbooks-"));
const LEARNT_COLLECTIONS = COLLECTIONS.filter((collection) => !RUNBOOK_COLLECTIONS.includes(collection));

/** Forgets all incidents, what came of them and what was learnt; the runbooks stay. */
export async function forgetIncidents(services: Services): Promise<void> {
  await sql`truncate public.incidents, public.alerts, public.triages, public.incident_events, public.episodes, public.idempotency_keys,
    public.outbox, public.model_usage, public.observations, public.sessions, public.memories, public.procedures,
    public.feedback, public.annotation_outbox, public.job_runs, public.audit_events, public.access_tokens, public.webhook_deliveries,
    public.knowledge_syncs, public.knowledge_stamps, public.metric_counters, public.metric_increments restart identity cascade`;
  await sql`delete from public.documents where source is null`;
  for (const collection of LEARNT_COLLECTIONS) await services.vectors.drop(collection);
}

/** Empties both stores. */
export async function cleanSlate(services: Services): Promise<void> {
  await forgetIncidents(services);
  await sql`truncate public.collections, public.documents, public.postings, public.terms, public.sources restart identity cascade`;
  for (const collection of RUNBOOK_COLLECTIONS) await services.vectors.drop(collection);
}
