import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { caseOf, runOf } from "../../unit/evals/sample-runs.ts";

const COMMAND = join(import.meta.dirname, "../../../evals/eval-report.ts");
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-report-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function command(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], (failure, out, error) => {
      resolve({ code: typeof failure?.code === "number" ? failure.code : 0, out, error });
    });
  });
}

describe("dejavu eval report", () => {
  it("writes the page of the newest run by run id, not by file name", async () => {
    const [older, newer] = [runOf({ id: "20261121T1", cases: [caseOf("a", [{}])] }), runOf({ id: "20261122T1" })];
    await writeFile(join(folder, "z.json"), JSON.stringify(older));
    await writeFile(join(folder, "a.json"), JSON.stringify(newer));
    const { code, out } = await command("--runs", folder);
    expect(code).toBe(0);
    expect(out).toMatch(/^Report: file:\/\/.*\/report\.html\n$/);
    const page = await readFile(join(folder, "report.html"), "utf8");
    expect(page).toContain("<bdi>20261122T1</bdi>");
    expect(page).toContain("Based on 2 stored runs.");
  });

  it("writes to --out, and compares with at most nineteen runs", async () => {
    for (let i = 10; i < 32; i++) await writeFile(join(folder, `${i}.json`), JSON.stringify(runOf({ id: `run-${i}` })));
    const path = join(folder, "elsewhere", "page.html");
    expect(await command("--runs", folder, "--out", path)).toMatchObject({ code: 0 });
    expect(await readFile(path, "utf8")).toContain("Based on 20 stored runs.");
  });

  it("names an invalid run file and leaves it out", async () => {
    await writeFile(join(folder, "run.json"), JSON.stringify(runOf()));
    await writeFile(join(folder, "broken.json"), `{"version": 1`);
    await writeFile(join(folder, "other.json"), `{"version": 7}`);
    const { code, error } = await command("--runs", folder);
    expect(code).toBe(0);
    expect(error).toMatch(/^Left out: .*broken\.json is not a run of this version: /m);
    expect(error).toMatch(/^Left out: .*other\.json is not a run of this version: /m);
  });

  it.each([
    ["an empty folder", ""],
    ["a missing folder", "nowhere"],
  ])("says how to make a run for %s", async (_, name) => {
    const { code, error } = await command("--runs", join(folder, name));
    expect(code).toBe(1);
    expect(error).toContain("There is no stored run in");
    expect(error).toContain(`Make one with "dejavu eval"`);
  });

  it("prints its usage, and rejects unknown options", async () => {
    expect(await command("--help")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Usage: dejavu eval report"),
    });
    expect(await command("--nonsense")).toMatchObject({ code: 1, error: expect.stringContaining("--nonsense") });
  });
});
