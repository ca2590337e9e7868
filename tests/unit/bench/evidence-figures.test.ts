import { describe, expect, it } from "vitest";
import type { EvidenceCase } from "../../../bench/evidence/evidence-cases.ts";
import { evidenceFiguresOf, gradeAnswer } from "../../../bench/evidence/evidence-figures.ts";
import type { TriageResult } from "../../../functions/schemas/triage-result.ts";
import { sampleResult } from "../investigation/samples.ts";

const RIGHT = "docker/exit-137-out-of-memory.md";
const OTHER = "docker/container-restart-loop.md";

function caseOf(changes: Partial<EvidenceCase> = {}): EvidenceCase {
  const empty = { cause: null, decisive: [], statements: [], forbidden: [] };
  return {
    id: "a",
    group: "g",
    request: { title: "It stopped" },
    outcome: "cause",
    right: [RIGHT],
    ...empty,
    ...changes,
  };
}

function grade(changes: Partial<EvidenceCase>, outcome: TriageResult["outcome"], cited: string[], rendered = "") {
  return gradeAnswer(caseOf(changes), { ...sampleResult(), outcome }, { rendered, cited });
}

describe("the figures of the evidence bench", () => {
  it("count a cause as right only when it cites a right runbook", () => {
    const answers = [
      grade({}, "cause", [OTHER, RIGHT]),
      grade({}, "cause", [OTHER]),
      grade({}, "possible", [RIGHT]),
      grade({}, "possible", [OTHER]),
      grade({ right: [] }, "cause", []),
    ];
    expect(evidenceFiguresOf(answers)).toMatchObject({
      causeRight: 1,
      causeWrong: 2,
      possibleRight: 1,
      possibleWrong: 1,
    });
  });

  it("compare the first cause only of a right answer whose cause is known", () => {
    const likely_causes = [{ text: "Disk full. Free it.", citations: [], supported: true }];
    const answer = { ...sampleResult().answer, likely_causes };
    const gradeFirst = (cause: string | null, outcome: TriageResult["outcome"], cited: string) =>
      gradeAnswer(caseOf({ cause }), { ...sampleResult(), outcome, answer }, { rendered: "", cited: [cited] });
    const answers = [
      gradeFirst("Disk full", "cause", RIGHT),
      gradeFirst("Disk broken", "cause", RIGHT),
      gradeFirst("Disk full", "cause", OTHER),
      gradeFirst("Disk full", "possible", RIGHT),
      gradeFirst(null, "cause", RIGHT),
    ];
    expect(evidenceFiguresOf(answers)).toMatchObject({ causesJudged: 2, firstCauseRight: 1 });
  });

  it("call an answer fair that is right, or claims nothing where nothing can be claimed", () => {
    const isFair = (changes: Partial<EvidenceCase>, outcome: TriageResult["outcome"]) =>
      evidenceFiguresOf([grade(changes, outcome, [RIGHT])]).fair === 1;
    const outcomes = ["cause", "possible", "unknown", "benign"] as const;
    const fairOutcomes = (changes: Partial<EvidenceCase>) => outcomes.filter((outcome) => isFair(changes, outcome));
    expect(fairOutcomes({})).toEqual(["cause"]);
    expect(fairOutcomes({ right: [] })).toEqual(["possible", "unknown"]);
    expect(fairOutcomes({ outcome: "benign", right: [] })).toEqual(["unknown", "benign"]);
    expect(fairOutcomes({ outcome: "abstain", right: [] })).toEqual(["possible", "unknown", "benign"]);
  });

  it("count healthy reports that are answered with a cause", () => {
    const healthy = { outcome: "benign", right: [] } as const;
    const answers = [grade(healthy, "cause", [OTHER]), grade(healthy, "benign", []), grade({}, "cause", [RIGHT])];
    expect(evidenceFiguresOf(answers)).toMatchObject({ healthy: 2, healthyAsCause: 1 });
  });

  it("look for statements in the whole answer, whatever the case and the whitespace", () => {
    const statements = [["host  not FOUND", "no such host"], ["re:api-\\d+(?!x)"], ["certificate"]];
    const answer = grade({ statements }, "unknown", [], "The Host not\n found: api-12.");
    expect(answer.unsaid).toEqual([["certificate"]]);
    expect(evidenceFiguresOf([answer])).toMatchObject({ statements: 3, statementsSaid: 2 });
  });

  it("look for decisive lines in quotes alone, and for forbidden phrases in the summary and the causes", () => {
    const sample = sampleResult();
    const evidence = [{ text: "Line.", quote: "OOM  killed", citations: [], supported: true, place: null }];
    const answer = { ...sample.answer, summary: { text: "The disk is full.", citations: [] }, evidence };
    const evidenceCase = caseOf({ decisive: ["OOM killed", "exit 137"], forbidden: ["disk", "killed"] });
    const graded = gradeAnswer(evidenceCase, { ...sample, answer }, { rendered: "exit 137", cited: [] });
    expect(graded).toMatchObject({ unquoted: ["exit 137"], forbidden: ["disk"] });
    expect(evidenceFiguresOf([graded])).toMatchObject({ lines: 2, linesQuoted: 1, forbidden: 1 });
  });
});
