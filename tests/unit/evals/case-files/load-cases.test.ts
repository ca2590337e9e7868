import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readRunbooks } from "../../../../cli/runbook-files.ts";
import { loadCases, readCases } from "../../../evals/case-files/load-cases.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const FILE = "/cases/retrieval/full-disk.yaml";
const GOOD = `description: A full disk.
domain: docker
ask:
  title: "no space left on device"
expect:
  outcome: cause
`;

const faultsIn = (text: string, file = FILE) => readCases(file, text).faults;

describe("a file of cases", () => {
  it("gives the case its name and its folder's category", () => {
    expect(readCases(FILE, GOOD)).toMatchObject({
      faults: [],
      cases: [{ id: "full-disk", category: "retrieval", before: [], ask: [{ title: "no space left on device" }] }],
    });
  });

  it("may hold several, each with an id of its own", () => {
    const two = `- id: one\n  ${GOOD.trimEnd().replaceAll("\n", "\n  ")}\n- id: two\n  category: memory\n  ${GOOD.trimEnd().replaceAll("\n", "\n  ")}\n`;
    expect(readCases(FILE, two).cases.map(({ id, category }) => [id, category])).toEqual([
      ["one", "retrieval"],
      ["two", "memory"],
    ]);
  });

  it("has the cuts taken out of made-up secrets", () => {
    const { cases } = readCases(FILE, GOOD.replace("device", "device AKI{cut}A1"));
    expect(cases[0]?.ask[0]?.title).toBe("no space left on device AKIA1");
  });

  it.each([
    [
      "a field nobody knows",
      GOOD.replace("  outcome:", "  result: x\n  outcome:"),
      ':6: expect knows no field "result"',
    ],
    [
      "a field nobody knows in what is asked",
      GOOD.replace('  title: "no', '  service: a\n  title: "no'),
      ':4: ask.0 knows no field "service"',
    ],
    ["a wrong value", GOOD.replace("cause", "causes"), ":6: expect.outcome is not valid"],
    ["a missing field", GOOD.replace("domain: docker\n", ""), ":1: domain is not valid"],
    ["nothing expected", GOOD.replace("  outcome: cause", "  {}"), ":6: expect says nothing"],
    [
      "a session in the body",
      GOOD.replace("expect:", "  session_id: a\nexpect:"),
      ":5: ask.0.session_id is the runner's",
    ],
    [
      "a name that nothing before has",
      GOOD.replace("outcome: cause", "incident: firs"),
      ":6: expect.incident is no name",
    ],
    [
      "retired fixes of no incident",
      GOOD.replace("outcome: cause", "superseded: [Restarted]"),
      ":6: expect.superseded needs `incident`",
    ],
    ["one way of asking alone", `category: consistency\n${GOOD}`, ":5: ask must be a list of at least two"],
    ["no YAML", `${GOOD}\n  - [`, ":"],
  ])("is refused with %s, by file, line and field", (_, text, told) => {
    const [fault] = faultsIn(text);
    expect(fault).toContain(`full-disk.yaml${told}`);
  });

  it("needs a category where its folder is none", () => {
    expect(faultsIn(GOOD, "/cases/feedback/a.yaml")[0]).toContain(":1: category is not valid");
  });
});

describe("loading cases", () => {
  async function withFiles(files: Record<string, string>, work: (folder: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "dejavu-cases-"));
    try {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
      await work(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it("tells all that is wrong in all files at once", async () => {
    const files = { "retrieval/a.yaml": GOOD.replace("docker", "dock"), "memory/b.yaml": "- 1\n" };
    await withFiles(files, async (folder) => {
      await expect(loadCases([folder])).rejects.toThrow(/b\.yaml:1: the case[\s\S]*a\.yaml:2: domain/);
    });
  });

  it("refuses one id twice, an empty folder, and a folder that is not there", async () => {
    await withFiles({ "retrieval/a.yaml": GOOD, "memory/a.yaml": GOOD, "empty/x.md": "" }, async (folder) => {
      await expect(loadCases([folder])).rejects.toThrow(/the id "a" is taken/);
      await expect(loadCases([join(folder, "empty")])).rejects.toThrow(/There is no case/);
      await expect(loadCases([join(folder, "nowhere")])).rejects.toThrow(/There is no folder/);
    });
  });
});

describe("the project's own cases", () => {
  it("expect runbooks that there are, of their own domain", async () => {
    const cases = await loadCases([join(ROOT, "tests/evals/cases")]);
    const runbooks = await readRunbooks(join(ROOT, "seeds/runbooks"));
    for (const { id, domain, expect: expected } of cases) {
      const sources = runbooks[domain].map(({ source }) => source);
      for (const source of expected.runbooks ?? []) expect(sources, id).toContain(source);
    }
  });
});
