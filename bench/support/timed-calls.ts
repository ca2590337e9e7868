// Services whose calls of Postgres, Chroma and the embedder are timed.

import type { Services } from "../../functions/services.ts";

export function withTimedCalls(services: Services, record: (call: string, durationMs: number) => void): Services {
  const timed = async <T>(call: string, work: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    try {
      return await work();
    } finally {
      record(call, performance.now() - started);
    }
  };
  const { database, vectors, embedder } = services;
  return {
    ...services,
    database: { call: (name, ...rest) => timed(`Postgres ${name}`, () => database.call(name, ...rest)) },
    vectors: {
      ...vectors,
      search: (collection, query) => {
        const filtered = query.filter === undefined ? "" : `, by ${fieldsOf(query.filter)}`;
        return timed(`Chroma ${collection}${filtered}`, () => vectors.search(collection, query));
      },
      distances: (collection, query) =>
        timed(`Chroma ${collection}${query.ids ? ", by id" : ""}`, () => vectors.distances(collection, query)),
    },
    embedder: { ...embedder, embed: (texts) => timed("embedding", () => embedder.embed(texts)) },
  };
}

type Filter = NonNullable<Parameters<Services["vectors"]["search"]>[1]["filter"]>;

function fieldsOf(filter: Filter): string {
  return filter.op === "and" ? filter.filters.map(fieldsOf).join(" and ") : filter.field;
}
