// A vector store that returns texts of some domains only. Writes pass: they come from rows that the caller may change.

import type { Filter, VectorStore } from "./vector-store.ts";

export function restrictVectorStore(store: VectorStore, domains: readonly string[]): VectorStore {
  const allowed: Filter = { op: "in", field: "domain", values: domains };
  const within = (filter: Filter | undefined): Filter =>
    filter === undefined
      ? allowed
      : { op: "and", filters: [allowed, ...(filter.op === "and" ? filter.filters : [filter])] };
  return {
    ...store,
    search: (collection, query) => store.search(collection, { ...query, filter: within(query.filter) }),
    distances: (collection, query) => store.distances(collection, { ...query, filter: within(query.filter) }),
    find: (collection, query) => store.find(collection, { ...query, filter: within(query.filter) }),
  };
}
