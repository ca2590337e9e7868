// Postgres behind PostgREST: SQL runs for real, one statement after another, and takes the recorded time. Connections,
// CPU cores and the locks of the SQL functions are limited in virtual time.

import { Agent, request as httpRequest } from "node:http";
import { z } from "zod";
import type { Figures } from "../figures/figures.ts";
import { outsideInvocation } from "./invocation.ts";
import { createPool, type Pool, type UseRecorder } from "./resources.ts";
import type { CallToRecord } from "./traces.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface DatabaseOptions {
  readonly clock: VirtualClock;
  readonly recorder: UseRecorder;
  readonly figures: Figures;
  /** Of the real gateway before PostgREST. */
  readonly url: string;
}

export interface SimulatedDatabase {
  /** A request `POST /rest/v1/rpc/<function>`. */
  read(request: Request, body: string): ReadCall;
  /** Waits for connection, locks and core, runs the work, and takes the recorded time. */
  serve(call: CallToRecord, work: () => Promise<Response>): Promise<Response>;
  /** Calls by SQL function. */
  readonly calls: ReadonlyMap<string, number>;
  close(): void;
}

/** A call of the Worker: what is recorded of it, and its answer. */
export interface ReadCall {
  readonly record: CallToRecord;
  readonly serve: () => Promise<Response>;
}

/** Both decide about alerts by their names, under a lock for each. */
const STORES_ALERTS = new Set(["ingest_alerts_within", "store_buffered_alerts"]);

const argumentsSchema = z.looseObject({ p_function: z.string().optional(), p_args: z.unknown().optional() });
const alertsSchema = z.object({
  p: z.object({
    owner: z.string().nullish(),
    alerts: z.array(z.object({ alertname: z.string(), reported_by: z.string().nullish() })),
  }),
});

export function createSimulatedDatabase({ clock, recorder, figures, url }: DatabaseOptions): SimulatedDatabase {
  const { limits, drawMs } = figures;
  const pool = createPool({ clock, recorder, name: "postgres_connections", size: limits.postgrestPool });
  const cores = createPool({ clock, recorder, name: "postgres_cpu", size: limits.postgresCores });
  const locks = createLocks(() => createPool({ clock, recorder, name: "postgres_locks", size: 1 }));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const calls = new Map<string, number>();
  const serve = async (call: CallToRecord, work: () => Promise<Response>): Promise<Response> => {
    calls.set(call.name, (calls.get(call.name) ?? 0) + 1);
    const release = await pool.acquireWithin(limits.postgrestAcquisitionMs);
    // What PostgREST answers when no connection of its pool becomes free.
    if (release === undefined) return Response.json({ code: "PGRST003", message: "no connection" }, { status: 504 });
    const unlock = await locks.acquire(call.locks);
    const leaveCore = await cores.acquire();
    const answer = await new Promise<Response>((resolve, reject) => {
      clock.after(0, () => outsideInvocation(work).then(resolve, reject));
    });
    await clock.sleep(drawMs(`sql ${call.name}`, call.alerts));
    leaveCore();
    unlock();
    release();
    return answer;
  };
  return {
    calls,
    serve,
    close: () => agent.destroy(),
    read(request, body) {
      const path = new URL(request.url).pathname;
      const record = readSqlCall(path, body);
      return { record, serve: () => serve(record, () => forward(url, { path, body, request, agent })) };
    },
  };
}

/** What a request `POST /rest/v1/rpc/<function>` calls. */
export function readSqlCall(path: string, body: string): CallToRecord {
  const called = path.slice(path.lastIndexOf("/") + 1);
  const parsed = argumentsSchema.parse(JSON.parse(body));
  const isRestricted = called === "call_restricted";
  const name = isRestricted ? (parsed.p_function ?? called) : called;
  const call = { store: "sql", name, alerts: 0, locks: [], collection: "" } as const;
  if (name === "claim_incident") return { ...call, locks: ["turns of reporters"] };
  if (!STORES_ALERTS.has(name)) return call;
  const { p } = alertsSchema.parse(isRestricted ? parsed.p_args : parsed);
  const names = p.alerts.map(({ alertname, reported_by }) => `${p.owner ?? reported_by}/${alertname}`);
  return { ...call, alerts: p.alerts.length, locks: [...new Set(names)].sort() };
}

interface Locks {
  /** Takes all, in the given order. @returns gives them back */
  acquire(names: readonly string[]): Promise<() => void>;
}

function createLocks(createLock: () => Pool): Locks {
  const locks = new Map<string, { readonly pool: Pool; users: number }>();
  return {
    async acquire(names) {
      const releases: (() => void)[] = [];
      for (const name of names) {
        const lock = locks.get(name) ?? { pool: createLock(), users: 0 };
        lock.users += 1;
        locks.set(name, lock);
        const release = await lock.pool.acquire();
        releases.push(() => {
          release();
          lock.users -= 1;
          if (lock.users === 0) locks.delete(name);
        });
      }
      return () => {
        for (const release of releases) release();
      };
    },
  };
}

/** Uses node:http: its timers are not those of the invocation. */
function forward(
  url: string,
  {
    path,
    body,
    request,
    agent,
  }: { readonly path: string; readonly body: string; readonly request: Request; readonly agent: Agent },
): Promise<Response> {
  const headers = { ...Object.fromEntries(request.headers), "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(path, url), { method: request.method, headers, agent }, (received) => {
      const chunks: Buffer[] = [];
      received.on("data", (chunk: Buffer) => chunks.push(chunk));
      received.once("error", reject);
      received.once("end", () => {
        const status = received.statusCode ?? 500;
        const type = { "content-type": received.headers["content-type"] ?? "application/json" };
        resolve(new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers: type }));
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
