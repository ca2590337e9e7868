import { describe, expect, it } from "vitest";
import { relevanceOfCosineDistance } from "../../../functions/adapters/vector-store.ts";

describe("relevanceOfCosineDistance", () => {
  it.each([
    [0, 1],
    [0.5, 0.75],
    [1, 0.5],
    [2, 0],
    [-1e-7, 1],
    [2.000001, 0],
  ])("turns the distance %d into the relevance %d", (distance, relevance) => {
    expect(relevanceOfCosineDistance(distance)).toBe(relevance);
  });
});
