// Test harness: services on the stores of the test file with an injected clock, the app as a function, and resets of
// the stores.

import postgres from "postgres";
import { afterAll, inject } from "vitest";
import { z } from "zod";
import type { VectorStore } from "../../../functions/adapters/vector-store.ts";
import { createApp } from "../../../functions/app.ts";
import { type TriageResult, triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { createServices, type Services } from "../../../functions/services.ts";
import { type Log, writtenFields } from "../../../functions/telemetry/log.ts";
import { timed } from "../../support/file-times.ts";
import { splitInternals } from "../../support/internals.ts";
import { createTestTimers, type TestTimers } from "../../support/test-timers.ts";
import { createExecutionContext, type TestContext } from "./execution-context.ts";
import { openFileStores } from "./file-stores.ts";
import { takeOutdated, takeWritten } from "./servers/chroma-writes.ts";
import { servedRequestsSettled } from "./servers/listen.ts";
import { EMPTY_TABLES } from "./shared-stack.ts";

const shared = inject("stack");
const stores = await timed("stack", () => openFileStores(shared));
export const { info, workerEnv } = stores;

/** A clock that changes only when it is advanced. */
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

export interface Harness extends Omit<TestTimers, "startTimer"> {
  readonly services: Services;
  readonly clock: Clock;
  readonly log: LogLine[];
  /** Sends a request with the token. `context.settled()` waits for its background tasks. */
  open(path: string, init?: RequestInit): Promise<{ readonly response: Response; readonly context: TestContext }>;
  /** Sends a request with the token and waits for its background tasks. */
  request(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** @throws Error when the triage fails */
  triage(body: unknown, headers?: Record<string, string>): Promise<TriageResult>;
}

/**
 * The whole application in this process, on the real servers of the shared stack. No timeout ends before `expire` or
 * `expireHung` says so.
 * @param settings environment variables, and internal figures by name
 * @param toConsole logs to the console, like the product; `log` stays empty
 * @param fetchTopics leads the requests to the service of topics to a stand-in
 */
export function createHarness(
  settings: Record<string, unknown> = {},
  { toConsole = false, fetchTopics }: { readonly toConsole?: boolean; readonly fetchTopics?: typeof fetch } = {},
): Harness {
  const clock = new Clock();
  const { startTimer, ...timers } = createTestTimers(clock);
  const log: LogLine[] = [];
  const collect: Log = (level, event, fields = {}) => void log.push({ level, event, fields: writtenFields(fields) });
  const { environment, internals } = splitInternals(settings);
  const services = createServices(
    { ...workerEnv, ...environment },
    {
      now: clock.now,
      startTimer,
      internals,
      ...(fetchTopics && { fetchTopics }),
      ...(toConsole ? {} : { log: collect }),
    },
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
      if (bug) throw new Error(`A background task failed: ${JSON.stringify(bug.fields)}`);
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
  return { services, clock, log, open, request, post, triage, ...timers };
}

/** A superuser connection, for assertions and resets. The product never has one. */
export const sql = postgres(info.urls.postgres, { max: 2, onnotice: () => {}, idle_timeout: 5 });

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await stores.close();
});

/** Deletes all incidents, runs and learned memories. Domains and runbooks stay. */
export async function deleteIncidents({ vectors }: Services): Promise<void> {
  await servedRequestsSettled();
  await timed("reset", () =>
    Promise.all([
      emptyTables(false).then(() => sql`delete from public.documents where source is null`),
      emptyCollections(vectors, (name) => name !== "runbooks"),
    ]),
  );
}

/** Empties both stores. */
export async function emptyStores({ vectors }: Services): Promise<void> {
  await servedRequestsSettled();
  await timed("reset", () =>
    Promise.all([
      emptyTables(true).then(() => sql`delete from public.domains where name <> 'general'`),
      emptyCollections(vectors, () => true),
    ]),
  );
}

async function emptyTables(withKnowledge: boolean): Promise<void> {
  await sql.unsafe(`select ${EMPTY_TABLES}($1)`, [withKnowledge], { prepare: true });
}

const collectionsSchema = z.array(
  z.object({ id: z.string(), name: z.string(), metadata: z.record(z.string(), z.unknown()).nullable() }),
);
const recordsSchema = z.object({
  ids: z.array(z.string()),
  documents: z.array(z.unknown()),
  metadatas: z.array(z.unknown()),
});

/** Calls the API of Chroma below the collections of this file's database. */
async function callChroma(method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<unknown> {
  const { databases, name } = stores.chroma;
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(`${databases}/${name}/collections${path}`, { method, ...init });
  if (!response.ok) throw new Error(`Chroma answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Every record of the vector store, without its vector. */
export async function allRecords() {
  const collections = collectionsSchema.parse(await callChroma("GET", ""));
  const records = collections.map(async ({ id, name }) => {
    const answer = await callChroma("POST", `/${id}/get`, { include: ["documents", "metadatas"] });
    const { ids, documents, metadatas } = recordsSchema.parse(answer);
    return ids.map((id, i) => ({ collection: name, record: [id, documents[i], metadatas[i]] }));
  });
  return (await Promise.all(records)).flat();
}

let collections: z.infer<typeof collectionsSchema> = [];

/** Every record has metadata, and none has this field. */
const ALL_RECORDS = { where: { "test:none": { $ne: true } } };

/** Deletes the records and keeps the collections: the first write to a new collection takes 100 ms. */
async function emptyCollections({ fingerprint }: VectorStore, isWanted: (name: string) => boolean): Promise<void> {
  if (takeOutdated()) collections = collectionsSchema.parse(await callChroma("GET", ""));
  await Promise.all(
    collections
      .filter(({ name }) => isWanted(name))
      .map(async ({ id, name, metadata }) => {
        if (metadata?.fingerprint !== fingerprint) await callChroma("DELETE", `/${name}`);
        else if (takeWritten(id)) await callChroma("POST", `/${id}/delete`, ALL_RECORDS);
      }),
  );
}
