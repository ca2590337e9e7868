import { describe, expect, it } from "vitest";
import { DOMAIN_NAMES } from "../../../functions/domains/domain.ts";
import { COLLECTIONS, collectionOf, isKeywordSearched, LAYERS } from "../../../functions/memory/collections.ts";

describe("the collections", () => {
  it("are one for each layer and domain", () => {
    expect(COLLECTIONS).toHaveLength(LAYERS.length * DOMAIN_NAMES.length);
    expect(new Set(COLLECTIONS).size).toBe(COLLECTIONS.length);
    expect(COLLECTIONS).toContain("runbooks-kubernetes");
    expect(COLLECTIONS).toContain("procedures-postgres");
    expect(collectionOf("incidents", "podman")).toBe("incidents-podman");
  });

  it.each([
    ["runbooks", true],
    ["incidents", true],
    ["memories", false],
    ["procedures", false],
  ] as const)("of %s are found by keywords: %s", (layer, isFound) => {
    for (const domain of DOMAIN_NAMES) expect(isKeywordSearched(collectionOf(layer, domain))).toBe(isFound);
  });
});
