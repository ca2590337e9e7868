import { beforeEach, describe, expect, it } from "vitest";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { flushOutbox } from "../../../functions/search-index/flush-outbox.ts";
import { createHarness, emptyStores, type Harness, sql } from "../support/harness.ts";
import { embeddingServer, refusePoison } from "../support/servers/embedding-server.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

const harness = createHarness();
const UNREACHABLE_URL = "http://127.0.0.1:9";

beforeEach(() => emptyStores(harness.services));

const triage = (on: Harness, title = "api-gateway docker container exited with code 137") => on.triage({ title });

async function outbox() {
  const rows =
    await sql`select attempts, last_error, done_at is not null as done, next_attempt_at from public.outbox order by id`;
  return rows.map(({ attempts, last_error, done, next_attempt_at }) => ({
    attempts,
    last_error,
    done,
    next: new Date(next_attempt_at).getTime(),
  }));
}

function at(ms: number) {
  const { services, clock } = harness;
  return { ...services, now: () => new Date(clock.now().getTime() + ms) };
}

describe("a failed memory write", () => {
  it("does not delay the caller, is logged, and stays in the outbox with the reason", async () => {
    const broken = createHarness({ CHROMA_URL: UNREACHABLE_URL });
    const result = await triage(broken);
    expect(result.persisted).toBe(true);
    const pending = {
      attempts: 1,
      last_error: "vector_store unreachable",
      done: false,
      next: broken.clock.now().getTime() + 30_000,
    };
    expect(await outbox()).toEqual([pending, pending]);
    expect(broken.log.filter(({ event }) => event === "outbox.deferred")).toHaveLength(1);
  });

  it("is completed when the vector store is back, and its record is then found by its vector", async () => {
    const { incident_id } = await triage(createHarness({ CHROMA_URL: UNREACHABLE_URL }));
    expect(await retryOutbox(at(29_000))).toEqual({ written: 0, failed: 0 });
    expect(await retryOutbox(at(31_000))).toEqual({ written: 2, failed: 0 });
    expect((await outbox())[0]).toMatchObject({ attempts: 2, done: true, last_error: null });
    const { recalled } = await triage(harness);
    expect(recalled.incidents).toMatchObject([{ id: incident_id, features: { dense: { rank: 1 } } }]);
    expect(await retryOutbox(at(3_600_000))).toEqual({ written: 0, failed: 0 });
  });

  it("is retried with growing pauses while the vector store is unavailable", async () => {
    const broken = createHarness({ CHROMA_URL: UNREACHABLE_URL });
    await triage(broken);
    let now = 0;
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      const [row] = await outbox();
      now = row?.next ?? 0;
      expect(await retryOutbox({ ...broken.services, now: () => new Date(now) })).toEqual({ written: 0, failed: 2 });
      pauses.push((((await outbox())[0]?.next ?? 0) - now) / 1_000);
    }
    expect(pauses).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]);
  });

  it("is claimed by only one of several concurrent workers", async () => {
    const broken = createHarness({ CHROMA_URL: UNREACHABLE_URL });
    for (let i = 0; i < 6; i++) await triage(broken, `container ${i} exited with code 137`);
    const later = at(31_000);
    const runs = await Promise.all([retryOutbox(later), retryOutbox(later), retryOutbox(later)]);
    expect(runs.reduce((sum, { written }) => sum + written, 0)).toBe(12);
    expect((await outbox()).every(({ attempts, done }) => done && attempts === 2)).toBe(true);
    for (const collection of ["incidents", "past_answers"])
      expect(await harness.services.vectors.find(collection, { limit: 100 })).toHaveLength(6);
  });

  it("is retried by another worker when the one that claimed it died", async () => {
    await triage(createHarness({ CHROMA_URL: UNREACHABLE_URL }));
    await harness.services.database.call("claim_outbox", {
      p_now: at(31_000).now().toISOString(),
      p_limit: 10,
      p_lease_seconds: 60,
    });
    expect(await retryOutbox(at(32_000))).toEqual({ written: 0, failed: 0 });
    expect(await retryOutbox(at(92_000))).toEqual({ written: 2, failed: 0 });
  });

  it("times out within its budget when the vector store hangs", async () => {
    await using hanging = await lyingServer({ hang: true });
    const slow = createHarness({ CHROMA_URL: hanging.url });
    // Recall would wait for the same server; this test covers only the write.
    const { incident_id } = await triage(createHarness({ CHROMA_URL: UNREACHABLE_URL }));
    const [row] = await sql`select id from public.outbox`;
    const document = {
      id: incident_id,
      source: null,
      chunkIndex: null,
      title: "t",
      headingPath: [],
      body: "b",
      metadata: { a: 1 },
      writtenAt: new Date(0),
    };
    const write = { outboxId: Number(row?.id), collection: "incidents", documentId: incident_id };
    const flushed = flushOutbox(slow.services, [{ ...write, attempts: 1, contentHash: "", isNew: false, document }]);
    await slow.expire("memory_write");
    expect(await flushed).toBe(false);
    expect((await outbox())[0]).toMatchObject({ done: false, last_error: "vector_store timeout" });
  });
});

describe("a document that changes while it is being written", () => {
  it("stays pending, so that the newer text is written later", async () => {
    const { incident_id } = await triage(createHarness({ CHROMA_URL: UNREACHABLE_URL }));
    const claimed = await harness.services.database.call("claim_outbox", {
      p_now: at(31_000).now().toISOString(),
      p_limit: 10,
      p_lease_seconds: 60,
    });
    expect(claimed).toMatchObject([{ document_id: incident_id, collection: "incidents" }, {}]);
    await createHarness({ CHROMA_URL: UNREACHABLE_URL }).post(`/v1/incidents/${incident_id}/resolve`, {
      resolution: "restarted",
    });
    const [row] = await sql`select min(id)::int as id from public.outbox`;
    await harness.services.database.call("complete_outbox", {
      p_now: at(32_000).now().toISOString(),
      p_done: [{ id: row?.id, hash: "the hash of the older text" }],
      p_fingerprint: "f",
    });
    expect((await outbox()).map(({ done }) => done)).toEqual([false, false, false, false]);
    // The past answer of the first run is still claimed.
    expect(await retryOutbox(at(40_000))).toEqual({ written: 3, failed: 0 });
    const [record] = await harness.services.vectors.find("incidents", { limit: 9 });
    expect(record?.text).toContain("Resolution: restarted");
  });
});

describe("a document that the embedder refuses", () => {
  it("does not keep other documents out of the index", async () => {
    const broken = createHarness({ CHROMA_URL: UNREACHABLE_URL });
    for (const name of ["good-1", "poison", "good-2"]) await triage(broken, `container ${name} exited with code 137`);
    await using selective = await embeddingServer({ misbehave: refusePoison });
    const { services } = createHarness(selective.env);
    expect(await retryOutbox({ ...services, now: at(31_000).now })).toEqual({ written: 4, failed: 2 });
    const written = { done: true, last_error: null };
    const refused = { done: false, last_error: "embedder refused" };
    expect((await outbox()).map(({ done, last_error }) => ({ done, last_error }))).toEqual([
      ...[written, written],
      ...[refused, refused],
      ...[written, written],
    ]);
  });
});
