import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CaseResult } from "../../../../evals/runs/run-file.ts";
import { compareRuns, directionOf, metricChange, oddsOfChance } from "../../../../evals/statistics/changes.ts";
import { caseOf, runOf } from "../sample-runs.ts";

const repeats = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 });
const ranked = (id: string, ...values: number[]) =>
  caseOf(
    id,
    values.map((RetrievalRank) => ({ metrics: { RetrievalRank } })),
  );
const compare = (before: CaseResult[], now: CaseResult[]) =>
  compareRuns(runOf({ cases: before }), runOf({ cases: now }));

describe("directionOf", () => {
  it("rises or falls when each new value is above, or below, each old value", () => {
    expect(directionOf([0.5, 0.6, 0.7], [0.71, 0.8, 0.9], 0)).toBe("rose");
    expect(directionOf([0.5, 0.6, 0.7], [0.7, 0.8, 0.9], 0)).toBe("same");
    expect(directionOf([0.5, 0.6, 0.7], [0.1, 0.2, 0.49], 0)).toBe("fell");
  });

  it("is the same for a difference below the minimum and for an empty side", () => {
    expect(directionOf([0.5, 0.5], [0.51, 0.51], 0.02)).toBe("same");
    expect(directionOf([0.5, 0.5], [0.53, 0.53], 0.02)).toBe("rose");
    expect(directionOf([], [1], 0)).toBe("same");
    expect(directionOf([1], [], 0)).toBe("same");
  });

  it("is reversed when the sides are swapped, and the same between equal sides", () => {
    const opposite = { rose: "fell", fell: "rose", same: "same" };
    fc.assert(
      fc.property(repeats, repeats, (before, now) => {
        expect(directionOf(now, before, 0.02)).toBe(opposite[directionOf(before, now, 0.02)]);
        expect(directionOf(before, before.toReversed(), 0)).toBe("same");
      }),
    );
  });

  it("rises by chance in 1 of the 20 ways to split six values into two runs, as oddsOfChance says", () => {
    const values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    const deals = values.flatMap((_, i) =>
      values.flatMap((_, j) => values.flatMap((_, k) => (i < j && j < k ? [new Set([i, j, k])] : []))),
    );
    const directions = deals.map((chosen) =>
      directionOf(
        values.filter((_, i) => chosen.has(i)),
        values.filter((_, i) => !chosen.has(i)),
        0,
      ),
    );
    expect(directions).toHaveLength(oddsOfChance(3, 3));
    expect(directions.filter((each) => each === "rose")).toHaveLength(1);
    expect(directions.filter((each) => each === "fell")).toHaveLength(1);
    expect([oddsOfChance(1, 1), oddsOfChance(2, 3), oddsOfChance(5, 1)]).toEqual([2, 10, 6]);
  });
});

describe("compareRuns and metricChange", () => {
  it("compare case by case and list the metrics that moved", () => {
    const { changes } = compare(
      [ranked("fell", 1, 1, 1), ranked("rose", 0.2, 0.2, 0.2), ranked("kept", 0.5, 0.6, 0.7)],
      [ranked("fell", 0.5, 0.5, 0.25), ranked("rose", 1, 0.5, 1), ranked("kept", 0.4, 0.6, 0.5)],
    );
    expect(changes.map((each) => [each.case.id, each.verdict, each.moves.map(({ measure }) => measure)])).toEqual([
      ["fell", "regressed", ["RetrievalRank"]],
      ["rose", "improved", ["RetrievalRank"]],
    ]);
    expect(changes[0]?.moves[0]).toMatchObject({ before: 1, direction: "fell" });
  });

  it("call a case regressed when a metric fell, even if another rose", () => {
    const both = (RetrievalHit: number, FactsStated: number) =>
      caseOf("a", [{ metrics: { RetrievalHit, FactsStated } }]);
    expect(compare([both(0, 1)], [both(1, 0)]).changes).toMatchObject([{ verdict: "regressed" }]);
  });

  it("call a case regressed when it no longer passes, even if no metric changed", () => {
    const failing = caseOf("a", [{ failures: ["No line was removed."] }]);
    expect(compare([caseOf("a", [{}])], [failing]).changes).toMatchObject([
      { verdict: "regressed", moves: [{ measure: "Passed", before: 1, now: 0 }] },
    ]);
  });

  it("list the cases of one run only", () => {
    expect(compare([ranked("a", 1), ranked("b", 1)], [ranked("b", 1), ranked("c", 0)])).toEqual({
      changes: [],
      added: ["c"],
      dropped: ["a"],
    });
  });

  it("compare a metric over the cases of both runs", () => {
    const before = runOf({ cases: [ranked("a", 0.5, 0.5), ranked("gone", 0, 0)] });
    const now = runOf({ cases: [ranked("a", 0.75, 0.625), ranked("new", 0, 0)] });
    expect(metricChange(before, now, "RetrievalRank")).toEqual({
      before: 0.5,
      now: 0.6875,
      direction: "rose",
      cases: 1,
    });
    expect(metricChange(before, now, "Passed")).toEqual({ before: 1, now: 1, direction: "same", cases: 1 });
    expect(metricChange(before, now, "MemoryHit")).toBeNull();
    expect(metricChange(before, runOf(), "RetrievalRank")).toBeNull();
  });
});
