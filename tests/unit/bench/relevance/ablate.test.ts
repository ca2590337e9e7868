import { expect, it } from "vitest";
import { ablate } from "../../../../bench/relevance/ablate.ts";
import { fitWeights } from "../../../../bench/relevance/fit.ts";

it("loses by the feature that decides, on examples that the weights were not fitted to", () => {
  const folds = [0, 1, 2].map((fold) =>
    Array.from({ length: 40 }, (_, i) => ({
      features: { decides: i % 2, says_nothing: (i * 7 + fold) % 5 },
      isRight: i % 2 === 1,
      weight: 1,
    })),
  );
  const losses = [...ablate({ kind: "headline", features: ["decides", "says_nothing"], folds, train: fitWeights })];
  const [all, withoutDeciding, withoutOther] = losses.map(({ loss }) => loss);
  expect(losses.map(({ without }) => without)).toEqual([null, "decides", "says_nothing"]);
  expect(withoutDeciding).toBeGreaterThan(0.65);
  expect(all).toBeLessThan(0.3);
  expect(withoutOther).toBeCloseTo(all ?? 0, 1);
});
