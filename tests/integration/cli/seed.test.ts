// `npm run seed`, and how `npm start` updates the built-in runbooks.

import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { findMissing, loadRunbooks, type RunbookFolder, removeRunbooks } from "../../../cli/seed-runbooks.ts";
import { sendText } from "../support/api.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../support/harness.ts";
import { runbookFolder } from "../support/runbooks.ts";

const harness = createHarness();
const COMMAND = fileURLToPath(new URL("../../../cli/seed.ts", import.meta.url));
const OWN = { "docker/own.md": "# Own\n\nText.\n", "docker/shared.md": "# Shared, as we have it\n\nText.\n" };

beforeEach(() => emptyStores(harness.services));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command without a terminal, so that it cannot ask. */
async function seedCommand(...args: readonly string[]): Promise<Ended> {
  const running = promisify(execFile)(process.execPath, [COMMAND, ...args], { env: { ...process.env, ...workerEnv } });
  running.child.stdin?.end();
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Ended) => error,
  );
}

function builtIn(...names: readonly string[]): RunbookFolder {
  const docker = names.map((name) => ({
    source: `docker/${name}.md`,
    markdown: `# ${name}, as it ships\n\nText.\n`,
    metadata: {},
  }));
  return { origin: "built_in", domains: [{ name: "docker", definition: null, runbooks: docker }] };
}

/** What `npm start` does with them. */
async function start(folder: RunbookFolder) {
  const report = await loadRunbooks(folder, { env: workerEnv });
  await removeRunbooks(await findMissing(folder, workerEnv), workerEnv);
  return report;
}

/** Title and origin of each runbook on record, and whether both stores hold its chunks. */
async function onRecord() {
  const rows = await sql`select s.source, s.origin, s.title, s.chunks from public.sources s order by s.source`;
  const indexed = await harness.services.vectors.find("runbooks", { limit: 100 });
  const count = (source: string) => indexed.filter(({ metadata }) => metadata.source === source).length;
  return Object.fromEntries(
    rows.map(({ source, origin, title, chunks }) => [
      source,
      `${origin}: ${title}${count(source) === chunks ? "" : " (not in the index)"}`,
    ]),
  );
}

describe("npm run seed", () => {
  it("fails and changes nothing for a folder that is missing, empty or of no domain", async () => {
    await loadRunbooks(builtIn("a"), { env: workerEnv });
    await using empty = await runbookFolder({});
    await using redis = await runbookFolder({ "redis/a.md": "# A\n" });
    await using mixed = await runbookFolder({ "docker/b.md": "# B\n", "redis/a.md": "# A\n" });
    await mkdir(join(empty.directory, "docker"));
    for (const [args, fault] of [
      [["/nope"], "/nope does not exist."],
      [["/nope", "--prune", "--yes"], "/nope does not exist."],
      [[empty.directory, "--prune", "--yes"], "holds no runbooks"],
      [[redis.directory, "--prune", "--yes"], "belong to no domain: redis/"],
      [[mixed.directory], "belong to no domain: redis/"],
    ] as const) {
      const { code, stdout, stderr } = await seedCommand(...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(fault);
    }
    expect(await onRecord()).toEqual({ "docker/a.md": "built_in: a, as it ships" });
  });

  it("adds and updates the runbooks of the folder and changes no others", async () => {
    await loadRunbooks(builtIn("a", "shared"), { env: workerEnv });
    await sendText(harness, "/v1/runbooks/docker/api.md", "# From the API\n\nText.");
    await using folder = await runbookFolder(OWN);
    await using another = await runbookFolder({ "docker/another.md": "# Another\n\nText.\n" });
    expect(await seedCommand(folder.directory)).toMatchObject({ code: 0 });
    expect(await seedCommand(another.directory)).toMatchObject({ code: 0 });
    await folder.write("docker/own.md", "# Own, changed\n\nText.\n");
    await folder.remove("docker/shared.md");
    expect(await seedCommand(folder.directory)).toMatchObject({ code: 0 });
    expect(await onRecord()).toEqual({
      "docker/a.md": "built_in: a, as it ships",
      "docker/another.md": "folder: Another",
      "docker/api.md": "api: From the API",
      "docker/own.md": "folder: Own, changed",
      "docker/shared.md": "folder: Shared, as we have it",
    });
  });

  it("removes runbooks only with --prune, lists them, and needs --yes without a terminal", async () => {
    await loadRunbooks(builtIn("a"), { env: workerEnv });
    await sendText(harness, "/v1/runbooks/docker/api.md", "# From the API\n\nText.");
    await using folder = await runbookFolder(OWN);
    await seedCommand(folder.directory);
    await folder.remove("docker/shared.md");
    await folder.write("docker/new.md", "# New\n\nText.\n");
    const before = await onRecord();

    const refused = await seedCommand(folder.directory, "--prune");
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining("removed (1):\n  docker/shared.md\n") });
    expect(refused.stderr).toContain("Nothing was changed. Add --yes");
    expect(await onRecord()).toEqual(before);

    const pruned = await seedCommand(folder.directory, "--prune", "--yes");
    expect(pruned).toMatchObject({ code: 0, stdout: expect.stringContaining("Removed 1 runbook.") });
    expect(await onRecord()).toEqual({
      "docker/a.md": "built_in: a, as it ships",
      "docker/api.md": "api: From the API",
      "docker/new.md": "folder: New",
      "docker/own.md": "folder: Own",
    });
    expect((await seedCommand(folder.directory, "--prune")).code).toBe(0);
  });

  it("rejects an unknown option", async () => {
    expect(await seedCommand("--force")).toMatchObject({ code: 1, stderr: expect.stringContaining("--force") });
  });
});

describe("npm start", () => {
  it("updates and removes built-in runbooks, and changes no others", async () => {
    await sendText(harness, "/v1/runbooks/docker/api.md", "# From the API\n\nText.");
    await start(builtIn("a", "b"));
    await using folder = await runbookFolder(OWN);
    await seedCommand(folder.directory);
    const report = await start(builtIn("b", "shared", "api", "c"));
    expect(report.skipped).toEqual([
      { source: "docker/api.md", origin: "api" },
      { source: "docker/shared.md", origin: "folder" },
    ]);
    expect(await onRecord()).toEqual({
      "docker/api.md": "api: From the API",
      "docker/b.md": "built_in: b, as it ships",
      "docker/c.md": "built_in: c, as it ships",
      "docker/own.md": "folder: Own",
      "docker/shared.md": "folder: Shared, as we have it",
    });
  });

  it("restores a built-in runbook after the user's runbook of that name was removed", async () => {
    await using folder = await runbookFolder(OWN);
    await seedCommand(folder.directory);
    await start(builtIn("shared"));
    await harness.request("/v1/runbooks/docker/shared.md", { method: "DELETE" });
    await start(builtIn("shared"));
    expect(await onRecord()).toMatchObject({ "docker/shared.md": "built_in: shared, as it ships" });
  });

  it("does not remove a runbook whose origin changed after it was listed", async () => {
    await start(builtIn("shared"));
    const missing = await findMissing(builtIn("a"), workerEnv);
    await using folder = await runbookFolder(OWN);
    await seedCommand(folder.directory);
    await removeRunbooks(missing, workerEnv);
    expect(await onRecord()).toMatchObject({ "docker/shared.md": "folder: Shared, as we have it" });
  });
});
