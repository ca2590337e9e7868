import { beforeEach, describe, expect, it } from "vitest";
import { reindexCollection } from "../../functions/memory/reindex.ts";
import { seedRunbooks } from "../../seeds/seed-runbooks.ts";
import { cleanSlate, createHarness, info, workerEnv } from "./support/harness.ts";
import { lyingServer } from "./support/lying-server.ts";
import { runbookFolder } from "./support/runbooks.ts";

const harness = createHarness();
// The sidecar has one model; other chunking changes the fingerprint just as well.
const OTHER_MODEL = { CHUNK_SIZE: "300" };
const OOM = { title: "container exited with code 137" };

beforeEach(async () => {
  await cleanSlate(harness.services);
  await using folder = await runbookFolder({
    "docker/a.md":
      "---\nincident_type: oom_killed\n---\n# Container exited with code 137\n\nOut of memory.\n\n## Mitigate\n\n1. Raise it.\n",
    "docker/b.md": "# Disk\n\nFull.\n",
  });
  await seedRunbooks({ env: workerEnv, directory: folder.directory });
});

describe("after the chunking or the embedding model changed", () => {
  it("triage answers from keywords, with a warning that names the command, until the collections are reindexed", async () => {
    const changed = createHarness(OTHER_MODEL);
    const before = await (await changed.post("/v1/triage", OOM)).json();
    expect(before).toMatchObject({
      outcome: "cause",
      warnings: [{ code: "model_mismatch", system: "chroma", message: expect.stringContaining("npm run reindex") }],
    });
    const progress: string[] = [];
    expect(
      await reindexCollection(changed.services, "runbooks-docker", (done, total) => progress.push(`${done}/${total}`)),
    ).toBe(3);
    expect(progress).toEqual(["3/3"]);
    const after = await (await changed.post("/v1/triage", OOM)).json();
    expect(after).toMatchObject({ outcome: "cause", warnings: [] });
    expect(await reindexCollection(changed.services, "runbooks-docker")).toBe(0);
  });

  it("a reindex that broke in the middle goes on where it stopped", async () => {
    const embeddings = new URL(info.urls.embeddings).origin;
    await using dying = await lyingServer({ forwardTo: "http://127.0.0.1:9" });
    const broken = createHarness({ ...OTHER_MODEL, EMBEDDINGS_URL: `${dying.url}/v1` });
    await expect(reindexCollection(broken.services, "runbooks-docker")).rejects.toMatchObject({ system: "embeddings" });
    const changed = createHarness({ ...OTHER_MODEL, EMBEDDINGS_URL: `${embeddings}/v1` });
    expect(await reindexCollection(changed.services, "runbooks-docker")).toBe(3);
  });
});

it("fills a collection that lost its vectors, and embeds no more than what is missing", async () => {
  const { vectors } = harness.services;
  const [first] = await vectors.keywordSearch("runbooks-docker", { limit: 1 });
  await vectors.delete("runbooks-docker", [first?.id ?? ""]);
  expect(await reindexCollection(harness.services, "runbooks-docker")).toBe(1);
  expect(await vectors.keywordSearch("runbooks-docker", { limit: 9 })).toHaveLength(3);
});
