import { describe, expect, it } from "vitest";
import { restrictVectorStore } from "../../../functions/adapters/restricted-vector-store.ts";
import { type Filter, leavesOf, STORE_LIMITS, type VectorStore } from "../../../functions/adapters/vector-store.ts";

const equals = (field: string, value: string): Filter => ({ op: "equals", field, value });
const and = (...filters: Filter[]): Filter => ({ op: "and", filters });
const allowed = { op: "in", field: "domain", values: ["docker", "postgres"] };

/** The filter that the store gets. */
async function filterFor(filter: Filter | undefined): Promise<Filter | undefined> {
  let got: Filter | undefined;
  const find: VectorStore["find"] = async (_, query) => {
    got = query.filter;
    return [];
  };
  const store = restrictVectorStore({ find } as VectorStore, ["docker", "postgres"]);
  await store.find("incidents", { limit: 1, ...(filter === undefined ? {} : { filter }) });
  return got;
}

describe("the filter of a restricted search", () => {
  it("is the caller's domains where there is none", async () => {
    expect(await filterFor(undefined)).toEqual(allowed);
    expect(await filterFor(equals("kind", "runbook"))).toEqual(and(allowed as Filter, equals("kind", "runbook")));
  });

  it("has one condition on the domain, so that it takes no more than the store allows", async () => {
    const eight = Array.from({ length: STORE_LIMITS.conditions - 1 }, (_, i) => equals(`label${i}`, "x"));
    const filter = await filterFor(and(equals("domain", "docker"), and(...eight)));
    expect(filter && leavesOf(filter)).toEqual([{ op: "in", field: "domain", values: ["docker"] }, ...eight]);
    const twice = and({ op: "in", field: "domain", values: ["docker", "kubernetes"] }, equals("domain", "docker"));
    expect(await filterFor(twice)).toEqual({ op: "in", field: "domain", values: ["docker"] });
  });

  it("finds nothing of another domain", async () => {
    for (const filter of [
      equals("domain", "kubernetes"),
      and(equals("domain", "docker"), equals("domain", "postgres")),
    ])
      expect(await filterFor(filter)).toEqual({ op: "in", field: "domain", values: [""] });
  });
});
