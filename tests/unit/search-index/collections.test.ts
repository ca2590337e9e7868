import { describe, expect, it } from "vitest";
import {
  COLLECTIONS,
  INVENTORY_COLLECTIONS,
  isKeywordSearched,
  LAYERS,
  SEARCHABLE_COLLECTIONS,
} from "../../../functions/search-index/collections.ts";

describe("collections", () => {
  it("exist once for each layer, and twice for the cluster inventory", () => {
    expect(COLLECTIONS).toEqual([...LAYERS, ...INVENTORY_COLLECTIONS]);
    expect(new Set(COLLECTIONS).size).toBe(COLLECTIONS.length);
  });

  it.each([
    ["runbooks", true],
    ["incidents", true],
    ["past_answers", false],
    ["procedures", false],
    ["capabilities", false],
    ["instances", false],
  ])("have a keyword index, named %s: %s", (collection, hasIndex) => {
    expect(isKeywordSearched(collection)).toBe(hasIndex);
  });

  it("that clients may search exclude past answers and procedures", () => {
    expect(COLLECTIONS.filter((name) => !SEARCHABLE_COLLECTIONS.some((each) => each === name))).toEqual([
      "past_answers",
      "procedures",
    ]);
  });
});
