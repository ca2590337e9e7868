import { describe, expect, it } from "vitest";
import { DependencyError } from "../../../../functions/dependencies.ts";
import { createQueryCache, type QueryOutcome } from "../../../../functions/investigation/run/query-cache.ts";
import { createTestTimers } from "../../../support/test-timers.ts";

const { startTimer, expire } = createTestTimers();
const NOW = new Date("2026-03-01T03:00:00Z");
const later = (ms: number) => new Date(NOW.getTime() + ms);
const rows = (value: number): QueryOutcome => ({
  at: NOW,
  result: { ok: true, value: { kind: "rows", columns: ["value"], rows: [[value]] } },
});
const failed = (failure: "timeout" | "cancelled"): QueryOutcome => ({
  at: NOW,
  result: { ok: false, error: new DependencyError("evidence_source", failure, "no answer") },
});

/** Counts the queries, and answers each with the next outcome. */
function createSource(...outcomes: (QueryOutcome | Promise<QueryOutcome>)[]) {
  let queries = 0;
  return {
    ask: async () => outcomes[queries++] ?? rows(0),
    count: () => queries,
  };
}

describe("the results of queries", () => {
  it("count for the same query within the time, and for no other", async () => {
    const cache = createQueryCache(60_000, startTimer);
    const source = createSource(rows(1), rows(2), rows(3));
    expect(await cache.get("a", source.ask, { now: NOW, timeoutMs: 100 })).toEqual(rows(1));
    expect(await cache.get("a", source.ask, { now: later(59_999), timeoutMs: 100 })).toEqual(rows(1));
    expect(await cache.get("b", source.ask, { now: NOW, timeoutMs: 100 })).toEqual(rows(2));
    expect(await cache.get("a", source.ask, { now: later(60_000), timeoutMs: 100 })).toEqual(rows(3));
    expect(source.count()).toBe(3);
  });

  it("are shared while the query is under way", async () => {
    const cache = createQueryCache(60_000, startTimer);
    const { promise, resolve } = Promise.withResolvers<QueryOutcome>();
    const source = createSource(promise);
    const both = Promise.all([
      cache.get("a", source.ask, { now: NOW, timeoutMs: 10_000 }),
      cache.get("a", source.ask, { now: NOW, timeoutMs: 10_000 }),
    ]);
    resolve(rows(1));
    expect(await both).toEqual([rows(1), rows(1)]);
    expect(source.count()).toBe(1);
  });

  it("are not waited for longer than the caller has time", async () => {
    const cache = createQueryCache(60_000, startTimer);
    const source = createSource(new Promise<QueryOutcome>(() => {}));
    void cache.get("a", source.ask, { now: NOW, timeoutMs: 10_000 });
    const second = cache.get("a", source.ask, { now: NOW, timeoutMs: 100 });
    await expire("shared_query");
    expect(await second).toMatchObject({ at: NOW, result: { ok: false, error: { failure: "timeout" } } });
    expect(source.count()).toBe(1);
  });

  it("do not carry the disconnect of one caller to another who waits", async () => {
    const cache = createQueryCache(60_000, startTimer);
    const { promise, resolve } = Promise.withResolvers<QueryOutcome>();
    const source = createSource(promise, rows(2));
    const first = cache.get("a", source.ask, { now: NOW, timeoutMs: 10_000 });
    const second = cache.get("a", source.ask, { now: NOW, timeoutMs: 10_000 });
    resolve(failed("cancelled"));
    expect([await first, await second]).toEqual([failed("cancelled"), rows(2)]);
  });

  it("count as failed for a caller with as much time, and are asked again with more", async () => {
    const cache = createQueryCache(60_000, startTimer);
    const source = createSource(failed("timeout"), rows(2));
    await cache.get("a", source.ask, { now: NOW, timeoutMs: 100 });
    expect(await cache.get("a", source.ask, { now: NOW, timeoutMs: 100 })).toEqual(failed("timeout"));
    expect(await cache.get("a", source.ask, { now: NOW, timeoutMs: 5_000 })).toEqual(rows(2));
  });

  it("are asked again when the first query was dropped, threw, or returned much", async () => {
    const cache = createQueryCache(60_000, startTimer);
    const dropped = createSource(new Promise<QueryOutcome>(() => {}), rows(2));
    void cache.get("dropped", dropped.ask, { now: NOW, timeoutMs: 100 });
    expect(await cache.get("dropped", dropped.ask, { now: later(101), timeoutMs: 100 })).toEqual(rows(2));

    const thrown = createSource(Promise.reject(new TypeError("a bug")), rows(2));
    await expect(cache.get("thrown", thrown.ask, { now: NOW, timeoutMs: 100 })).rejects.toThrow("a bug");
    expect(await cache.get("thrown", thrown.ask, { now: NOW, timeoutMs: 100 })).toEqual(rows(2));

    const large: QueryOutcome = {
      at: NOW,
      result: { ok: true, value: { kind: "rows", columns: ["text"], rows: [["x".repeat(40_000)]] } },
    };
    const much = createSource(large, rows(2));
    expect(await cache.get("much", much.ask, { now: NOW, timeoutMs: 100 })).toEqual(large);
    expect(await cache.get("much", much.ask, { now: NOW, timeoutMs: 100 })).toEqual(rows(2));
  });
});
