// The upgrade of a database with a collection for each layer and domain to one collection for each layer.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { scratchDir, writeProject } from "../stack/support/scratch.ts";

const UPGRADE = "20261202000000";
const MIGRATIONS = join(REPO_DIR, "supabase/migrations");

const migrations = (isWanted: (version: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    readdirSync(MIGRATIONS)
      .filter((name) => isWanted(name.slice(0, UPGRADE.length)))
      .map((name) => [name, readFileSync(join(MIGRATIONS, name), "utf8")]),
  );

const row = (id: string, terms: Record<string, number>, more: Record<string, unknown> = {}) => ({
  id,
  source: null,
  chunk_index: null,
  title: id,
  heading_path: [],
  body: Object.keys(terms).join(" "),
  metadata: {},
  written_at: "2026-01-01T00:00:00Z",
  content_hash: `text-of-${id}.metadata`,
  terms,
  ...more,
});

const source = (name: string, collection: string) => ({
  source: name,
  id: name,
  collection,
  kind: "runbook",
  origin: "api",
  title: name,
  tags: [],
  bytes: 4,
  chunks: 1,
  text: "text",
});

/** Fills the database in its earlier form. */
async function fill(sql: postgres.Sql): Promise<void> {
  const upsert = (collection: string, rows: unknown[]) =>
    sql`select public.upsert_documents(${collection}, ${sql.json(rows as postgres.JSONValue)})`;
  const put = (name: string, collection: string, chunk: unknown) =>
    sql`select public.put_source(${sql.json({
      now: "2026-01-01T00:00:00Z",
      claim_until: null,
      moves: true,
      source: source(name, collection),
      documents: [chunk],
    } as postgres.JSONValue)})`;
  const chunk = { metadata: { kind: "runbook" }, chunk_index: 0 };
  await put("locks.md", "runbooks-postgres", row("r1", { lock: 2, wait: 1 }, { ...chunk, source: "locks.md" }));
  await put("oom.md", "runbooks-docker", row("r2", { oom: 1, wait: 3 }, { ...chunk, source: "oom.md" }));
  await sql`update public.outbox set done_at = now() where document_id = 'r2'`;
  await sql`select public.mark_documents_indexed('runbooks-docker', '{"r2": "text-of-r2.metadata"}', 'model')`;
  // Loaded into two domains.
  await upsert("runbooks-docker", [row("twice", { earlier: 1 })]);
  await upsert("runbooks-podman", [row("twice", { later: 1 })]);
  await upsert("incidents-docker", [row("i1", { oom: 1 }, { metadata: { resolved: true } })]);
  await upsert("incidents-my_team-2", [row("i2", { oom: 4 })]);
  await upsert("capabilities", [row("pods", {})]);
  const answer = { ...row("", {}), id: "00000000-0000-4000-8000-000000000001", domain: "docker", session_id: "s" };
  await sql`select public.record_past_answer(${sql.json({
    ...answer,
    created_at: "2026-01-01T00:00:00Z",
    question: "q",
    answer: "a",
  } as postgres.JSONValue)}, now(), null)`;
}

it("moves documents to the collection of their layer and keeps their domain", { timeout: 120_000 }, async () => {
  const scratch = scratchDir();
  const projectDir = writeProject(join(scratch, "project"), { migrations: migrations((version) => version < UPGRADE) });
  const start = () => startStack({ dir: join(scratch, "data"), services: ["postgres"], projectDir });
  const earlier = await start();
  const before = postgres(earlier.info.urls.postgres, { max: 1, onnotice: () => {} });
  await fill(before);
  await before.end();
  await earlier.stop();

  writeProject(projectDir, { migrations: migrations(() => true) });
  const stack = await start();
  const sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.end();
    await stack.stop();
  });

  expect(
    await sql`select c.name, d.id, d.domain, d.metadata ->> 'domain' as "inMetadata", d.content_hash as hash,
        d.indexed_hash as indexed, d.index_fingerprint as fingerprint
      from public.documents d join public.collections c on c.id = d.collection_id order by d.id collate "C"`,
  ).toMatchObject([
    { name: "past_answers", domain: "docker", inMetadata: "docker", hash: "text-of-.moved", indexed: null },
    { name: "incidents", id: "i1", domain: "docker", inMetadata: "docker", hash: "text-of-i1.moved", indexed: null },
    { name: "incidents", id: "i2", domain: "my_team-2", inMetadata: "my_team-2", hash: "text-of-i2.moved" },
    { name: "capabilities", id: "pods", domain: null, inMetadata: null, hash: "text-of-pods.metadata" },
    { name: "runbooks", id: "r1", domain: "postgres", inMetadata: "postgres", hash: "text-of-r1.moved", indexed: null },
    { name: "runbooks", id: "r2", domain: "docker", hash: "text-of-r2.moved", indexed: null, fingerprint: null },
    { name: "runbooks", id: "twice", domain: "podman", inMetadata: "podman" },
  ]);
  expect(await sql`select name, document_count::int, length_total::int from public.collections order by name`).toEqual([
    { name: "capabilities", document_count: 1, length_total: 0 },
    { name: "incidents", document_count: 2, length_total: 5 },
    { name: "past_answers", document_count: 1, length_total: 0 },
    { name: "runbooks", document_count: 3, length_total: 8 },
  ]);
  expect(await sql`select collection, document_id from public.outbox where done_at is null order by id`).toEqual([
    { collection: "runbooks", document_id: "r1" },
    { collection: "past_answers", document_id: "00000000-0000-4000-8000-000000000001" },
  ]);
  expect(await sql`select source, domain from public.sources order by source`).toEqual([
    { source: "locks.md", domain: "postgres" },
    { source: "oom.md", domain: "docker" },
  ]);
  expect(await sql`select metadata ->> 'domain' as domain, content_hash as hash from public.past_answers`).toEqual([
    { domain: "docker", hash: "text-of-.moved" },
  ]);

  const search = async (collection: string, term: string, domains: string[] | null) => {
    const [reply] =
      await sql`select public.search_documents(${collection}, ${[term]}, 1, 1.2, 0.75, 0, 0, ${domains}) as result`;
    return { hits: reply?.result.hits.map(({ id }: { id: string }) => id), df: reply?.result.terms[term]?.df };
  };
  expect(await search("runbooks", "wait", null)).toEqual({ hits: ["r2"], df: 2 });
  expect(await search("runbooks", "wait", ["postgres"])).toEqual({ hits: ["r2", "r1"], df: 2 });
  expect(await search("runbooks", "earlier", null)).toEqual({ hits: [], df: 0 });
  expect(await search("incidents", "oom", ["docker", "podman"])).toEqual({ hits: ["i2", "i1"], df: 2 });

  const rewrite = (content_hash: string, read_hash?: string) =>
    sql`select public.rewrite_terms('runbooks', ${sql.json([row("r1", { lock: 5 }, { content_hash, read_hash })])})`;
  await rewrite("text-of-r1.final");
  expect((await search("runbooks", "wait", null)).df).toBe(2);
  await rewrite("text-of-r1.final", "text-of-r1.moved");
  expect((await search("runbooks", "wait", null)).df).toBe(1);
});
