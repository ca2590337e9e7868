import { describe, expect, it } from "vitest";
import { DependencyError } from "../../../functions/dependencies.ts";
import {
  describeSearchFailure,
  searchCollection,
  similarityLabel,
} from "../../../functions/search-index/collection-search.ts";
import { filterSchema } from "../../../functions/search-index/search-filter.ts";
import { redact } from "../../../lib/redaction/redact.ts";
import { plantedStores } from "../memory/sample-stores.ts";

describe("searchCollection", () => {
  it("finds nothing by a keyword of control characters alone, which every text would contain", async () => {
    const stores = plantedStores({});
    const text = { id: "a", text: "a", metadata: {} };
    const vectors = { ...stores.vectors, find: async () => [text] };
    const search = (keyword: string) =>
      searchCollection({ ...stores, vectors, redact }, { collection: "runbooks", keyword, limit: 9 });
    expect(await search("a")).toHaveLength(1);
    expect(await search("\u001b[31m\u0007")).toEqual([]);
  });
});

describe("similarityLabel", () => {
  it.each([
    [0, "very similar"],
    [0.2, "very similar"],
    [0.21, "similar"],
    [0.5, "similar"],
    [0.51, "somewhat related"],
    [0.79, "somewhat related"],
    [0.8, null],
    [2, null],
  ])("labels a distance of %d with the default scale as %s", (distance, label) => {
    expect(similarityLabel(distance, { unrelated: 0.6, close: 0.9 })).toBe(label);
  });

  it("uses the scale of the embedding model", () => {
    expect(similarityLabel(0.22, { unrelated: 0.85, close: 0.95 })).toBe("somewhat related");
    expect(similarityLabel(0.2, { unrelated: 0.2, close: 0.6 })).toBe("very similar");
  });
});

describe("describeSearchFailure", () => {
  it.each([
    ["vector_store", "timeout", /Chroma.*did not answer in time.*Try again/],
    ["vector_store", "unreachable", /Chroma.*cannot be used now/],
    ["embedder", "unreachable", /keyword or filters and without a query/],
    ["vector_store", "refused", /does not take this search.*Change the filters/],
    ["vector_store", "model_mismatch", /dejavu reindex/],
  ] as const)("suggests an action for %s %s", (dependency, failure, words) => {
    expect(describeSearchFailure(new DependencyError(dependency, failure, "secret detail"))).toMatch(words);
    expect(describeSearchFailure(new DependencyError(dependency, failure, "secret detail"))).not.toContain("secret");
  });
});

describe("filterSchema", () => {
  const equals = { op: "equals", field: "kind", value: "Pod" };
  it.each([
    equals,
    { op: "equals", field: "isCRD", value: false },
    { op: "in", field: "example.com/tier", values: [1, 2] },
    { op: "and", filters: [equals] },
    { op: "and", filters: [{ op: "and", filters: Array(8).fill(equals) }] },
  ])("accepts %j", (filter) => {
    expect(filterSchema.parse(filter)).toEqual(filter);
  });

  it.each(["$and", "#document", "1x", "", "x".repeat(37), "a b", "__proto__", "a\0"])(
    "rejects the field name %j",
    (field) => {
      expect(filterSchema.safeParse({ ...equals, field }).success).toBe(false);
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, null, {}, "x".repeat(1_025), "\ud800"])(
    "rejects the value %j",
    (value) => {
      expect(filterSchema.safeParse({ ...equals, value }).success).toBe(false);
    },
  );
});
