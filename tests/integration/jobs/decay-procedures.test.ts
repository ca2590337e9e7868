import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { decayProcedures } from "../../../functions/jobs/decay-procedures.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { contentHash, type SearchDocument } from "../../../functions/search-index/search-document.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { at, DAY_MS, documentIds, indexedIds, shift, uuid } from "./support.ts";

const { services } = createHarness();
const LAST_USE = new Date("2026-01-01T00:00:00Z");
const COLLECTION = "procedures";

beforeEach(() => emptyStores(services));

/** Records a procedure with this many uses, the last one at LAST_USE. */
async function recordProcedure({ number = 1, uses = 1 } = {}): Promise<string> {
  const id = uuid(number);
  const query = `container ${number} exited with code 137`;
  const now = LAST_USE.toISOString();
  const document: SearchDocument = {
    id,
    source: null,
    chunkIndex: null,
    title: query,
    headingPath: [],
    body: "",
    metadata: { kind: "procedure" },
    writtenAt: LAST_USE,
  };
  const row = {
    id,
    domain: "docker",
    query,
    query_hash: randomUUID(),
    strategy: "retrieval_hits=3, memory_hits=0, reflected=false",
    answer: "Raise the memory limit.",
    confidence: 0.8,
    triage_id: null,
    metadata: { ...document.metadata },
    content_hash: contentHash(document),
  };
  for (let use = 0; use < uses; use++)
    await services.database.call("record_procedure", { p: { row, merge_into: null }, p_now: now, p_claim_until: now });
  return id;
}

const decayAfter = (days: number) => decayProcedures(at(services, shift(LAST_USE, days * DAY_MS)));

async function procedures() {
  const rows = await sql`select use_count, archived_at from public.procedures order by id`;
  return rows.map((row) => ({ uses: row.use_count, archived: row.archived_at !== null }));
}

describe("an unused procedure", () => {
  it.each([
    [89, 8],
    [90, 4],
    [179, 4],
    [180, 2],
    [270, 1],
    [360, 0.5],
  ])("has, after %d days, %d of its 8 uses left", async (days, uses) => {
    await recordProcedure({ uses: 8 });
    await decayAfter(days);
    expect(await procedures()).toEqual([{ uses, archived: false }]);
  });

  it("is archived below half a use", async () => {
    await recordProcedure({ uses: 2 });
    expect(await decayAfter(180)).toEqual({ decayed: 1, archived: 0 });
    expect(await procedures()).toEqual([{ uses: 0.5, archived: false }]);
    expect(await decayAfter(270)).toEqual({ decayed: 1, archived: 1 });
    expect(await procedures()).toEqual([{ uses: 0.25, archived: true }]);
  });

  it("has the same count after many runs as after one", async () => {
    await recordProcedure({ uses: 8 });
    for (const days of [60, 90, 91, 120, 180, 185]) await decayAfter(days);
    expect(await procedures()).toEqual([{ uses: 2, archived: false }]);
    expect(await decayAfter(185)).toEqual({ decayed: 0, archived: 0 });
  });

  it("keeps its count when it is used again in time", async () => {
    const id = await recordProcedure({ uses: 8 });
    await decayAfter(90);
    await sql`update public.procedures set last_used_at = ${shift(LAST_USE, 100 * DAY_MS)},
      decayed_until = ${shift(LAST_USE, 100 * DAY_MS)} where id = ${id}`;
    expect(await decayAfter(189)).toEqual({ decayed: 0, archived: 0 });
    expect(await decayAfter(190)).toEqual({ decayed: 1, archived: 0 });
  });

  it("is removed from both stores through the outbox when it is archived, and another one stays", async () => {
    const archived = await recordProcedure({ number: 1 });
    const active = await recordProcedure({ number: 2, uses: 8 });
    await retryOutbox(at(services, LAST_USE));
    expect(await indexedIds(services, COLLECTION)).toEqual([archived, active]);
    expect(await decayAfter(180)).toEqual({ decayed: 2, archived: 1 });
    expect(await documentIds(COLLECTION)).toEqual([active]);
    expect(await retryOutbox(at(services, shift(LAST_USE, 180 * DAY_MS)))).toEqual({ written: 1, failed: 0 });
    expect(await indexedIds(services, COLLECTION)).toEqual([active]);
    expect(await decayAfter(181)).toEqual({ decayed: 0, archived: 0 });
  });
});

describe("the decay of procedures", () => {
  it("decays each procedure once when runs overlap", async () => {
    for (let number = 1; number <= 30; number++) await recordProcedure({ number, uses: number <= 10 ? 1 : 2 });
    const runs = await Promise.all([decayAfter(180), decayAfter(180), decayAfter(180)]);
    expect(runs.reduce((sum, { decayed }) => sum + decayed, 0)).toBe(30);
    expect(runs.reduce((sum, { archived }) => sum + archived, 0)).toBe(10);
    expect(await procedures()).toEqual(
      Array.from({ length: 30 }, (_, i) => (i < 10 ? { uses: 0.25, archived: true } : { uses: 0.5, archived: false })),
    );
  });

  it("works in batches of 5,000", async () => {
    await sql`insert into public.procedures (id, domain, query, query_hash, strategy, answer, confidence, use_count, created_at,
        last_used_at, decayed_until, metadata, content_hash)
      select gen_random_uuid(), 'docker', 'q' || n, gen_random_uuid(), '', '', 0.8, 4, ${LAST_USE}, ${LAST_USE}, ${LAST_USE}, '{}', ''
      from generate_series(1, 5001) n`;
    expect(await decayAfter(90)).toEqual({ decayed: 5_001, archived: 0 });
  });
});
