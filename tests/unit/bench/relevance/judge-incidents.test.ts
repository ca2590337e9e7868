import { describe, expect, it } from "vitest";
import type { AskedIncident, IncidentCondition, IncidentExamples } from "../../../../bench/relevance/ask-incident.ts";
import { judgeIncidents, judgeReport } from "../../../../bench/relevance/judge-incidents.ts";
import { trainIncidentModel } from "../../../../bench/relevance/train-incidents.ts";

/** One report; the first candidate is right unless the family is removed. */
function report(i: number, condition: IncidentCondition, kind: AskedIncident["kind"]): AskedIncident {
  const candidate = (source: string, coverage: number, isRight: boolean) => ({
    source,
    isRight,
    // Every third report has a line in common with each record.
    features: {
      words_squared: coverage,
      log_words: coverage,
      log_words_squared: coverage,
      line: i % 3 === 1 ? 0.5 : 0,
    },
  });
  const isStored = condition === "family";
  return {
    ...{ id: `${kind} ${i}`, condition, kind, form: kind === "with_log" ? "evidence" : "title", own: null },
    candidates: [candidate("first", isStored ? 0.9 : 0.2, isStored), candidate("second", 0.1 + (i % 5) / 100, false)],
  };
}

const group = (name: string): IncidentExamples => ({
  group: name,
  reports: (["with_log", "headline_only"] as const).flatMap((kind) =>
    Array.from({ length: 60 }, (_, i) => report(i, i % 2 === 0 ? "family" : "removed", kind)),
  ),
});

describe("the judgement of past incidents", () => {
  it("trains weights that tell right incidents from wrong ones", () => {
    const model = trainIncidentModel([group("docker")]);
    expect(judgeReport(report(0, "family", "with_log"), model)).toMatchObject({
      ...{ outcome: "cause", isRight: true, isFirstRight: true, condition: "stored" },
      ...{ shownRight: 1, shownWrong: 0 },
    });
    expect(judgeReport(report(1, "removed", "headline_only"), model)).toMatchObject({
      ...{ outcome: "unknown", isRight: false, condition: "removed", shownWrong: 0 },
    });
  });

  it("reads no log without one, and compares a common line by itself", () => {
    const { common_line, with_log, headline_only } = trainIncidentModel([group("docker")]);
    expect(common_line.features).toHaveProperty("log_words");
    expect(with_log.features).toHaveProperty("log_words_squared");
    expect(headline_only.features).not.toHaveProperty("log_words_squared");
  });

  it("judges each technology with weights of the others", () => {
    const misled: IncidentExamples = {
      group: "podman",
      reports: group("podman").reports.map((each) => ({
        ...each,
        candidates: each.candidates.map((candidate) => ({ ...candidate, isRight: !candidate.isRight })),
      })),
    };
    const judged = judgeIncidents([group("docker"), misled]);
    const causesOf = (name: string) => judged.filter((each) => each.group === name && each.outcome === "cause");
    expect(causesOf("podman").every(({ isRight }) => !isRight)).toBe(true);
    expect(causesOf("podman").length).toBeGreaterThan(0);
  });
});
