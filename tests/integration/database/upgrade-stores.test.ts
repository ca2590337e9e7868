// The upgrade of both stores from a collection for each layer and domain: the migrations, then a reindex that is interrupted
// and continued while searches are made.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { hasFormerIndex, reindexAll } from "../../../cli/reindex-all.ts";
import { SLOW_WORK } from "../../../cli/slow-work.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import type { Stack } from "../../../dev/stack/stack.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { COLLECTIONS } from "../../../functions/search-index/collections.ts";
import { vectorRecord } from "../../../functions/search-index/index-state.ts";
import { documentRow, documentText, type SearchDocument } from "../../../functions/search-index/search-document.ts";
import { createServices } from "../../../functions/services.ts";
import { scratchDir, writeProject } from "../stack/support/scratch.ts";
import { createHarness } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

const FIRST_OF_UPGRADE = "20261202000000";
const MIGRATIONS = join(REPO_DIR, "supabase/migrations");
const AT = new Date("2026-01-01T00:00:00Z");
/** More than two batches of a reindex. */
const RUNBOOKS = 20;
const DOMAINS = ["docker", "postgres"];
const SESSION = "on-call";

function migrations(isWanted: (version: string) => boolean): Record<string, string> {
  const names = readdirSync(MIGRATIONS).filter((name) => isWanted(name.slice(0, FIRST_OF_UPGRADE.length)));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(MIGRATIONS, name), "utf8")]));
}

function runbook(domain: string, n: number): SearchDocument {
  return {
    id: `${domain}-${n}`,
    source: `${domain}/failure-${n}.md`,
    chunkIndex: 0,
    title: `Failure number ${n} of ${domain}`,
    headingPath: [],
    body: `The part flux${n} of ${domain} is broken. Replace flux${n}.`,
    metadata: { kind: "runbook" },
    writtenAt: AT,
  };
}

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${n.toString().padStart(12, "0")}`;
}

/** Fills both stores in their earlier form. */
async function fill(sql: postgres.Sql, env: Record<string, string>): Promise<void> {
  const { vectors, embedder } = createServices({ ...env, ...SLOW_WORK }).background;
  const json = (value: unknown) => sql.json(value as postgres.JSONValue);
  const index = async (collection: string, documents: readonly SearchDocument[]) => {
    const embedded = await embedder.embed(documents.map(documentText));
    await vectors.store(
      collection,
      documents.map((document, i) => vectorRecord(document, embedded[i] ?? [])),
    );
    const hashes = Object.fromEntries(
      documents.map((document) => [document.id, documentRow(document, { isKeywordSearched: true }).content_hash]),
    );
    await sql`select public.mark_documents_indexed(${collection}, ${json(hashes)}, ${vectors.fingerprint})`;
  };
  for (const domain of DOMAINS) {
    const runbooks = Array.from({ length: RUNBOOKS }, (_, n) => runbook(domain, n));
    for (const document of runbooks) {
      await sql`select public.put_source(${json({
        ...{ now: AT, claim_until: null, moves: true },
        source: {
          ...{ source: document.source, id: document.id, collection: `runbooks-${domain}`, kind: "runbook" },
          ...{ origin: "api", title: document.title, tags: [], bytes: 4, chunks: 1, text: document.body },
        },
        documents: [documentRow(document, { isKeywordSearched: true })],
      })})`;
    }
    await index(`runbooks-${domain}`, runbooks);
    const incident: SearchDocument = {
      ...runbook(domain, 1),
      ...{ id: uuid(domain.length), source: null, chunkIndex: null, title: `flux1 of ${domain} broke last week` },
      metadata: { incident_id: uuid(domain.length), title: `flux1 of ${domain} broke last week`, severity: "high" },
    };
    await sql`select public.upsert_documents(${`incidents-${domain}`}, ${json([documentRow(incident, { isKeywordSearched: true })])})`;
    await index(`incidents-${domain}`, [incident]);
  }
  await sql`update public.outbox set done_at = now()`;
  for (const [n, domain] of [...DOMAINS, ...DOMAINS, "docker"].entries()) {
    const answer = {
      ...{
        id: uuid(100 + n),
        domain,
        session_id: SESSION,
        created_at: AT,
        question: `flux${n}?`,
        answer: "Replace it.",
      },
      ...{ metadata: { session_id: SESSION }, content_hash: `text-${n}.metadata` },
    };
    await sql`select public.record_past_answer(${json(answer)}, ${AT}, null)`;
  }
}

async function connect(stack: Stack): Promise<postgres.Sql> {
  return postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
}

it("keeps every document findable, resumes after an interruption and drops the former collections", {
  timeout: 300_000,
}, async () => {
  const scratch = scratchDir();
  const projectDir = writeProject(join(scratch, "project"), {
    migrations: migrations((version) => version < FIRST_OF_UPGRADE),
  });
  const start = () =>
    startStack({ dir: join(scratch, "data"), services: ["postgres", "gateway", "chroma", "embeddings"], projectDir });
  const earlier = await start();
  const before = await connect(earlier);
  await fill(before, earlier.workerEnv);
  await before.end();
  await earlier.stop();

  writeProject(projectDir, { migrations: migrations(() => true) });
  const stack = await start();
  const sql = await connect(stack);
  onTestFinished(async () => {
    await sql.end();
    await stack.stop();
  });
  const env = stack.workerEnv;
  expect(await sql`select session_id, raw_count from public.sessions`).toEqual([{ session_id: SESSION, raw_count: 5 }]);
  expect(await sql`select name, definition from public.domains order by name`).toEqual(
    [...DOMAINS, "general"].sort().map((name) => ({ name, definition: {} })),
  );
  expect(
    await sql`select domain, count(*)::int as sources from public.sources group by domain order by domain`,
  ).toEqual(DOMAINS.map((domain) => ({ domain, sources: RUNBOOKS })));

  const harness = createHarness({ ...env, CHROMA_DATABASE: "default_database" });
  const { vectors } = harness.services;
  let isOver = false;
  const search = async (domain: string, n: number) => {
    const labels = n % 2 === 0 ? { domain } : {};
    const { recalled, warnings } = await harness.triage({ title: `flux${n} of ${domain} is broken`, labels });
    expect(recalled.runbooks[0]?.source).toBe(`${domain}/failure-${n}.md`);
    expect(warnings).toEqual([]);
    return recalled;
  };
  const searchUntilTheEnd = async () => {
    let searches = 0;
    for (; !isOver; searches++) await search(DOMAINS[searches % 2] ?? "", searches % RUNBOOKS);
    return searches;
  };
  expect((await search("docker", 1)).incidents[0]?.id).toBe(uuid("docker".length));
  expect(await hasFormerIndex(env)).toBe(true);

  const searching = searchUntilTheEnd();
  let requests = 0;
  await using dying = await lyingServer({
    forwardTo: new URL(env.EMBEDDINGS_URL ?? "").origin,
    before: () => (++requests > 2 ? "cut" : undefined),
  });
  await expect(reindexAll({ ...env, EMBEDDINGS_URL: `${dying.url}/v1` }, () => {})).rejects.toMatchObject({
    dependency: "embedder",
  });
  expect(await hasFormerIndex(env)).toBe(true);
  const [written] = await sql`select count(*)::int as count from public.documents d
    join public.collections c on c.id = d.collection_id where c.name = 'runbooks' and d.indexed_hash = d.content_hash`;
  expect(written?.count).toBeGreaterThan(0);
  const totals: Record<string, number> = {};
  await reindexAll(env, (_done, total, collection) => {
    totals[collection] = total;
  });
  expect(totals.runbooks).toBe(DOMAINS.length * RUNBOOKS - written?.count);
  isOver = true;
  expect(await searching).toBeGreaterThan(0);
  expect(await hasFormerIndex(env)).toBe(false);
  // On a busy machine, the outbox still holds writes of the last triages.
  const later = new Date(harness.clock.now().getTime() + 3_600_000);
  await retryOutbox({ ...harness.services, now: () => later });
  expect(await reindexAll(env, () => {})).toBe(0);
  for (const collection of COLLECTIONS) {
    const rows = await sql`select d.id, d.domain from public.documents d
      join public.collections c on c.id = d.collection_id where c.name = ${collection} order by d.id collate "C"`;
    const records = await vectors.find(collection, { limit: 1_000 });
    const indexed = records.map(({ id, metadata }) => ({ id, domain: metadata.domain ?? null }));
    expect(indexed.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(rows.map((row) => ({ ...row })));
  }
  const recalled = await search("postgres", 3);
  expect(recalled.runbooks[0]?.features).toHaveProperty("dense");
  expect(recalled.past_answers.length).toBeGreaterThan(0);
});
