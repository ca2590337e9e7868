// The contract of all vector stores. The test of an adapter calls this with a factory and adds adapter-specific tests.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Filter, VectorRecord, VectorStore } from "../../../functions/adapters/vector-store.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { cosineSimilarity } from "../../../lib/ranking/rank-memory.ts";

export interface VectorStoreFactory {
  /** A store on a real server; stores of another fingerprint see the same collections. */
  create(fingerprint: string): VectorStore;
}

const COLLECTION = "contract-test";
const FINGERPRINT = "model-a/3";

const RECORDS: readonly VectorRecord[] = [
  {
    id: "pod",
    vector: [1, 0, 0],
    text: "pod in CrashLoopBackOff",
    metadata: { kind: "Pod", namespace: "shop", restarts: 7, ready: false },
  },
  {
    id: "node",
    vector: [0, 1, 0],
    text: "node NotReady",
    metadata: { kind: "Node", namespace: "infra", restarts: 0, ready: false },
  },
  {
    id: "dns",
    vector: [0.9, 0.1, 0],
    text: "pod cannot reach kube-dns",
    metadata: { kind: "Pod", namespace: "infra", restarts: 1, ready: true },
  },
];

export function describeVectorStore(name: string, factory: VectorStoreFactory): void {
  const store = factory.create(FINGERPRINT);
  const ids = (hits: readonly { id: string }[]) => hits.map((hit) => hit.id);

  describe(`${name} as a vector store`, () => {
    beforeEach(async () => {
      await store.drop(COLLECTION);
      await store.store(COLLECTION, RECORDS);
    });
    afterAll(() => store.drop(COLLECTION));

    it("finds the nearest first, with cosine distance and relevance", async () => {
      const hits = await store.search(COLLECTION, { vector: [2, 0, 0], limit: 3 });
      expect(ids(hits)).toEqual(["pod", "dns", "node"]);
      expect(hits[0]?.distance).toBeCloseTo(0, 5);
      expect(hits[0]?.relevance).toBeCloseTo(1, 5);
      expect(hits[1]?.distance).toBeCloseTo(1 - 0.9 / Math.hypot(0.9, 0.1), 5);
      expect(hits[2]?.relevance).toBeCloseTo(0.5, 5);
      expect(hits[0]?.text).toBe("pod in CrashLoopBackOff");
      expect(hits[0]?.metadata).toEqual(RECORDS[0]?.metadata);
    });

    it("returns distances by id, nearest first, of all records or of the given ones, within a filter", async () => {
      const vector = [2, 0, 0];
      const all = await store.distances(COLLECTION, { vector, limit: 2 });
      expect([...all.keys()]).toEqual(["pod", "dns"]);
      expect(all.get("dns")).toBeCloseTo(1 - 0.9 / Math.hypot(0.9, 0.1), 5);
      const some = await store.distances(COLLECTION, { vector, limit: 9, ids: ["node", "dns", "unknown"] });
      expect([...some.keys()]).toEqual(["dns", "node"]);
      const filter: Filter = { op: "equals", field: "namespace", value: "infra" };
      expect([
        ...(await store.distances(COLLECTION, { vector, limit: 9, ids: ["pod", "dns"], filter })).keys(),
      ]).toEqual(["dns"]);
      expect(await store.distances("nothing-here", { vector, limit: 9 })).toEqual(new Map());
    });

    it("leaves texts out on request, and finds texts by id", async () => {
      const [hit] = await store.search(COLLECTION, { vector: [2, 0, 0], limit: 1, hasTexts: false });
      expect(hit).toMatchObject({ id: "pod", text: "", metadata: RECORDS[0]?.metadata });
      expect(ids(await store.find(COLLECTION, { ids: ["node", "unknown"], limit: 9 }))).toEqual(["node"]);
    });

    it("lists the ids of its records page by page", async () => {
      const first = await store.ids(COLLECTION, { offset: 0, limit: 2 });
      const second = await store.ids(COLLECTION, { offset: 2, limit: 100 });
      expect(first).toHaveLength(2);
      expect([...first, ...second].sort()).toEqual(RECORDS.map(({ id }) => id).sort());
      expect(await store.ids(COLLECTION, { offset: RECORDS.length, limit: 5 })).toEqual([]);
    });

    it("returns the exact cosine distance of every hit, also among many and of vectors of any length", async () => {
      let seed = 1;
      const random = () => {
        seed = (seed * 16_807) % 2_147_483_647;
        return seed / 2_147_483_647 - 0.5;
      };
      const vector = (length: number) => Array.from({ length: 48 }, () => random() * length);
      const many = Array.from({ length: 600 }, (_, i) => ({
        id: `v${i}`,
        vector: vector(1 + (i % 7)),
        text: "t",
        metadata: { i },
      }));
      await store.drop(COLLECTION);
      await store.store(COLLECTION, many);
      const query = vector(3);
      const hits = await store.search(COLLECTION, { vector: query, limit: 100 });
      expect(hits).toHaveLength(100);
      for (const { id, distance } of hits) {
        const stored = many.find((record) => record.id === id)?.vector ?? [];
        expect(distance).toBeCloseTo(1 - cosineSimilarity(query, stored), 5);
      }
    });

    it("can be searched while the first records of a collection are written", async () => {
      for (let round = 0; round < 12; round++) {
        await store.drop(COLLECTION);
        let isWritten = false;
        const writing = store.store(COLLECTION, RECORDS).finally(() => {
          isWritten = true;
        });
        const searchUntilWritten = async () => {
          do {
            const hits = await store.search(COLLECTION, { vector: [1, 0, 0], limit: 3 });
            expect(hits.length).toBeLessThanOrEqual(3);
          } while (!isWritten);
        };
        await Promise.all([writing, ...Array.from({ length: 5 }, searchUntilWritten)]);
      }
    });

    it("returns at most as many hits as the limit", async () => {
      expect(await store.search(COLLECTION, { vector: [1, 0, 0], limit: 1 })).toHaveLength(1);
      expect(await store.search(COLLECTION, { vector: [1, 0, 0], limit: 50 })).toHaveLength(3);
    });

    it("replaces a record with the same id", async () => {
      await store.store(COLLECTION, [{ id: "node", vector: [0, 0, 1], text: "node back", metadata: { kind: "Node" } }]);
      const [hit] = await store.search(COLLECTION, { vector: [0, 0, 1], limit: 1 });
      expect(hit).toMatchObject({ id: "node", text: "node back" });
      expect(hit?.metadata).toEqual({ kind: "Node" });
      expect(await store.find(COLLECTION, { limit: 10 })).toHaveLength(3);
    });

    it("applies an equals filter to strings, numbers and booleans", async () => {
      const search = (field: string, value: string | number | boolean) =>
        store.search(COLLECTION, { vector: [1, 0, 0], limit: 3, filter: { op: "equals", field, value } });
      expect(ids(await search("namespace", "infra"))).toEqual(["dns", "node"]);
      expect(ids(await search("restarts", 7))).toEqual(["pod"]);
      expect(ids(await search("ready", true))).toEqual(["dns"]);
    });

    it("applies an in filter", async () => {
      const filter = { op: "in", field: "kind", values: ["Node", "Service"] } as const;
      expect(ids(await store.search(COLLECTION, { vector: [1, 0, 0], limit: 3, filter }))).toEqual(["node"]);
    });

    it("applies an in filter of whole and fractional numbers, also within an and", async () => {
      await store.store(COLLECTION, [{ id: "half", vector: [0, 0, 1], text: "half", metadata: { restarts: 0.5 } }]);
      const mixed = { op: "in", field: "restarts", values: [7, 0.5, 1] } as const;
      const search = (filter: Filter) => store.search(COLLECTION, { vector: [1, 0, 0], limit: 9, filter });
      expect(ids(await search(mixed))).toEqual(["pod", "dns", "half"]);
      const pod = { op: "equals", field: "kind", value: "Pod" } as const;
      expect(ids(await search({ op: "and", filters: [pod, mixed] }))).toEqual(["pod", "dns"]);
      for (const filter of [
        { ...mixed, values: [0.5, 3.5] } as const,
        { op: "equals", field: "restarts", value: 0.5 } as const,
      ])
        expect(ids(await store.find(COLLECTION, { limit: 9, filter }))).toEqual(["half"]);
    });

    it("applies a not_in filter, which also matches records without the field", async () => {
      await store.store(COLLECTION, [{ id: "plain", vector: [0, 0, 1], text: "plain", metadata: { restarts: 1 } }]);
      const filter = { op: "not_in", field: "kind", values: ["Pod", "Service"] } as const;
      expect(ids(await store.search(COLLECTION, { vector: [1, 0, 0], limit: 9, filter }))).toEqual(["node", "plain"]);
    });

    it("refuses an empty not_in", async () => {
      const filter = { op: "not_in", field: "kind", values: [] } as const;
      await expect(store.find(COLLECTION, { limit: 3, filter })).rejects.toMatchObject({ failure: "refused" });
    });

    it("applies two filters", async () => {
      const filter = {
        op: "and",
        filters: [
          { op: "equals", field: "kind", value: "Pod" },
          { op: "equals", field: "namespace", value: "infra" },
        ],
      } as const;
      expect(ids(await store.search(COLLECTION, { vector: [1, 0, 0], limit: 3, filter }))).toEqual(["dns"]);
    });

    it("applies an and of one filter and nested filters", async () => {
      const pod = { op: "equals", field: "kind", value: "Pod" } as const;
      const nested = {
        op: "and",
        filters: [pod, { op: "and", filters: [{ op: "in", field: "restarts", values: [7, 8] }] }],
      } as const;
      expect(
        ids(await store.search(COLLECTION, { vector: [0, 1, 0], limit: 3, filter: { op: "and", filters: [pod] } })),
      ).toEqual(["dns", "pod"]);
      expect(ids(await store.search(COLLECTION, { vector: [0, 1, 0], limit: 3, filter: nested }))).toEqual(["pod"]);
    });

    it("refuses an empty in", async () => {
      const filter = { op: "in", field: "kind", values: [] } as const;
      await expect(store.find(COLLECTION, { limit: 3, filter })).rejects.toMatchObject({ failure: "refused" });
    });

    it("refuses an empty and", async () => {
      const search = store.search(COLLECTION, { vector: [1, 0, 0], limit: 3, filter: { op: "and", filters: [] } });
      await expect(search).rejects.toMatchObject({ failure: "refused" });
    });

    it("finds an exact substring, alone and together with a vector and a filter", async () => {
      expect(ids(await store.find(COLLECTION, { limit: 9, containing: "kube-dns" }))).toEqual(["dns"]);
      expect(
        ids(await store.search(COLLECTION, { vector: [0, 1, 0], limit: 9, containing: "CrashLoopBackOff" })),
      ).toEqual(["pod"]);
      const filter = { op: "equals", field: "namespace", value: "shop" } as const;
      expect(ids(await store.search(COLLECTION, { vector: [0, 1, 0], limit: 9, containing: "pod", filter }))).toEqual([
        "pod",
      ]);
      expect(await store.find(COLLECTION, { limit: 9, containing: "crashloopbackoff" })).toEqual([]);
    });

    it("deletes by id and ignores unknown ids", async () => {
      await store.delete(COLLECTION, ["pod", "unknown"]);
      expect(ids(await store.search(COLLECTION, { vector: [1, 0, 0], limit: 3 }))).toEqual(["dns", "node"]);
    });

    it("distinguishes records with long ids and returns their full ids", async () => {
      const long = `monitoring/monitoring.example.com/v1/PrometheusRule/${"é".repeat(200)}`;
      const records = ["a", "b"].map((end, i) => ({
        id: `${long}-${end}`,
        vector: [1, i, 0],
        text: end,
        metadata: i === 0 ? { kind: "Rule" } : {},
      }));
      const own = records.map(({ id }) => id);
      const [first = "", second = ""] = own;
      await store.drop(COLLECTION);
      await store.store(COLLECTION, records);
      await store.store(COLLECTION, records);
      const hits = await store.search(COLLECTION, { vector: [1, 0, 0], limit: 9 });
      expect(hits.map(({ id, text, metadata }) => ({ id, text, metadata }))).toEqual(
        records.map(({ id, text, metadata }) => ({ id, text, metadata })),
      );
      expect(ids(await store.find(COLLECTION, { limit: 9, containing: "b" }))).toEqual([second]);
      expect((await store.ids(COLLECTION, { offset: 0, limit: 9 })).sort()).toEqual(own);
      expect([...(await store.vectors(COLLECTION, own)).keys()].sort()).toEqual(own);
      await store.delete(COLLECTION, [first]);
      expect(await store.ids(COLLECTION, { offset: 0, limit: 9 })).toEqual([second]);
    });

    it("returns the vectors of stored ids", async () => {
      const vectors = await store.vectors(COLLECTION, ["node", "unknown"]);
      expect([...vectors.keys()]).toEqual(["node"]);
      expect(vectors.get("node")).toEqual([0, 1, 0]);
    });

    it("stores more records than fit in one request", async () => {
      const many = Array.from({ length: 700 }, (_, i) => ({
        id: `r${i}`,
        vector: [1, i, 1],
        text: `record ${i}`,
        metadata: { i },
      }));
      await store.store(COLLECTION, many);
      expect(
        (
          await store.vectors(
            COLLECTION,
            many.map(({ id }) => id),
          )
        ).size,
      ).toBe(700);
      await store.delete(
        COLLECTION,
        many.map(({ id }) => id),
      );
      expect(await store.find(COLLECTION, { limit: 1_000 })).toHaveLength(3);
    });

    it("finds nothing in a collection that does not exist", async () => {
      await store.store(`${COLLECTION}-other`, RECORDS);
      await store.drop(COLLECTION);
      expect(await store.initialize(COLLECTION)).toBe(false);
      expect(await store.search(COLLECTION, { vector: [1, 0, 0], limit: 3 })).toEqual([]);
      expect(await store.find(COLLECTION, { limit: 3 })).toEqual([]);
      expect(await store.ids(COLLECTION, { offset: 0, limit: 3 })).toEqual([]);
      expect(await store.vectors(COLLECTION, ["a"])).toEqual(new Map());
      expect(await store.collections()).not.toContain(COLLECTION);
      await store.drop(`${COLLECTION}-other`);
    });

    it("finds a collection that another process has created meanwhile", async () => {
      await store.drop(COLLECTION);
      expect(await store.find(COLLECTION, { limit: 3 })).toEqual([]);
      await factory.create(FINGERPRINT).store(COLLECTION, RECORDS);
      expect(await store.initialize(COLLECTION)).toBe(true);
      expect(await store.find(COLLECTION, { limit: 9 })).toHaveLength(RECORDS.length);
    });

    it("works after another process dropped and recreated the collection", async () => {
      const other = factory.create(FINGERPRINT);
      await other.drop(COLLECTION);
      await other.store(COLLECTION, [{ id: "new", vector: [1, 0, 0], text: "new", metadata: {} }]);
      const hits = await store.search(COLLECTION, { vector: [1, 0, 0], limit: 3 });
      expect(hits.map(({ id, metadata }) => ({ id, metadata }))).toEqual([{ id: "new", metadata: {} }]);
    });

    it("refuses a collection with vectors of another model and names both models and the command", async () => {
      const other = factory.create("model-b/3");
      const search = other.search(COLLECTION, { vector: [1, 0, 0], limit: 3 });
      await expect(search).rejects.toBeInstanceOf(DependencyError);
      await expect(search).rejects.toMatchObject({ failure: "model_mismatch" });
      await expect(search).rejects.toThrow(/model-a\/3.*model-b\/3.*dejavu reindex/);
      await expect(other.store(COLLECTION, RECORDS)).rejects.toMatchObject({ failure: "model_mismatch" });
    });

    it("returns the server's version", async () => {
      expect(await store.version()).toMatch(/\d/);
    });
  });
}
