// Measures what one incident uses, on a throw-away stack: the application in this process, with every request counted.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { z } from "zod";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { SLOW_WORK } from "../../cli/slow-work.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { createApp } from "../../functions/app.ts";
import { createServices } from "../../functions/services.ts";
import { createExecutionContext } from "../../tests/integration/support/execution-context.ts";
import { incidentFamilies } from "../incidents/incident-families.ts";
import { createCorpus } from "../scale/corpus.ts";
import { fillIncidents } from "../scale/incident-stores.ts";
import { createMadeUpIncidents } from "../scale/made-up-incidents.ts";
import type { Usage } from "./usage.ts";

const WARM_UP = 30;
const INCIDENTS = 150;
/** Of the measurement of single requests. */
const STORED = 3_000;
const TRIAGES = 60;

const upsertSchema = z.object({
  ids: z.array(z.string()),
  documents: z.array(z.string().nullable()).nullish(),
  metadatas: z.array(z.unknown()).nullish(),
});
const querySchema = z.object({ where: z.unknown().optional(), where_document: z.unknown().optional() });
const collectionsSchema = z.array(z.object({ id: z.string(), name: z.string() }));

type CollectionUsage = Usage["perIncident"]["collections"][string];

/** Totals of a run. */
class Counter implements RequestCounter {
  subrequests = 0;
  postgresBytesReturned = 0;
  readonly collections = new Map<string, CollectionUsage>();

  add({ url, body, bytesReturned, chroma }: CountedRequest): void {
    this.subrequests += 1;
    if (url.host === chroma) this.#addVectors(url, body, bytesReturned);
    else this.postgresBytesReturned += bytesReturned;
  }

  #addVectors({ pathname }: URL, body: string, bytesReturned: number): void {
    const [, id = "", action = ""] = /\/collections\/([^/]+)\/(\w+)$/.exec(pathname) ?? [];
    const usage = this.collections.get(id) ?? { queries: 0, recordsWritten: 0, bytesWritten: 0, bytesReturned: 0 };
    const next = { ...usage, bytesReturned: usage.bytesReturned + bytesReturned };
    if (action === "query" || action === "get") {
      const filters = querySchema.parse(JSON.parse(body));
      next.queries += 1 + Number(filters.where != null) + Number(filters.where_document != null);
    }
    if (action === "upsert" || action === "add" || action === "update") {
      const { ids, documents, metadatas } = upsertSchema.parse(JSON.parse(body));
      next.recordsWritten += ids.length;
      next.bytesWritten += JSON.stringify([ids, documents, metadatas]).length;
    }
    if (id !== "") this.collections.set(id, next);
  }
}

/** What the application in this process asks of the stores. */
interface MeasuredApp {
  readonly workerEnv: Record<string, string>;
  readonly postgresUrl: string;
  /** Every request from now on is counted by this counter. */
  count(counter: RequestCounter): void;
  send(path: string, body: unknown): Promise<unknown>;
}

interface RequestCounter {
  add(request: CountedRequest): void;
}

interface CountedRequest {
  readonly url: URL;
  readonly body: string;
  readonly bytesReturned: number;
  /** Host of the vector store. */
  readonly chroma: string;
}

/** @throws Error when a request is not answered with success */
async function withMeasuredApp<T>(work: (app: MeasuredApp) => Promise<T>): Promise<T> {
  const stack = await startStack({
    dir: await mkdtemp(join(tmpdir(), "dejavu-costs-")),
    ephemeral: true,
    services: ["gateway", "chroma"],
  });
  const fetchPlainly = globalThis.fetch;
  try {
    await seedRunbooks({ env: stack.workerEnv });
    // A busy machine must not end a measurement of bytes.
    const services = createServices(stack.workerEnv, { log: () => {}, internals: SLOW_WORK });
    const app = createApp(services);
    const chroma = new URL(stack.workerEnv.CHROMA_URL ?? "").host;
    return await work({
      workerEnv: stack.workerEnv,
      postgresUrl: stack.info.urls.postgres,
      count(counter) {
        globalThis.fetch = async (input, init) => {
          const request = new Request(input, init);
          const body = await request.clone().text();
          const response = await fetchPlainly(request);
          const bytesReturned = (await response.clone().arrayBuffer()).byteLength;
          counter.add({ url: new URL(request.url), body, bytesReturned, chroma });
          return response;
        };
      },
      async send(path, body) {
        const headers = { authorization: `Bearer ${services.config.DEJAVU_TOKEN}`, "content-type": "application/json" };
        const context = createExecutionContext();
        const request = new Request(`http://dejavu.bench${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
        const response = await app.fetch(request, {}, context);
        if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
        const answer: unknown = await response.json();
        await context.settled();
        return answer;
      },
    });
  } finally {
    globalThis.fetch = fetchPlainly;
    await stack.stop();
  }
}

const familyReports = () => incidentFamilies(1).flatMap(({ members, lookAlikes }) => [...members, ...lookAlikes]);

/** Takes about two minutes. @throws Error when a request is not answered with success */
export async function measureUsage(): Promise<Usage> {
  return withMeasuredApp(async ({ workerEnv, postgresUrl, count, send }) => {
    const sql = postgres(postgresUrl, { max: 1, onnotice: () => {} });
    try {
      const reports = familyReports();
      const handle = async (place: number) => {
        const { report, fix } = reports[place % reports.length] ?? reports[0] ?? { report: {}, fix: "" };
        const { incident_id: id } = z.object({ incident_id: z.string() }).parse(await send("/v1/triage", report));
        await send(`/v1/incidents/${id}/resolve`, { resolution: fix });
      };
      for (let i = 0; i < WARM_UP; i++) await handle(i);
      const counter = new Counter();
      count(counter);
      const before = await sizeOf(sql);
      const cpu = process.cpuUsage();
      for (let i = 0; i < INCIDENTS; i++) {
        await handle(WARM_UP + i);
        if (i % 50 === 49) console.error(`  ${i + 1} of ${INCIDENTS} incidents`);
      }
      const { user, system } = process.cpuUsage(cpu);
      const after = await sizeOf(sql);
      const names = await collectionNames(workerEnv);
      const mean = (total: number) => Math.round((total / INCIDENTS) * 100) / 100;
      return {
        measuredOn: new Date().toISOString().slice(0, 10),
        incidents: INCIDENTS,
        perIncident: {
          cpuMs: mean((user + system) / 1_000),
          subrequests: mean(counter.subrequests),
          rows: mean(after.rows - before.rows),
          postgresBytes: mean(after.bytes - before.bytes),
          postgresBytesReturned: mean(counter.postgresBytesReturned),
          collections: Object.fromEntries(
            [...counter.collections].map(([id, usage]) => [
              names.get(id) ?? id,
              {
                queries: mean(usage.queries),
                recordsWritten: mean(usage.recordsWritten),
                bytesWritten: mean(usage.bytesWritten),
                bytesReturned: mean(usage.bytesReturned),
              },
            ]),
          ),
        },
      };
    } finally {
      await sql.end();
    }
  });
}

/** What a triage asks of one store by one kind of request; means. */
export interface RequestUsage {
  readonly store: "Chroma" | "PostgREST";
  /** Such as `incidents query` or `rpc/recall_state`. */
  readonly request: string;
  readonly requests: number;
  readonly bytesReturned: number;
}

/**
 * The bytes that a triage gets from the stores, with thousands of past incidents of which most have a fix. Without the recording of a fix.
 * Takes about two minutes. @throws Error when a request is not answered with success
 */
export async function measureTriageBytes(): Promise<RequestUsage[]> {
  return withMeasuredApp(async ({ workerEnv, postgresUrl, count, send }) => {
    const { embedder } = createServices(workerEnv, { log: () => {} });
    const incidents = createMadeUpIncidents(createCorpus({ chunksPerSource: 1 }), embedder.dimensions);
    const stores = { info: { urls: { postgres: postgresUrl } }, workerEnv };
    await fillIncidents(stores, incidents, STORED, { progress: () => {}, embed: (texts) => embedder.embed(texts) });
    const names = await collectionNames(workerEnv);
    const usage = new Map<string, RequestUsage>();
    const reports = familyReports();
    for (let i = -WARM_UP; i < TRIAGES; i++) {
      if (i === 0)
        count({
          add({ url: { host, pathname }, bytesReturned, chroma }) {
            const [, id = "", action = ""] = /\/collections\/([^/]+)\/(\w+)$/.exec(pathname) ?? [];
            const [store, request] =
              host === chroma
                ? (["Chroma", `${names.get(id) ?? id} ${action}`.trim() || pathname] as const)
                : (["PostgREST", pathname.replace("/rest/v1/", "")] as const);
            const key = `${store} ${request}`;
            const { requests = 0, bytesReturned: before = 0 } = usage.get(key) ?? {};
            usage.set(key, { store, request, requests: requests + 1, bytesReturned: before + bytesReturned });
          },
        });
      await send("/v1/triage", reports[(i + WARM_UP) % reports.length]?.report);
    }
    return [...usage.values()].map((each) => ({
      ...each,
      requests: each.requests / TRIAGES,
      bytesReturned: each.bytesReturned / TRIAGES,
    }));
  });
}

async function sizeOf(sql: postgres.Sql): Promise<{ readonly rows: number; readonly bytes: number }> {
  const tables = await sql<{ name: string; bytes: string }[]>`
    select c.relname as name, pg_total_relation_size(c.oid)::text as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r'`;
  let rows = 0;
  for (const { name } of tables) {
    const [counted] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(`public.${name}`)}`;
    rows += counted?.count ?? 0;
  }
  return { rows, bytes: tables.reduce((sum, { bytes }) => sum + Number(bytes), 0) };
}

async function collectionNames({
  CHROMA_URL,
  CHROMA_TENANT,
  CHROMA_DATABASE,
}: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  const path = `/api/v2/tenants/${CHROMA_TENANT}/databases/${CHROMA_DATABASE}/collections?limit=100`;
  const response = await fetch(new URL(path, CHROMA_URL));
  const collections = collectionsSchema.parse(await response.json());
  return new Map(collections.map(({ id, name }) => [id, name]));
}
