// Notes, logs and postmortems in the folder of a domain.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { describeSeed, seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../support/harness.ts";
import { runbookFolder } from "../support/runbooks.ts";
import { listen } from "../support/servers/listen.ts";
import { createPerson } from "./support/person.ts";

const harness = createHarness();
const { services } = harness;
const server = await listen(services);
const variables = { DEJAVU_URL: server.url, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN };

const POSTMORTEM =
  "# orders-db refused connections\n\nThe pool of the importer was larger than max_connections.\n\n## Follow-up\n\nThe importer has a pool of its own.\n";
const FILES = {
  "orders/late.md": "# Orders are late\n\nThe queue grows.\n",
  "orders/postmortems/2026-03-01-orders-db.md": POSTMORTEM,
  "orders/notes/importer.md": "---\ndate: 2026-02-01\ntags: [importer]\n---\nThe importer restarts at four.\n",
  "orders/logs/importer.log": "2026-03-01T04:00:00Z ERROR importer exited\n",
};

beforeEach(() => emptyStores(services));
afterAll(() => server[Symbol.asyncDispose]());

async function onRecord(): Promise<Record<string, string>> {
  const rows = await sql`
    select s.source, s.kind, s.origin, s.tags, min(d.written_at) as written_at from public.sources s
    join public.documents d on d.source = s.source group by s.source order by s.source`;
  return Object.fromEntries(
    rows.map(({ source, kind, origin, tags, written_at }) => [
      source,
      [
        kind,
        origin,
        ...tags,
        ...(written_at.getFullYear() === 2026 && written_at < services.now()
          ? [written_at.toISOString().slice(0, 10)]
          : []),
      ].join(" "),
    ]),
  );
}

describe("a folder that is loaded into the stores", () => {
  it("loads documents of a folder beside its runbooks, with kind, tags and age", async () => {
    await using folder = await runbookFolder(FILES);
    const seed = () => seedRunbooks({ env: workerEnv, directory: folder.directory });
    const report = await seed();
    expect(report).toMatchObject({ sources: 1, documents: 3, unchanged: 0 });
    expect(describeSeed(report)).toMatch(/^1 runbook, 3 documents, chunks: \d+ new or changed$/);
    const rows = await onRecord();
    expect(rows["orders/postmortems/2026-03-01-orders-db.md"]).toBe("postmortem folder 2026-03-01");
    expect(rows["orders/notes/importer.md"]).toBe("note folder importer 2026-02-01");
    expect(rows["orders/logs/importer.log"]).toMatch(/^log folder/);
    expect(await seed()).toMatchObject({ embedded: 0, moved: 0, removed: 0 });
    const listed = await (await harness.request("/v1/documents?doc_type=postmortem")).json();
    expect(listed).toMatchObject({ documents: [{ kind: "postmortem", domain: "orders", origin: "folder" }] });
    const { recalled } = await harness.triage({
      title: "importer pool larger than max_connections, orders-db refused",
    });
    expect(recalled.runbooks.map(({ source }) => source)).toContain("orders/postmortems/2026-03-01-orders-db.md");
  });

  it("changes the age of a text whose date was corrected, without embedding it again", async () => {
    await using folder = await runbookFolder(FILES);
    const seed = () => seedRunbooks({ env: workerEnv, directory: folder.directory });
    await seed();
    await folder.write("orders/notes/importer.md", FILES["orders/notes/importer.md"].replace("02-01", "02-11"));
    expect(await seed()).toMatchObject({ embedded: 0, moved: 1 });
    expect((await onRecord())["orders/notes/importer.md"]).toBe("note folder importer 2026-02-11");
  });
});

describe("dejavu runbooks add", () => {
  it("sends the documents of a folder with their dates, and repeats nothing", async () => {
    await using dana = await createPerson(variables);
    await using folder = await runbookFolder(FILES);
    const added = await dana.dejavu(["runbooks", "add", folder.directory]);
    expect(added).toMatchObject({ code: 0, problems: "" });
    expect(added.out).toMatch(/^Runbooks and documents: 4 added, 0 changed, 0 unchanged, 0 failed\./);
    expect((await onRecord())["orders/postmortems/2026-03-01-orders-db.md"]).toBe("postmortem api 2026-03-01");
    await folder.write("orders/notes/importer.md", FILES["orders/notes/importer.md"].replace("02-01", "02-11"));
    const again = await dana.dejavu(["runbooks", "add", folder.directory]);
    expect(again.out).toMatch(/^Runbooks and documents: 0 added, 1 changed, 3 unchanged, 0 failed\./);
    expect((await onRecord())["orders/notes/importer.md"]).toBe("note api importer 2026-02-11");
  });

  it("removes texts of its domains that the folder does not hold, with --prune only, and asks first", async () => {
    await using dana = await createPerson(variables);
    await using folder = await runbookFolder({ ...FILES, "payments/a.md": "# A\n\nText.\n" });
    await dana.dejavu(["runbooks", "add", folder.directory]);
    await seedRunbooks({ env: workerEnv, directory: folder.directory });
    for (const file of ["orders/late.md", "orders/notes/importer.md"]) await folder.remove(file);
    await folder.write("orders/new.md", "# New\n\nText.\n");
    const add = (...words: string[]) => dana.dejavu(["runbooks", "add", `${folder.directory}/orders`, ...words]);
    const before = await onRecord();
    expect(await add("--prune")).toMatchObject({ code: 2, problems: expect.stringContaining("Nothing was changed.") });
    expect(await onRecord()).toEqual(before);
    const pruned = await add("--prune", "--yes");
    expect(pruned).toMatchObject({ code: 0, out: expect.stringContaining("0 failed, 2 removed.") });
    expect(pruned.problems).toContain("to be removed (2):\n  orders/late.md\n  orders/notes/importer.md\n");
    expect(Object.keys(await onRecord())).toEqual([
      "orders/logs/importer.log",
      "orders/new.md",
      "orders/postmortems/2026-03-01-orders-db.md",
      "payments/a.md",
    ]);
  });
});
