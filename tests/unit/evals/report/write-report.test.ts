import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeReport } from "../../../../evals/report/write-report.ts";
import { sampleRuns } from "../sample-runs.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-report-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("writeReport creates the folder and keeps the old page when it fails", async () => {
  const path = join(folder, "new", "report.html");
  await writeReport(sampleRuns().slice(0, 1), path);
  expect(await readFile(path, "utf8")).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  await expect(writeReport([], path)).rejects.toThrow(RangeError);
  expect(await readFile(path, "utf8")).toMatch(/<\/html>\n$/);
  expect(await readdir(join(folder, "new"))).toEqual(["report.html"]);
});
