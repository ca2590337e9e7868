import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readRelevanceAnswers } from "../../../evals/runs/relevance-answers.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dejavu-relevance-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(content: string) {
  const path = join(folder, "answers.json");
  writeFileSync(path, content);
  return readRelevanceAnswers(path);
}

it("wordings of one report are one case", () => {
  const answer = (id: string, form: string) => ({
    ...{ report: { id, form, outcome: "cause" }, condition: "stored", outcome: "possible" },
    ...{ confidence: 0.5, isBestRight: true, quotes: [] },
  });
  const answers = [
    answer("alerts/0-Down/label", "label"),
    answer("alerts/0-Down/title", "title"),
    answer("a/1", "words"),
  ];
  expect(read(JSON.stringify([{ name: "alerts", answers }]))).toEqual([
    {
      name: "alerts",
      answers: ["alerts/0-Down", "alerts/0-Down", "a/1"].map((caseId) => ({ caseId, confidence: 0.5, isRight: true })),
    },
  ]);
});

it("an error names the file", () => {
  expect(() => read("{")).toThrow(/answers\.json cannot be read/);
  expect(() => read('[{"name":"alerts"}]')).toThrow(/answers\.json is not a file of npm run bench -- relevance/);
  expect(() => readRelevanceAnswers(join(folder, "none.json"))).toThrow(/none\.json cannot be read/);
});
