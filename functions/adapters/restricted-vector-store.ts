// A vector store that returns texts of some domains only. Writes pass: they come from rows that the caller may change.

import { accepts, type Filter, leavesOf, type VectorStore } from "./vector-store.ts";

export function restrictVectorStore(store: VectorStore, domains: readonly string[]): VectorStore {
  const within = (filter: Filter | undefined): Filter => {
    const leaves = filter === undefined ? [] : leavesOf(filter);
    // One condition in place of those on the domain: stores limit how many they take.
    const named = domains.filter((name) => leaves.every((leaf) => leaf.field !== "domain" || accepts(leaf, name)));
    // No domain has an empty name.
    const allowed: Filter = { op: "in", field: "domain", values: named.length === 0 ? [""] : named };
    const others = leaves.filter(({ field }) => field !== "domain");
    return others.length === 0 ? allowed : { op: "and", filters: [allowed, ...others] };
  };
  return {
    ...store,
    search: (collection, query) => store.search(collection, { ...query, filter: within(query.filter) }),
    distances: (collection, query) => store.distances(collection, { ...query, filter: within(query.filter) }),
    find: (collection, query) => store.find(collection, { ...query, filter: within(query.filter) }),
  };
}
