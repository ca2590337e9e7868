import { expect, it } from "vitest";
import { lexicalScores } from "../../../../lib/ranking/lexical-scores.ts";

/** The place of the best text. */
const best = (query: string, texts: readonly string[]) => {
  const scores = lexicalScores(query, texts);
  return scores.indexOf(Math.max(...scores));
};

it("prefers the text with the identifier of the query, letter by letter", () => {
  const texts = [
    "Queries fail\n\nThe server refuses a query.",
    "Queries fail\n\nThe server refuses a query with SQLSTATE 53300.",
    "Queries fail\n\nThe server refuses a query with SQLSTATE 53200.",
  ];
  expect(best("the server refuses each query: 53300", texts)).toBe(1);
});

it("prefers words that stand together, and a title that the query covers", () => {
  const apart = "Memory\n\nThe pod ran out. Nothing of it was left, and no memory was measured.";
  const together = "Memory\n\nThe pod ran out of memory. Nothing was left, and no value was measured.";
  expect(best("container out of memory", [apart, together])).toBe(1);
  expect(best("disk full", ["Network slow\n\nThe disk is full.", "Disk full\n\nThe disk is full."])).toBe(1);
});

it("ignores words that all texts share, and any order of the texts gives the same scores", () => {
  const texts = ["Pods\n\nkubernetes pod evicted", "Pods\n\nkubernetes pod pending", "Pods\n\nkubernetes pod"];
  const scores = lexicalScores("kubernetes pod pending", texts);
  expect(scores.indexOf(Math.max(...scores))).toBe(1);
  expect(lexicalScores("kubernetes pod pending", texts.toReversed())).toEqual(scores.toReversed());
});

it.each([
  ["", ["a", "b"]],
  ["disk full", ["", ""]],
  ["constructor __proto__ toString", ["constructor", "x"]],
  ["a", []],
])("returns a finite score for each text: %j", (query, texts) => {
  const scores = lexicalScores(query, texts);
  expect(scores).toHaveLength(texts.length);
  expect(scores.every(Number.isFinite)).toBe(true);
});
