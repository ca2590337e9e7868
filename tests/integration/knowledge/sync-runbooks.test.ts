import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { describeSeed, seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../support/harness.ts";
import { runbookFolder } from "../support/runbooks.ts";
import { embedderAt, embeddingServer } from "../support/servers/embedding-server.ts";

const { services } = createHarness();
const OOM =
  "# Out of memory\n\nThe kernel killed it.\n\n## Symptoms\n\n- exit code 137\n\n## Mitigate\n\n1. Raise the limit.\n";
const DISK =
  "---\nincident_type: disk_full\ntags: [disk]\n---\n\n# Disk full\n\nNo space left.\n\n## Confirm\n\n1. Run df.\n";
const FILES = {
  "docker/oom.md": OOM,
  "docker/disk.md": DISK,
  "postgres/deadlock.md": "# Deadlock\n\nTwo wait for each other.\n",
};

beforeEach(() => emptyStores(services));

/** The chunks of the domain docker in both stores; the other runbook of the folder is left out. */
async function storedRunbooks() {
  const rows = await sql`select d.id, d.source, d.chunk_index, d.indexed_hash = d.content_hash as indexed
    from public.documents d join public.collections c on c.id = d.collection_id
    where c.name = 'runbooks' and d.domain = 'docker' order by d.source, d.chunk_index`;
  const vectors = await services.vectors.find("runbooks", {
    limit: 1_000,
    filter: { op: "equals", field: "domain", value: "docker" },
  });
  return { rows: rows.map((row) => ({ ...row })), indexIds: vectors.map(({ id }) => id).sort(), vectors };
}

describe("seeding runbooks", () => {
  it("writes each chunk to both stores; a second run embeds nothing and reports that", async () => {
    await using folder = await runbookFolder(FILES);
    const progress: string[] = [];
    const seed = () =>
      seedRunbooks({
        env: workerEnv,
        directory: folder.directory,
        onProgress: (done, total, label) => progress.push(`${label} ${done}/${total}`),
      });
    expect(await seed()).toEqual({ sources: 3, embedded: 6, moved: 0, unchanged: 0, removed: 0 });
    expect(progress).toEqual(["docker 5/5", "postgres 1/1"]);

    const { rows, indexIds } = await storedRunbooks();
    expect(rows.map(({ source, chunk_index }) => `${source} ${chunk_index}`)).toEqual([
      "docker/disk.md 0",
      "docker/disk.md 1",
      "docker/oom.md 0",
      "docker/oom.md 1",
      "docker/oom.md 2",
    ]);
    expect(rows.every(({ indexed }) => indexed)).toBe(true);
    expect(indexIds).toEqual(rows.map(({ id }) => id).sort());

    const second = await seed();
    expect(second).toEqual({ sources: 3, embedded: 0, moved: 0, unchanged: 6, removed: 0 });
    expect(describeSeed(second)).toBe("3 runbooks, 6 chunks: all up to date, nothing embedded");
  });

  it("calls the embedder only for changed chunks", async () => {
    await using folder = await runbookFolder(FILES);
    await using embedder = await embeddingServer();
    const env = { ...workerEnv, ...embedder.env };
    const seed = () => seedRunbooks({ env, directory: folder.directory });
    await seed();
    embedder.requests.length = 0;
    await seed();
    expect(embedder.requests).toEqual([]);
    await folder.write("docker/oom.md", OOM.replace("Raise the limit.", "Raise the limit to 1 GiB."));
    expect(await seed()).toEqual({ sources: 3, embedded: 1, moved: 0, unchanged: 5, removed: 0 });
    expect(embedder.requests).toHaveLength(1);
    const { vectors } = await storedRunbooks();
    expect(vectors.filter(({ text }) => text.includes("1 GiB"))).toHaveLength(1);
    expect(vectors.filter(({ text }) => text.includes("Raise the limit."))).toHaveLength(0);
  });

  it("embeds only a new section and moves the chunks after it with their vectors", async () => {
    await using folder = await runbookFolder(FILES);
    const seed = () => seedRunbooks({ env: workerEnv, directory: folder.directory });
    await seed();
    await folder.write("docker/oom.md", OOM.replace("## Symptoms", "## Urgency\n\nHigh.\n\n## Symptoms"));
    expect(await seed()).toEqual({ sources: 3, embedded: 1, moved: 2, unchanged: 4, removed: 0 });
    expect(await seed()).toMatchObject({ embedded: 0, moved: 0, unchanged: 7 });
  });

  it("removes a deleted section from both stores and keeps a runbook whose file is deleted", async () => {
    await using folder = await runbookFolder(FILES);
    const seed = () => seedRunbooks({ env: workerEnv, directory: folder.directory });
    await seed();
    await folder.write("docker/oom.md", OOM.slice(0, OOM.indexOf("## Mitigate")));
    await folder.remove("docker/disk.md");
    expect(await seed()).toEqual({ sources: 2, embedded: 0, moved: 0, unchanged: 3, removed: 1 });
    const { rows, indexIds } = await storedRunbooks();
    expect(rows.map(({ source, chunk_index }) => `${source} ${chunk_index}`)).toEqual([
      "docker/disk.md 0",
      "docker/disk.md 1",
      "docker/oom.md 0",
      "docker/oom.md 1",
    ]);
    expect(indexIds).toHaveLength(4);
  });

  it("removes a metadata field that the front matter no longer has, without embedding", async () => {
    await using folder = await runbookFolder(FILES);
    const seed = () => seedRunbooks({ env: workerEnv, directory: folder.directory });
    await seed();
    await folder.write("docker/disk.md", DISK.replace("tags: [disk]\n", ""));
    expect(await seed()).toEqual({ sources: 3, embedded: 0, moved: 2, unchanged: 4, removed: 0 });
    const { vectors } = await storedRunbooks();
    expect(vectors.filter(({ metadata }) => "tags" in metadata)).toEqual([]);
  });

  it("restores a collection that Chroma lost", async () => {
    await using folder = await runbookFolder(FILES);
    const seed = () => seedRunbooks({ env: workerEnv, directory: folder.directory });
    await seed();
    await services.vectors.drop("runbooks");
    expect(await seed()).toEqual({ sources: 3, embedded: 6, moved: 0, unchanged: 0, removed: 0 });
    expect((await storedRunbooks()).indexIds).toHaveLength(5);
  });

  it("completes the work of a run that failed between the two stores", async () => {
    await using folder = await runbookFolder(FILES);
    const down = { ...workerEnv, CHROMA_URL: "http://127.0.0.1:9" };
    await expect(seedRunbooks({ env: down, directory: folder.directory })).rejects.toThrow(/vector_store/);
    await using embedder = await embeddingServer({ misbehave: () => ({ status: 400, body: "{}" }) });
    const refusing = { ...workerEnv, ...embedder.env };
    await expect(seedRunbooks({ env: refusing, directory: folder.directory })).rejects.toThrow(/embedder/);
    expect(await seedRunbooks({ env: workerEnv, directory: folder.directory })).toMatchObject({ embedded: 6 });
  });

  it("refuses to mix vectors of two models and names both models and the command", async () => {
    await using folder = await runbookFolder(FILES);
    await seedRunbooks({ env: workerEnv, directory: folder.directory });
    const other = {
      ...workerEnv,
      ...embedderAt("http://127.0.0.1:9"),
      EMBEDDING_MODEL: "openai-compatible:another-model",
    };
    await expect(seedRunbooks({ env: other, directory: folder.directory })).rejects.toThrow(
      /word-vectors-.*another-model.*dejavu reindex/s,
    );
  });

  it("reports the file with invalid front matter and stores nothing", async () => {
    await using folder = await runbookFolder({ ...FILES, "podman/bad.md": "---\nincident_type: 7\n---\n# Bad\n" });
    await expect(seedRunbooks({ env: workerEnv, directory: folder.directory })).rejects.toThrow(
      /podman\/bad\.md.*incident_type/,
    );
    expect((await storedRunbooks()).rows).toEqual([]);
  });

  it("distinguishes runbooks with the same file name in two domains", async () => {
    await using folder = await runbookFolder({ "docker/oom.md": OOM, "podman/oom.md": OOM });
    await seedRunbooks({ env: workerEnv, directory: folder.directory });
    const ids = await sql`select distinct id from public.documents`;
    expect(ids).toHaveLength(6);
  });

  it("loads the project's own runbooks: at least eight for postgres", async () => {
    const directory = await mkdtemp(join(tmpdir(), "dejavu-seeds-"));
    try {
      await cp(
        fileURLToPath(new URL("../../../seeds/runbooks/postgres", import.meta.url)),
        join(directory, "postgres"),
        {
          recursive: true,
        },
      );
      const report = await seedRunbooks({ env: workerEnv, directory });
      expect(report.sources).toBeGreaterThanOrEqual(8);
      expect(report.embedded).toBeGreaterThanOrEqual(report.sources * 5);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
