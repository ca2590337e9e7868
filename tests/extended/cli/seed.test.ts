// `dejavu seed`, and how `npm start` updates the built-in runbooks.

import { beforeEach, describe, expect, it } from "vitest";
import { findMissing, loadRunbooks, removeRunbooks, seedRunbooks } from "../../../cli/seed-runbooks.ts";
import type { Folder } from "../../../functions/knowledge/load-folder.ts";
import { createPerson } from "../../integration/cli/support/person.ts";
import { sendText } from "../../integration/support/api.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../../integration/support/harness.ts";
import { runbookFolder } from "../../integration/support/runbooks.ts";
import { listen } from "../../integration/support/servers/listen.ts";

const harness = createHarness();
const OWN = { "docker/own.md": "# Own\n\nText.\n", "docker/shared.md": "# Shared, as we have it\n\nText.\n" };

beforeEach(() => emptyStores(harness.services));

function builtIn(...names: readonly string[]): Folder {
  const docker = names.map((name) => ({
    source: `docker/${name}.md`,
    markdown: `# ${name}, as it ships\n\nText.\n`,
    metadata: {},
  }));
  return { origin: "built_in", domains: [{ name: "docker", definition: null, runbooks: docker }] };
}

/** What `npm start` does with them. */
async function start(folder: Folder) {
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

describe("dejavu seed", () => {
  it("loads the built-in runbooks through the service, removes those that no longer ship, and repeats nothing", async () => {
    await loadRunbooks(builtIn("no-longer-ships"), { env: workerEnv });
    await sendText(harness, "/v1/runbooks/docker/api.md", "# From the API\n\nText.");
    await using server = await listen(harness.services);
    const DEJAVU_TOKEN = harness.services.config.DEJAVU_TOKEN;
    await using dana = await createPerson({ DEJAVU_URL: server.url, DEJAVU_TOKEN });
    const first = await dana.dejavu(["seed"]);
    expect(first).toMatchObject({ code: 0, problems: "" });
    expect(first.out).toMatch(/^Loaded \d+ built-in runbooks: .*; removed 1 that no longer ship\.\n$/);
    const sources = Object.keys(await onRecord());
    expect(sources).not.toContain("docker/no-longer-ships.md");
    expect(sources).toContain("docker/api.md");
    expect((await dana.dejavu(["seed"])).out).toMatch(/^The \d+ built-in runbooks are loaded already/);
  });
});

describe("npm start", () => {
  it("updates and removes built-in runbooks, and changes no others", async () => {
    await sendText(harness, "/v1/runbooks/docker/api.md", "# From the API\n\nText.");
    await start(builtIn("a", "b"));
    await using folder = await runbookFolder(OWN);
    await seedRunbooks({ env: workerEnv, directory: folder.directory });
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
    await seedRunbooks({ env: workerEnv, directory: folder.directory });
    await start(builtIn("shared"));
    await harness.request("/v1/runbooks/docker/shared.md", { method: "DELETE" });
    await start(builtIn("shared"));
    expect(await onRecord()).toMatchObject({ "docker/shared.md": "built_in: shared, as it ships" });
  });

  it("does not remove a runbook whose origin changed after it was listed", async () => {
    await start(builtIn("shared"));
    const missing = await findMissing(builtIn("a"), workerEnv);
    await using folder = await runbookFolder(OWN);
    await seedRunbooks({ env: workerEnv, directory: folder.directory });
    await removeRunbooks(missing, workerEnv);
    expect(await onRecord()).toMatchObject({ "docker/shared.md": "folder: Shared, as we have it" });
  });
});
