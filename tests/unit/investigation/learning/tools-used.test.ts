import { describe, expect, it } from "vitest";
import { toolsUsed } from "../../../../functions/investigation/learning/create-memory-updates.ts";
import { sampleResult } from "../samples.ts";

const SEARCHED = "runbooks,incidents,past_answers,procedures";

describe("the sources that an investigation asked", () => {
  it("are the searches alone without a reranker and a model", () => {
    expect(toolsUsed(sampleResult({ usage: { ...sampleResult().usage, calls: 0 } }))).toBe(SEARCHED);
  });

  it("include a model that was asked, also if its answer was not used", () => {
    const usage = { ...sampleResult().usage, calls: 2 };
    expect(toolsUsed(sampleResult({ mode: "extractive", usage }))).toBe(`${SEARCHED},language_model`);
  });

  it("include a reranker, also one that failed", () => {
    const warning = { code: "dependency_timeout", dependency: "reranker", message: "It timed out." } as const;
    const failed = sampleResult({ warnings: [warning], usage: { ...sampleResult().usage, calls: 1 } });
    expect(toolsUsed(failed)).toBe(`${SEARCHED},reranker,language_model`);
  });

  it("are none without a finished triage", () => {
    expect(toolsUsed({})).toBe("");
  });
});
