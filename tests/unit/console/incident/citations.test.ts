// What the buttons of citations show, and what they open.

import { expect, it } from "vitest";
import { citationsOf } from "../../../../console/src/views/incident/answer/model/citations.ts";
import { answerView } from "../../../../functions/answer-view/answer-view.ts";
import { checkResultSchema } from "../../../../lib/checks/check.ts";
import { ANSWERS } from "../../cli/render/answers.ts";
import { sampleResult } from "../../investigation/samples.ts";

const cause = ANSWERS.cause ?? sampleResult();
const CHECK = checkResultSchema.parse({
  id: "check:shop/memory-limit.md#limit",
  name: "limit",
  language: "promql",
  verdict: "confirmed",
  statement: "it is so",
  rule: null,
  value: "0.97 (instance=db-1)",
  query: "up",
  cause: null,
  runbook: "shop/memory-limit.md",
  citations: [],
  source: "metrics",
  checked_at: null,
  server: null,
  as_of: null,
  link: null,
});
const citationsIn = (result: typeof cause) => citationsOf(result, answerView(result));

it("name sections, and show the value of a check", () => {
  const source = { id: CHECK.id, kind: "check" as const, title: 'Check "limit"', source: "metrics", heading: "" };
  const citations = citationsIn({ ...cause, checks: [CHECK], sources: [...cause.sources, source] });
  expect([...citations.values()].map(({ number, label }) => [number, label])).toEqual([
    [1, "shop/memory-limit.md"],
    [2, "Root causes"],
    [3, "Root causes"],
    [4, "past incident"],
    [5, "check limit: 0.97"],
  ]);
  expect(citations.get(5)?.content).toMatchObject({ kind: "check", ran: CHECK });
});

it("hold the text that the result has, and leave the rest to the API", () => {
  const hit = {
    score: 1,
    features: {},
    probability: 0.9,
    relevance: { log_odds: 2.2, contributions: {} },
    relevant: true,
  };
  const text = { kind: "runbook" as const, source: "shop/memory-limit.md", text: "Memory use rises." };
  const runbooks = [{ ...hit, ...text, id: "limit-1", title: "Memory limit", heading: "Root causes" }];
  const citations = citationsIn({ ...cause, recalled: { ...cause.recalled, runbooks } });
  expect(citations.get(2)?.content).toEqual({ kind: "text", text: "Memory use rises." });
  expect(citations.get(3)?.content).toEqual({ kind: "elsewhere" });
});
