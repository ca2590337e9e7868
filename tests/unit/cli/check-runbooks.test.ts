import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkRunbookFolder, checkRunbooks, runbookFindings } from "../../../cli/check-runbooks.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { runbookFolder } from "../../integration/support/runbooks.ts";

const check = (text: string) => runbookFindings(new TextEncoder().encode(text));

describe("a runbook", () => {
  it.each([
    ["an empty file", "\n\n", null, "is empty"],
    ["a file without a title", "## Symptoms\n\nText.\n", 1, "has no title"],
    ["front matter that is no YAML", "---\ntags: [a\n---\n# A\n\nText.\n", 2, "not valid YAML"],
    [
      "front matter with a wrong value",
      "---\ntitle: A\nincident_type: Not OK\n---\n# A\n\nText.\n",
      3,
      "incident_type: must",
    ],
    ["front matter without an end", "---\ntags: [a]\n# A\n\nText.\n", 1, "has no end"],
    ["an empty section", "# A\n\nText.\n\n## Fix\n\n## Prevent\n\nText.\n", 5, 'the section "Fix" is empty'],
    [
      "a check that changes something",
      "# A\n\n## Confirm\n\n1. Look.\n   ```sh\n   kubectl delete pod a\n   ```\n",
      7,
      "changes state",
    ],
    [
      "a declared change among checks",
      "# A\n\n## Verify\n\n1. (changes state) Run it.\n\n   ```sh\n   ./run\n   ```\n",
      8,
      '"./run"',
    ],
    [
      "a check that changes something in its sentence",
      "# A\n\n## Confirm\n\n1. Look.\n2. Clear it: `redis-cli flushall`\n",
      6,
      '"redis-cli flushall" changes state',
    ],
    [
      "a check that changes something in its sentence and reads in its code",
      "# A\n\n## Confirm\n\n1. Restart it with `systemctl restart web`.\n   ```sh\n   uptime\n   ```\n",
      5,
      '"systemctl restart web" changes state',
    ],
  ])("has a problem for %s", (_, text, line, message) => {
    expect(check(text)).toEqual([{ line, message: expect.stringContaining(message) }]);
  });

  it.each([
    ["a text without sections", "# A\n\nText.\n"],
    ["a section that shows an image", "# A\n\n## Symptoms\n\n![graph](a.png)\n\n## Fix\n\nText.\n"],
    ["a heading above deeper headings", "# A\n\n## Fix\n\n### One\n\nText.\n"],
    ["a heading in code", "# A\n\n```sh\n# no heading\n```\n"],
    ["a read-only check", "# A\n\n## Confirm\n\n1. Look.\n   ```sh\n   kubectl get pods\n   ```\n"],
    [
      "a check that its author declares read-only",
      "# A\n\n## Confirm\n\n1. (read-only) Look.\n   ```sh\n   rm -i x\n   ```\n",
    ],
    [
      "a check that is declared read-only at the end of its sentence",
      "# A\n\n## Confirm\n\n1. Look (read-only).\n   ```sh\n   rm -i x\n   ```\n2. Look (read-only): `rm -i x`\n",
    ],
    ["a check that names an operation", "# A\n\n## Confirm\n\n1. Find who sent `kill -9` or `docker stop`.\n"],
    [
      "a mitigation that changes something",
      "# A\n\n## Mitigate\n\n1. Delete it.\n   ```sh\n   kubectl delete pod a\n   ```\n",
    ],
    [
      "a change in a section of checks and mitigations",
      "# A\n\n## Troubleshooting\n\n1. Delete it.\n   ```sh\n   kubectl delete pod a\n   ```\n",
    ],
    ["a thematic break at the top", "---\n\n# A\n\nText.\n"],
    ["line ends of Windows", "---\r\ntags: [a]\r\n---\r\n# A\r\n\r\nText.\r\n"],
  ])("has none for %s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  it.each(["disk-full", "Disk full", "KubeJobFailed", "disk_full"])("has a title in the file name %j", (name) => {
    expect(runbookFindings(new TextEncoder().encode("Text.\n"), name)).toEqual([]);
  });

  it.each(["title: A", 'title: "A"\nweight: 20'])("has a title in the front matter %j", (fields) => {
    expect(check(`---\n${fields}\n---\nText.\n`)).toEqual([]);
  });

  it("must be UTF-8, and not too long", () => {
    expect(runbookFindings(new Uint8Array([0x23, 0x20, 0xff]))).toEqual([
      { line: null, message: expect.stringContaining("UTF-8") },
    ]);
    expect(check(`# A\n\n${"word ".repeat(120_000)}`)).toEqual([
      { line: null, message: expect.stringContaining("the limit is 524288") },
    ]);
  });
});

describe("a single file", () => {
  it("is a runbook or a domain.yaml", async () => {
    await using folder = await runbookFolder({
      "shop/a.md": "Text.\n",
      "shop/domain.yaml": "first_looks:\n  - text: See it.\n    command: kubectl delete pod a\n",
      "shop/notes.txt": "Text.\n",
    });
    const path = (name: string) => join(folder.directory, "shop", name);
    expect(await checkRunbooks(path("a.md"))).toEqual({
      files: 1,
      problems: [{ file: path("a.md"), line: 1, message: expect.stringContaining("has no title") }],
      checks: [],
      runbooks: [
        {
          file: path("a.md"),
          title: "a",
          topics: [
            {
              headingPath: [],
              title: "",
              anchor: null,
              line: 1,
              roles: [],
              missing: ["symptoms", "causes", "confirm", "mitigate"],
            },
          ],
          overview: [],
        },
      ],
      skipped: [],
    });
    expect((await checkRunbooks(path("domain.yaml"))).problems).toEqual([
      { file: path("domain.yaml"), line: 3, message: expect.stringContaining("changes state") },
    ]);
    await expect(checkRunbooks(path("notes.txt"))).rejects.toThrow("is no runbook");
    await expect(checkRunbooks(path("b.md"))).rejects.toThrow("does not exist");
  });
});

describe("a folder", () => {
  it("reports the problems of all files, with the lines of domain.yaml", async () => {
    await using folder = await runbookFolder({
      "payments/domain.yaml": "description: a\nlabels:\n  - match: { team: [x] }\n    weight: 7\n",
      "shop/domain.yaml": "labels:\n  - match: { team: [y] }\n",
      "store/domain.yaml": "labels:\n  - match: { team: [y] }\n",
      "shop/a.md": "Text.\n",
    });
    const { files, problems } = await checkRunbookFolder(folder.directory);
    expect(files).toBe(4);
    expect(
      problems.map(({ file, line, message }) => `${file.slice(folder.directory.length + 1)}:${line} ${message}`),
    ).toEqual([
      expect.stringMatching(/^payments\/domain\.yaml:4 labels\.0\.weight: must be 1, 2 or 3/),
      expect.stringMatching(/^shop\/a\.md:1 has no title/),
      expect.stringMatching(/^shop\/domain\.yaml:null labels\.0\.match/),
      expect.stringMatching(/^store\/domain\.yaml:null labels\.0\.match/),
    ]);
  });

  it("reports a link to nothing, and checks the other files", async () => {
    await using folder = await runbookFolder({ "shop/b.md": "# B\n\nText.\n" });
    const link = join(folder.directory, "shop", "a.md");
    await symlink(join(folder.directory, "gone"), link);
    const { files, problems } = await checkRunbookFolder(folder.directory);
    expect(files).toBe(1);
    expect(problems).toEqual([{ file: link, line: null, message: "does not exist. Check the path." }]);
  });

  it("of the runbooks that ship with Dejavu has no problem", async () => {
    expect((await checkRunbookFolder(join(REPO_DIR, "seeds/runbooks"))).problems).toEqual([]);
  });

  it("must exist and hold runbooks", async () => {
    await expect(checkRunbookFolder("/nowhere")).rejects.toThrow("/nowhere does not exist.");
    await using empty = await runbookFolder({});
    await expect(checkRunbookFolder(empty.directory)).rejects.toThrow("holds no runbooks");
  });
});
