import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkRunbookFolder } from "../../../cli/check-runbooks.ts";
import { parseDocumentFile } from "../../../cli/document-files.ts";
import { readDomainFolders } from "../../../cli/runbook-files.ts";
import { runbookFolder } from "../../integration/support/runbooks.ts";

const NOTE = { source: "orders/notes/a.md", kind: "note" } as const;

describe("parseDocumentFile", () => {
  it("reads tags and date from the front matter, and leaves other fields out", () => {
    const content = "---\ndate: 2026-03-01\ntags: [pool, 429]\nauthor: Dana\n---\n# A\n";
    expect(parseDocumentFile(NOTE, content)).toEqual({
      ...{ ...NOTE, markdown: "# A\n", date: "2026-03-01" },
      metadata: { tags: "pool,429" },
    });
  });

  it("reads the date from the file name, which the front matter overrides", () => {
    const file = { ...NOTE, source: "orders/notes/2026-03-01-pool.md" };
    expect(parseDocumentFile(file, "Text.").date).toBe("2026-03-01");
    expect(parseDocumentFile(file, "---\ndate: 2026-03-02T08:00:00Z\n---\nText.").date).toBe("2026-03-02T08:00:00Z");
    expect(parseDocumentFile({ ...NOTE, source: "orders/notes/2026-03-011.md" }, "Text.")).not.toHaveProperty("date");
  });

  it("keeps a log as it is, also one that begins with three hyphens", () => {
    const text = "---\nbegin: x\n---\nERROR one\n";
    expect(parseDocumentFile({ source: "a/logs/a.log", kind: "log" }, text).markdown).toBe(text);
  });

  it.each([
    ["a date in words", "---\ndate: last Monday\n---\n", "orders/notes/a.md", "date: must be a date such as"],
    ["a day that does not exist", "---\ndate: 2026-02-30\n---\n", "orders/notes/a.md", "date: must be a date such as"],
    ["a file name with such a day", "Text.", "orders/notes/2026-02-30-a.md", "2026-02-30 in the file name is no date"],
    ["tags that are no list", "---\ntags: { a: b }\n---\n", "orders/notes/a.md", "tags"],
    ["front matter that is no YAML", "---\ntags: [a\n---\n", "orders/notes/a.md", "it is not valid YAML"],
  ])("refuses %s and names the file", (_what, content, source, fault) => {
    expect(() => parseDocumentFile({ source, kind: "note" }, content)).toThrow(source);
    expect(() => parseDocumentFile({ source, kind: "note" }, content)).toThrow(fault);
  });
});

describe("a folder of a domain", () => {
  it("has notes, logs and postmortems in folders of these names, and runbooks elsewhere", async () => {
    await using folder = await runbookFolder({
      "orders/a.md": "# A\n",
      "orders/night/notes/b.md": "# B\n",
      "orders/notes/c.md": "# C\n",
      "orders/notes/README.md": "# About\n",
      "orders/notes/deep/d.txt": "Text.\n",
      "orders/logs/e.log": "ERROR e\n",
      "orders/logs/f.md": "# Not a log\n",
      "orders/postmortems/2026-03-01-g.md": "# G\n",
      "orders/notes.md": "# A runbook about notes\n",
    });
    const [orders] = await readDomainFolders(folder.directory);
    expect(orders?.runbooks.map(({ source }) => source)).toEqual([
      "orders/a.md",
      "orders/night/notes/b.md",
      "orders/notes.md",
    ]);
    expect(orders?.documents?.map(({ source, kind, date }) => [source, kind, date])).toEqual([
      ["orders/logs/e.log", "log", undefined],
      ["orders/notes/c.md", "note", undefined],
      ["orders/notes/deep/d.txt", "note", undefined],
      ["orders/postmortems/2026-03-01-g.md", "postmortem", "2026-03-01"],
    ]);
  });

  it("may consist of documents only", async () => {
    await using folder = await runbookFolder({ "orders/logs/e.log": "ERROR e\n", "orders/notes/c.md": "# C\n" });
    const names = async (path: string) => (await readDomainFolders(path)).map(({ name }) => name);
    expect(await names(join(folder.directory, "orders"))).toEqual(["orders"]);
    expect(await names(folder.directory)).toEqual(["orders"]);
  });

  it("may have the name of a folder of documents", async () => {
    await using folder = await runbookFolder({ "logs/domain.yaml": "description: Logs.\n", "logs/a.md": "# A\n" });
    expect(await readDomainFolders(folder.directory)).toMatchObject([
      { name: "logs", runbooks: [{ source: "logs/a.md" }] },
    ]);
  });
});

describe("a check of a folder", () => {
  it("reports problems of documents with file and line", async () => {
    await using folder = await runbookFolder({
      "orders/notes/good.md": "No title is needed.\n",
      "orders/notes/bad.md": "---\ntags: [a]\ndate: someday\n---\nText.\n",
      "orders/notes/open.md": "---\ntags: [a]\nText.\n",
      "orders/logs/empty.log": "\n",
      "orders/logs/archive.gz": "x",
      "orders/postmortems/2026-13-01-a.md": "# A\n",
    });
    const { files, problems } = await checkRunbookFolder(folder.directory);
    const lines = problems.map(
      ({ file, line, message }) => `${file.slice(folder.directory.length + 1)}:${line}: ${message}`,
    );
    expect(files).toBe(5);
    expect(lines).toEqual([
      "orders/logs/empty.log:null: is empty.",
      expect.stringMatching(/^orders\/notes\/bad\.md:3: date: must be a date such as 2026-03-01/),
      "orders/notes/open.md:1: the front matter has no end: close it with ---.",
      "orders/postmortems/2026-13-01-a.md:null: its name begins with 2026-13-01, which is no date.",
      "orders/logs/archive.gz:null: is not loaded: the name of a log ends in .log or .txt.",
    ]);
  });
});
