import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadCases, readCases } from "../../../../evals/case-files/load-cases.ts";
import { isSample, SAMPLES } from "../../../../evals/case-files/samples.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const FILE = "/cases/retrieval/full-disk.yaml";
const GOOD = `description: A full disk.
domain: docker
ask:
  title: "no space left on device"
expect:
  outcome: cause
`;

const errorsIn = (text: string, file = FILE) => readCases(file, text).errors;

describe("a case file", () => {
  it("takes the id from the file name and the category from the folder", () => {
    expect(readCases(FILE, GOOD)).toMatchObject({
      errors: [],
      cases: [{ id: "full-disk", category: "retrieval", before: [], ask: [{ title: "no space left on device" }] }],
    });
  });

  it("may hold several cases, each with its own id", () => {
    const two = `- id: one\n  ${GOOD.trimEnd().replaceAll("\n", "\n  ")}\n- id: two\n  category: memory\n  ${GOOD.trimEnd().replaceAll("\n", "\n  ")}\n`;
    expect(readCases(FILE, two).cases.map(({ id, category }) => [id, category])).toEqual([
      ["one", "retrieval"],
      ["two", "memory"],
    ]);
  });

  it("removes {cut} from made-up secrets", () => {
    const { cases } = readCases(FILE, GOOD.replace("device", "device AKI{cut}A1"));
    expect(cases[0]?.ask[0]?.title).toBe("no space left on device AKIA1");
  });

  it.each([
    ["an unknown field", GOOD.replace("  outcome:", "  result: x\n  outcome:"), ':6: expect has no field "result"'],
    [
      "an unknown field in the request",
      GOOD.replace('  title: "no', '  service: a\n  title: "no'),
      ':4: ask.0 has no field "service"',
    ],
    ["an invalid value", GOOD.replace("cause", "causes"), ":6: expect.outcome is not valid"],
    ["an invalid domain", GOOD.replace("docker", "/docker"), ":2: domain must be 1 to 63 lower-case letters"],
    ["a missing field", GOOD.replace("domain: docker\n", ""), ":1: domain is missing"],
    ["an empty expectation", GOOD.replace("  outcome: cause", "  {}"), ":6: expect is empty"],
    [
      "a session id in the request",
      GOOD.replace("expect:", "  session_id: a\nexpect:"),
      ":5: ask.0.session_id is set by the runner",
    ],
    [
      "the name of a missing setup step",
      GOOD.replace("outcome: cause", "incident: firs"),
      ":6: expect.incident is not the `as:` name of a step in `before` (none)",
    ],
    [
      "superseded fixes without an incident",
      GOOD.replace("outcome: cause", "superseded: [Restarted]"),
      ":6: expect.superseded needs `incident`",
    ],
    [
      "an own runbook outside of a domain for cases",
      `own_runbooks: { docker/exit.md: "# Exit" }\n${GOOD}`,
      ":1: own_runbooks.docker/exit.md must be named eval-<domain>/<name>.md",
    ],
    [
      "an own runbook that it does not store",
      GOOD.replace("outcome: cause", "runbooks: [eval-team/exit.md]"),
      ":6: expect.runbooks has eval-team/exit.md, which is not among own_runbooks",
    ],
    ["a single consistency request", `category: consistency\n${GOOD}`, ":5: ask must be a list of at least two"],
    ["invalid YAML", `${GOOD}\n  - [`, ":"],
  ])("is rejected with %s; the error names file, line and field", (_, text, message) => {
    const [error] = errorsIn(text);
    expect(error).toContain(`full-disk.yaml${message}`);
  });

  it("needs a category when its folder is not one", () => {
    expect(errorsIn(GOOD, "/cases/feedback/a.yaml")[0]).toContain(":1: category must be ");
  });
});

describe("loadCases", () => {
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

  it("reports the errors of all files at once", async () => {
    const files = { "retrieval/a.yaml": GOOD.replace("docker", "Docker"), "memory/b.yaml": "- 1\n" };
    await withFiles(files, async (folder) => {
      await expect(loadCases([folder])).rejects.toThrow(/b\.yaml:1: the case[\s\S]*a\.yaml:2: domain/);
    });
  });

  it("rejects a duplicate id, an empty folder, and a missing folder", async () => {
    await withFiles({ "retrieval/a.yaml": GOOD, "memory/a.yaml": GOOD, "empty/x.md": "" }, async (folder) => {
      await expect(loadCases([folder])).rejects.toThrow(/the id "a" is used in/);
      await expect(loadCases([join(folder, "empty")])).rejects.toThrow(/There is no case/);
      await expect(loadCases([join(folder, "nowhere")])).rejects.toThrow(/There is no folder/);
    });
  });
});

describe("the cases of the project", () => {
  it("expect existing runbooks, the first of their own domain", async () => {
    const files = await readdir(join(ROOT, "seeds/runbooks"), { recursive: true });
    for (const { id, domain, own_runbooks, expect: expected } of await loadCases([join(ROOT, "evals/cases")])) {
      const { runbooks = [] } = expected;
      const samples = SAMPLES.map(({ source }) => source);
      expect([...files, ...samples, ...Object.keys(own_runbooks)], id).toEqual(expect.arrayContaining(runbooks));
      const shipped = runbooks.filter((source) => own_runbooks[source] === undefined && !isSample(source));
      expect(shipped[0] ?? `${domain}/`, id).toMatch(new RegExp(`^${domain}/`));
    }
  });
});
