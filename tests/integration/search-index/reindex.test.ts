import { beforeEach, describe, expect, it } from "vitest";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { reindexCollection } from "../../../functions/search-index/reindex.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../support/harness.ts";
import { runbookFolder } from "../support/runbooks.ts";
import { embedderAt, embeddingServer } from "../support/servers/embedding-server.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

const harness = createHarness();
// Another chunk size changes the fingerprint, as another model does.
const OTHER_MODEL = { CHUNK_SIZE: "300" };
const OOM = { title: "container exited with code 137" };

beforeEach(async () => {
  await emptyStores(harness.services);
  await using folder = await runbookFolder({
    "docker/a.md":
      "---\nincident_type: oom_killed\n---\n# Container exited with code 137\n\nOut of memory.\n\n## Mitigate\n\n1. Raise it.\n",
    "docker/b.md": "# Disk\n\nFull.\n",
  });
  await seedRunbooks({ env: workerEnv, directory: folder.directory });
});

describe("after a change of the chunking or of the embedding model", () => {
  it("triage uses keywords only, with a warning that names the command, until the collections are reindexed; then its probabilities are not those of the model", async () => {
    await using server = await embeddingServer();
    const changed = createHarness({ ...server.env, EMBEDDING_MODEL: "openai-compatible:other-model" });
    const before = await (await changed.post("/v1/triage", OOM)).json();
    const uncalibrated = {
      code: "uncalibrated",
      dependency: "embedder",
      message: expect.stringMatching(/other-model.*npm run bench -- train-relevance/),
    };
    expect(before).toMatchObject({
      outcome: "cause",
      warnings: [
        uncalibrated,
        {
          code: "model_mismatch",
          dependency: "vector_store",
          message: expect.stringContaining("dejavu reindex"),
        },
      ],
    });
    const progress: string[] = [];
    expect(
      await reindexCollection(changed.services, "runbooks", (done, total) => progress.push(`${done}/${total}`)),
    ).toBe(3);
    expect(progress).toEqual(["3/3"]);
    const after = await (await changed.post("/v1/triage", OOM)).json();
    expect(after).toMatchObject({ outcome: "cause", warnings: [uncalibrated] });
    expect(await reindexCollection(changed.services, "runbooks")).toBe(0);
  });

  it("a failed reindex continues at the next run", async () => {
    const broken = createHarness({ ...OTHER_MODEL, ...embedderAt("http://127.0.0.1:9") });
    await expect(reindexCollection(broken.services, "runbooks")).rejects.toMatchObject({
      dependency: "embedder",
    });
    const changed = createHarness(OTHER_MODEL);
    expect(await reindexCollection(changed.services, "runbooks")).toBe(3);
  });
});

it("restores a collection that lost vectors and embeds only the missing ones", async () => {
  const { vectors } = harness.services;
  const [first] = await vectors.find("runbooks", { limit: 1 });
  await vectors.delete("runbooks", [first?.id ?? ""]);
  expect(await reindexCollection(harness.services, "runbooks")).toBe(1);
  expect(await vectors.find("runbooks", { limit: 9 })).toHaveLength(3);
});

it("writes hashes anew that have another form", async () => {
  const hashes = () => sql`select id, content_hash from public.documents order by id`;
  const before = await hashes();
  await sql`update public.documents set content_hash = 'another form of ' || content_hash`;
  expect(await reindexCollection(harness.services, "runbooks")).toBe(3);
  expect(await hashes()).toEqual(before);
  expect(await reindexCollection(harness.services, "runbooks")).toBe(0);
});

it("removes records without a row", async () => {
  const { vectors } = harness.services;
  const orphans = Array.from({ length: 250 }, (_, i) => `orphan-${i}`);
  const record = { vector: Array(harness.services.embedder.dimensions).fill(0.1), text: "t", metadata: { a: 1 } };
  await vectors.store(
    "runbooks",
    orphans.map((id) => ({ id, ...record })),
  );
  expect(await reindexCollection(harness.services, "runbooks")).toBe(0);
  expect(await vectors.find("runbooks", { limit: 999 })).toHaveLength(3);
});

it("rebuilds every memory layer with equal search results", async () => {
  const { vectors } = harness.services;
  const triage = async () => (await harness.triage({ ...OOM, session_id: "s-1" })).recalled;
  await triage();
  const before = await triage();
  for (const collection of ["incidents", "past_answers"]) {
    await vectors.drop(collection);
    expect(await reindexCollection(harness.services, collection)).toBeGreaterThan(0);
  }
  const after = await triage();
  expect(after.incidents.map(({ id }) => id)).toEqual(before.incidents.map(({ id }) => id));
  const [pastAnswer] = before.past_answers;
  expect(after.past_answers.find(({ id }) => id === pastAnswer?.id)).toMatchObject({
    ranking: { cosine: expect.closeTo(pastAnswer?.ranking.cosine ?? 0, 5) },
  });
  expect(
    await sql`select 1 from public.posting_blocks b join public.collections c on c.id = b.collection_id
    where c.name = 'past_answers'`,
  ).toHaveLength(0);
});

it("does not overwrite concurrent changes", async () => {
  const { incident_id } = await harness.triage(OOM);
  await harness.services.vectors.drop("incidents");
  await using racing = await lyingServer({
    forwardTo: workerEnv.SUPABASE_URL ?? "",
    before: async (path) => {
      if (path.endsWith("/rewrite_terms"))
        await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "Raised it to 1 GiB." });
      return undefined;
    },
  });
  await reindexCollection(createHarness({ SUPABASE_URL: racing.url }).services, "incidents");
  await retryOutbox({ ...harness.services, now: () => new Date(harness.clock.now().getTime() + 3_600_000) });
  const [row] =
    await sql`select body, indexed_hash = content_hash as indexed from public.documents where id = ${incident_id}`;
  expect(row).toMatchObject({ body: expect.stringContaining("Raised it to 1 GiB."), indexed: true });
  const [record] = await harness.services.vectors.find("incidents", { limit: 9 });
  expect(record?.text).toContain("Raised it to 1 GiB.");
});
