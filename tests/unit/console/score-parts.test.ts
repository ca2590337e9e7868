import { describe, expect, it } from "vitest";
import { contributionsOf } from "../../../console/src/format/contributions.ts";
import { signed } from "../../../console/src/format/words.ts";
import { incidentParts } from "../../../console/src/views/memory/score-parts.ts";

describe("the parts of a score", () => {
  it("of a past incident multiply to it, with the weight of the quality", () => {
    const parts = incidentParts({ probability: 0.5, ranking: { quality: 0.5, adjust: 1.3, decay: 0.9 } });
    expect(parts.map(({ value }) => value)).toEqual(["0.50", "× 0.85", "× 1.30", "× 0.90"]);
  });

  it("say what moved the score of a review", () => {
    const meaningOf = (adjust: number) =>
      incidentParts({ probability: 1, ranking: { quality: 1, adjust, decay: 1 } })[2]?.meaning;
    expect(meaningOf(1)).toContain("no review");
    expect(meaningOf(0.85)).toContain("badly");
    expect(meaningOf(1.15)).toContain("well");
  });
});

describe("the reasons of a probability", () => {
  it("add the features of one comparison, strongest first, without those that change nothing", () => {
    const contributions = { bias: -5, words: 1, words_squared: -0.25, log_words: 2, same_lines: 1, labels: 0.01 };
    expect(contributionsOf(contributions)).toEqual([
      { name: "how rarely a record matches at all", value: -5 },
      { name: "error lines in common", value: 3 },
      { name: "words in common", value: 0.75 },
    ]);
  });

  it("of a text are in the same words", () => {
    expect(contributionsOf({ coverage: 2.5, title_coverage: 0.5, ahead: 0.01, lead_coverage: 0.2 })).toEqual([
      { name: "words of the report", value: 3.2 },
    ]);
  });

  it("keep the name of a feature that has no words", () => {
    expect(contributionsOf({ new_feature: 1 })).toEqual([{ name: "new feature", value: 1 }]);
  });

  it("are signed", () => {
    expect([signed(0.004), signed(-1.5)]).toEqual(["+0.00", "−1.50"]);
  });
});
