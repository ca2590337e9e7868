import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createChromaCache, createChromaStore } from "../../../functions/adapters/chroma.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { info } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { describeVectorStore } from "./vector-store-contract.ts";

const { startTimer, expire, expireHung } = createTestTimers();
const options = {
  tenant: "default_tenant",
  database: "default_database",
  timeoutMs: 5_000,
  startTimer,
  random: () => 0.5,
};
const create = (fingerprint: string) => createChromaStore({ ...options, url: info.urls.chroma, fingerprint });

describeVectorStore("Chroma", { create });

describe("the Chroma adapter", () => {
  it("creates collections with cosine distance", async () => {
    const store = create("space/1");
    await store.store("space-test", [{ id: "a", vector: [1, 0], text: "a", metadata: {} }]);
    const response = await fetch(
      `${info.urls.chroma}/api/v2/tenants/default_tenant/databases/default_database/collections/space-test`,
    );
    expect(await response.json()).toMatchObject({ configuration_json: { hnsw: { space: "cosine" } } });
    await store.drop("space-test");
  });

  it("requests the id of a collection once", async () => {
    await using proxy = await lyingServer({ forwardTo: info.urls.chroma });
    const store = createChromaStore({ ...options, url: proxy.url, fingerprint: "handles/1" });
    await store.store("handle-test", [{ id: "a", vector: [1, 0], text: "a", metadata: {} }]);
    proxy.requests.length = 0;
    await store.search("handle-test", { vector: [1, 0], limit: 1 });
    await store.search("handle-test", { vector: [1, 0], limit: 1 });
    await store.store("handle-test", [{ id: "b", vector: [1, 0], text: "b", metadata: {} }]);
    expect(proxy.requests.map((request) => request.replace(/^.*\//, ""))).toEqual(["query", "query", "get", "upsert"]);
    await store.drop("handle-test");
  });

  it("lists the collections again when another request's listing was dropped", async () => {
    const cache = createChromaCache();
    cache.listing = new Promise(() => {});
    const store = createChromaStore({ ...options, url: info.urls.chroma, fingerprint: "dropped/1", cache });
    const search = store.search("dropped-test", { vector: [1, 0], limit: 1 });
    await expire("shared_listing");
    expect(await search).toEqual([]);
  });

  it("reports a refused connection as unreachable and a hanging server as a timeout", async () => {
    const unreachable = createChromaStore({ ...options, url: "http://127.0.0.1:9", fingerprint: "f" });
    await expect(unreachable.search("x-y-z", { vector: [1], limit: 1 })).rejects.toMatchObject({
      dependency: "vector_store",
      failure: "unreachable",
    });
    await using hanging = await lyingServer({ hang: true });
    const slow = createChromaStore({ ...options, url: hanging.url, fingerprint: "f" });
    expireHung(hanging, "vector_store");
    await expect(slow.search("x-y-z", { vector: [1], limit: 1 })).rejects.toMatchObject({
      dependency: "vector_store",
      failure: "timeout",
    });
  });

  it.each([
    { full: 3, ending: "finds nothing", calls: 4 },
    { full: 100, ending: "is busy", calls: 10 },
  ])(
    "searches again while too many reads are under way: $full times, then it $ending",
    async ({ full, ending, calls }) => {
      const collection = {
        id: "1",
        name: "x-y-z",
        metadata: { fingerprint: "f" },
        configuration_json: {},
        dimension: 1,
      };
      let queries = 0;
      await using crowded = await lyingServer({
        answer: (_, __, ___, path) => {
          if (!path.endsWith("/query")) return { body: JSON.stringify([collection]) };
          queries += 1;
          if (queries <= full)
            return { status: 429, body: JSON.stringify({ error: "RateLimitError", message: "limit" }) };
          return { body: JSON.stringify({ ids: [[]], documents: [[]], metadatas: [[]], distances: [[]] }) };
        },
      });
      const store = createChromaStore({ ...options, url: crowded.url, fingerprint: "f" });
      const search = store.search("x-y-z", { vector: [1], limit: 1 });
      if (ending === "is busy") await expect(search).rejects.toMatchObject({ failure: "busy" });
      else expect(await search).toEqual([]);
      expect(queries).toBe(calls);
    },
  );

  it("searches again while the server builds an index, until the deadline", async () => {
    const collection = { id: "1", name: "x-y-z", metadata: { fingerprint: "f" }, configuration_json: {}, dimension: 1 };
    await using building = await lyingServer({
      answer: (_, call, __, path) => {
        if (!path.endsWith("/query")) return { body: JSON.stringify([collection]) };
        if (call > 10) return "hang";
        return {
          status: 500,
          body: JSON.stringify({ error: "InternalError", message: "hnsw: Nothing found on disk" }),
        };
      },
    });
    const store = createChromaStore({ ...options, url: building.url, fingerprint: "f" });
    expireHung(building, "vector_store");
    await expect(store.search("x-y-z", { vector: [1], limit: 1 })).rejects.toMatchObject({ failure: "timeout" });
    expect(building.requests).toHaveLength(11);
  });

  it("hashes an id with more bytes than Chroma Cloud accepts", async () => {
    const store = create("ids/1");
    await store.store("id-test", [{ id: "x".repeat(129), vector: [1, 0], text: "a", metadata: {} }]);
    const base = `${info.urls.chroma}/api/v2/tenants/default_tenant/databases/default_database/collections`;
    const { id } = z.object({ id: z.string() }).parse(await (await fetch(`${base}/id-test`)).json());
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const response = await (await fetch(`${base}/${id}/get`, init)).json();
    expect(response).toMatchObject({ ids: [expect.stringMatching(/^[0-9a-f]{64}$/)] });
    await store.drop("id-test");
  });

  it.each([401, 403])("reports status %d, an invalid key, as unreachable", async (status) => {
    await using locked = await lyingServer({ answer: () => ({ status, body: "{}" }) });
    const store = createChromaStore({ ...options, url: locked.url, fingerprint: "f" });
    await expect(store.search("x-y-z", { vector: [1], limit: 1 })).rejects.toMatchObject({ failure: "unreachable" });
  });

  it("reports refused when the server rejects the request", async () => {
    const store = create("dimensions/2");
    await store.store("dimension-test", [{ id: "a", vector: [1, 0], text: "a", metadata: {} }]);
    await expect(store.search("dimension-test", { vector: [1, 0, 0], limit: 1 })).rejects.toMatchObject({
      failure: "refused",
    });
    await store.drop("dimension-test");
  });
});
