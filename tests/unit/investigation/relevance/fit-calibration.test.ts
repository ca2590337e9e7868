import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CalibrationLabel,
  fitCalibration,
  MAX_INTERCEPT,
  MAX_SLOPE,
  MIN_LABELS,
  MIN_SLOPE,
} from "../../../../functions/investigation/relevance/fit-calibration.ts";
import { calibrated, probabilityOf } from "../../../../functions/investigation/relevance/relevance.ts";
import { type Calibration, DEFAULT_CALIBRATION } from "../../../../functions/schemas/calibration.ts";

/** Park and Miller's generator: the same numbers from 0 to 1 for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Labels with log-odds from -3 to 3, right as often as the calibration predicts. */
function generateLabels(count: number, { slope, intercept }: Calibration, seed = 7): CalibrationLabel[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const logOdds = 6 * random() - 3;
    return { logOdds, isRight: random() < probabilityOf(slope * logOdds + intercept) };
  });
}

const kept = { slope: 1, intercept: 0 };
const labelsOf = (logOdds: number, right: number, wrong: number): CalibrationLabel[] => [
  ...Array.from({ length: right }, () => ({ logOdds, isRight: true })),
  ...Array.from({ length: wrong }, () => ({ logOdds, isRight: false })),
];

describe("the fit of a calibration", () => {
  it.each([
    { slope: 1, intercept: 0 },
    { slope: 1.5, intercept: -0.6 },
    { slope: 0.7, intercept: 0.8 },
  ])("recovers slope $slope and intercept $intercept from 2,000 labels", (calibration) => {
    const fit = fitCalibration(generateLabels(2_000, calibration));
    expect(Math.abs(fit.slope - calibration.slope)).toBeLessThan(0.12);
    expect(Math.abs(fit.intercept - calibration.intercept)).toBeLessThan(0.12);
    expect(fit.brierAfter).toBeLessThanOrEqual((fit.brierBefore ?? 0) + 0.001);
  });

  it("stays nearer to the default with few labels than with many", () => {
    const calibration = { slope: 1, intercept: -1.2 };
    const few = fitCalibration(generateLabels(MIN_LABELS, calibration));
    const many = fitCalibration(generateLabels(2_000, calibration));
    expect(few.intercept).toBeLessThan(-0.1);
    expect(few.intercept).toBeGreaterThan(many.intercept);
  });

  it("changes nothing with 49 labels, and something with 50", () => {
    const labels = labelsOf(1, 10, 40);
    expect(fitCalibration(labels.slice(1))).toMatchObject({ ...kept, labels: 49, positives: 9 });
    expect(fitCalibration(labels).intercept).toBeLessThan(0);
  });

  it.each([
    ["right", labelsOf(1, 200, 4)],
    ["wrong", labelsOf(1, 4, 200)],
  ])("keeps the default when nearly all answers are %s", (_kind, labels) => {
    expect(fitCalibration(labels)).toMatchObject(kept);
  });

  it("keeps the default without labels", () => {
    expect(fitCalibration([])).toEqual({ ...kept, labels: 0, positives: 0, brierBefore: null, brierAfter: null });
  });

  it("ignores log-odds that are not finite", () => {
    const broken = [Number.NaN, Number.POSITIVE_INFINITY].map((logOdds) => ({ logOdds, isRight: true }));
    const labels = labelsOf(1, 25, 25);
    expect(fitCalibration([...labels, ...broken])).toEqual(fitCalibration(labels));
  });

  it("lowers the probability when all answers of one log-odds are right less often", () => {
    const { slope, intercept } = fitCalibration(labelsOf(2, 100, 100));
    const probability = probabilityOf(2 * slope + intercept);
    expect(probability).toBeGreaterThan(0.5);
    expect(probability).toBeLessThan(0.65);
  });

  it("stops at the bounds", () => {
    const opposite = [...labelsOf(5, 5, 500), ...labelsOf(-5, 500, 5)];
    expect(fitCalibration(opposite).slope).toBe(MIN_SLOPE);
    const separated = [...labelsOf(0.3, 500, 5), ...labelsOf(-0.3, 5, 500)];
    expect(fitCalibration(separated).slope).toBe(MAX_SLOPE);
    expect(fitCalibration(labelsOf(0, 990, 10)).intercept).toBe(MAX_INTERCEPT);
    expect(fitCalibration(labelsOf(0, 10, 990)).intercept).toBe(-MAX_INTERCEPT);
  });

  it("is finite and bounded for any labels", () => {
    const label = fc.record({ logOdds: fc.double(), isRight: fc.boolean() });
    fc.assert(
      fc.property(fc.array(label, { minLength: 40, maxLength: 120 }), (labels) => {
        const { slope, intercept, brierAfter } = fitCalibration(labels);
        expect(slope).toBeGreaterThanOrEqual(MIN_SLOPE);
        expect(slope).toBeLessThanOrEqual(MAX_SLOPE);
        expect(Math.abs(intercept)).toBeLessThanOrEqual(MAX_INTERCEPT);
        expect(brierAfter ?? 0).not.toBeNaN();
      }),
    );
  });
});

describe("a calibrated relevance", () => {
  const relevance = { probability: 0.8, logOdds: 1.386, contributions: { bias: -1, coverage: 2.386 } };

  it("is unchanged by the default", () => {
    expect(calibrated(relevance, DEFAULT_CALIBRATION)).toBe(relevance);
  });

  it("has another probability and the same parts", () => {
    const { probability, ...parts } = calibrated(relevance, { slope: 0.8, intercept: -0.5 });
    expect(probability).toBeCloseTo(probabilityOf(0.8 * 1.386 - 0.5), 10);
    expect(parts).toEqual({ logOdds: 1.386, contributions: relevance.contributions });
  });

  it("keeps the order of the texts", () => {
    const finite = { min: -20, max: 20, noNaN: true };
    const fits = {
      slope: fc.double({ min: MIN_SLOPE, max: MAX_SLOPE, noNaN: true }),
      intercept: fc.double({ min: -MAX_INTERCEPT, max: MAX_INTERCEPT, noNaN: true }),
    };
    fc.assert(
      fc.property(fc.double(finite), fc.double(finite), fc.record(fits), (first, second, calibration) => {
        const probabilityAt = (logOdds: number) =>
          calibrated({ ...relevance, logOdds, probability: probabilityOf(logOdds) }, calibration).probability;
        const [low, high] = [Math.min(first, second), Math.max(first, second)];
        expect(probabilityAt(low)).toBeLessThanOrEqual(probabilityAt(high));
      }),
    );
  });
});
