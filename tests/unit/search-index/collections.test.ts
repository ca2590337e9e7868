import { describe, expect, it } from "vitest";
import { DOMAIN_NAMES } from "../../../functions/schemas/domain.ts";
import {
  COLLECTIONS,
  collectionOf,
  INVENTORY_COLLECTIONS,
  isKeywordSearched,
  LAYERS,
  SEARCHABLE_COLLECTIONS,
} from "../../../functions/search-index/collections.ts";

describe("collections", () => {
  it("exist for each layer and domain, and twice for the cluster inventory", () => {
    expect(COLLECTIONS).toHaveLength(LAYERS.length * DOMAIN_NAMES.length + INVENTORY_COLLECTIONS.length);
    expect(COLLECTIONS).toEqual(expect.arrayContaining([...INVENTORY_COLLECTIONS]));
    expect(new Set(COLLECTIONS).size).toBe(COLLECTIONS.length);
    expect(COLLECTIONS).toContain("runbooks-kubernetes");
    expect(COLLECTIONS).toContain("procedures-postgres");
    expect(collectionOf("incidents", "podman")).toBe("incidents-podman");
  });

  it.each([
    ["runbooks", true],
    ["incidents", true],
    ["past_answers", false],
    ["procedures", false],
  ] as const)("of the layer %s have a keyword index: %s", (layer, isFound) => {
    for (const domain of DOMAIN_NAMES) expect(isKeywordSearched(collectionOf(layer, domain))).toBe(isFound);
  });

  it.each(INVENTORY_COLLECTIONS)("of the inventory have no keyword index: %s", (collection) => {
    expect(isKeywordSearched(collection)).toBe(false);
  });

  it("that clients may search exclude past answers", () => {
    expect(SEARCHABLE_COLLECTIONS.filter((name) => /^(memories|procedures)-/.test(name))).toEqual([]);
    expect(COLLECTIONS).toEqual(expect.arrayContaining([...SEARCHABLE_COLLECTIONS]));
  });
});
