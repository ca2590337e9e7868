import { describe, expect, it } from "vitest";
import type { CheckCase } from "../../../../bench/checks/check-case.ts";
import { checkFiguresOf, gradeChecks } from "../../../../bench/checks/check-figures.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { sampleResult } from "../../investigation/samples.ts";

const CASE: CheckCase = {
  id: "one",
  part: "train",
  kind: "right",
  about: "a case",
  request: { title: "it stopped" },
  right: { source: "plant/turbine.md", cause: "Governor" },
  ruledOut: ["plant/turbine.md#Blades", "plant/boiler.md"],
};

function answered(
  outcome: TriageResult["outcome"],
  causes: readonly string[],
  source = "plant/turbine.md",
): TriageResult {
  const result = sampleResult();
  return {
    ...result,
    outcome,
    sources: [{ id: "s1", kind: "runbook", title: "T", source, heading: "" }],
    answer: {
      ...result.answer,
      likely_causes: causes.map((text) => ({ text, citations: ["s1"], supported: true })),
      possible_causes: [],
    },
  };
}

describe("the grade of an answer to a case with sources", () => {
  it("is right if the right cause of the right runbook is first", () => {
    expect(gradeChecks(CASE, answered("cause", ["Governor is stuck."]))).toMatchObject({
      isRight: true,
      isWrongCause: false,
      refutedNamed: [],
    });
  });

  it.each([
    [
      "another cause of the runbook",
      answered("cause", ["Blades are worn.", "Governor is stuck."]),
      ["plant/turbine.md#Blades"],
    ],
    ["another runbook", answered("cause", ["Governor is stuck."], "plant/boiler.md"), ["plant/boiler.md"]],
  ])("is a wrong cause for %s, and names what is refuted", (_, result, refutedNamed) => {
    expect(gradeChecks(CASE, result)).toMatchObject({ isRight: false, isWrongCause: true, refutedNamed });
  });

  it("without a right cause, is right if none is stated", () => {
    const unexplained = { ...CASE, right: null };
    expect(gradeChecks(unexplained, answered("unknown", []))).toMatchObject({ isRight: true, isWrongCause: false });
    expect(gradeChecks(unexplained, answered("cause", ["Governor is stuck."]))).toMatchObject({
      isRight: false,
      isWrongCause: true,
    });
  });

  it("counts into figures", () => {
    const grades = [answered("cause", ["Governor is stuck."]), answered("unknown", [])].map((result) =>
      gradeChecks(CASE, result),
    );
    expect(checkFiguresOf(grades)).toEqual({ asked: 2, right: 1, causes: 1, wrongCauses: 0, refutedNamed: 0 });
  });
});
