import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearestProcedure, procedureRow } from "../../../functions/memory/procedures.ts";
import type { ProcedureState } from "../../../functions/memory/recall-state.ts";
import { sampleNewProcedure } from "./samples.ts";

function stateOf(...procedures: readonly (Partial<ProcedureState> & { readonly id: string })[]) {
  const whole = procedures.map((each) => ({
    query: "oom killed",
    strategy: "retrieval_hits=3, memory_hits=1, reflected=false",
    answer: "Its cache had grown.",
    confidence: 0.9,
    useCount: 1,
    lastUsedAt: new Date("2026-02-10T08:00:00Z"),
    ...each,
  }));
  return { procedures: new Map(whole.map((each) => [each.id, each])) };
}

/** Closely related texts have a cosine of 0.5, unrelated ones of 0. */
const SCALE = { unrelated: 0.5, close: 0.75 };
const hit = (id: string, cosine: number) => ({ id, distance: 1 - cosine });
const nearest = (hits: readonly ReturnType<typeof hit>[], state: ReturnType<typeof stateOf>) =>
  nearestProcedure(hits, state, SCALE);

describe("the recalled procedure", () => {
  it.each([
    [0.4499, false],
    [0.4501, true],
    [0.5, true],
    [1, true],
    [0, false],
    [-1, false],
  ])("of a cosine of %d is shown: %s", (cosine, isShown) => {
    expect(nearest([hit("a", cosine)], stateOf({ id: "a" })) !== null).toBe(isShown);
  });

  it("is what Postgres says of it, with how near it is", () => {
    const state = stateOf({ id: "a", useCount: 2.5, confidence: 0.8 });
    expect(nearest([hit("a", 0.8)], state)).toEqual({
      ...state.procedures.get("a"),
      cosine: expect.closeTo(0.8),
      isSame: true,
    });
  });

  it("is the nearest one, regardless of use counts and order", () => {
    const state = stateOf({ id: "near" }, { id: "far", useCount: 100 });
    for (const hits of [
      [hit("near", 0.9), hit("far", 0.8)],
      [hit("far", 0.8), hit("near", 0.9)],
    ]) {
      expect(nearest(hits, state)?.id).toBe("near");
    }
  });

  it("is among equally near ones the more used, then the first by id", () => {
    const state = stateOf({ id: "a" }, { id: "b", useCount: 3 }, { id: "c", useCount: 3 });
    expect(nearest([hit("a", 0.8), hit("c", 0.8), hit("b", 0.8)], state)?.id).toBe("b");
  });

  it("is none that was archived or forgotten, although the index still finds it", () => {
    expect(nearest([hit("gone", 0.95)], stateOf())).toBeNull();
    expect(nearest([hit("gone", 0.95), hit("a", 0.8)], stateOf({ id: "a" }))?.id).toBe("a");
  });

  it("is none where nothing was found", () => {
    expect(nearest([], stateOf({ id: "a" }))).toBeNull();
  });

  it.each([
    [0.5999, false],
    [0.6001, true],
    [1, true],
  ])("of a cosine of %d is the same one: %s", (cosine, isSame) => {
    expect(nearest([hit("a", cosine)], stateOf({ id: "a" }))?.isSame).toBe(isSame);
  });
});

describe("the row of a procedure", () => {
  const hashOf = (query: string) => procedureRow(sampleNewProcedure({ query })).query_hash;

  it("holds the query, the way, the answer, and what the index will hold of it", () => {
    expect(procedureRow(sampleNewProcedure())).toEqual({
      id: "procedure-1",
      domain: "docker",
      query: "oom killed api-gateway exited",
      query_hash: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      strategy: "retrieval_hits=3, memory_hits=1, reflected=false",
      answer: "Its cache had grown.",
      confidence: 0.9,
      triage_id: "triage-1",
      metadata: { domain: "docker", confidence: 0.9 },
      content_hash: expect.stringMatching(/^[0-9a-f]{64}\.[0-9a-f]{64}$/),
    });
  });

  it("names a query however it is spaced and capitalised", () => {
    expect(new Set(["oom killed api", " OOM  Killed\n\tAPI ", "Oom killed Api"].map(hashOf)).size).toBe(1);
  });

  it.each(["oom killed ap", "oom killed api.", "oomkilled api", "api oom killed"])(
    "distinguishes %j from another query",
    (query) => {
      expect(hashOf(query)).not.toBe(hashOf("oom killed api"));
    },
  );

  it("keeps 300 characters of the answer and 2,000 of the query", () => {
    const { answer, query } = procedureRow(sampleNewProcedure({ answer: "a".repeat(301), query: "q".repeat(2_001) }));
    expect([answer, query]).toEqual([`${"a".repeat(299)}…`, `${"q".repeat(1_999)}…`]);
    expect(procedureRow(sampleNewProcedure({ answer: "a".repeat(300) })).answer).toBe("a".repeat(300));
  });

  it("splits no character of any answer", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 250, maxLength: 400 }), (text) => {
        const { answer } = procedureRow(sampleNewProcedure({ answer: text }));
        expect(answer.length).toBeLessThanOrEqual(300);
        expect(answer.isWellFormed()).toBe(true);
      }),
    );
  });

  it("has the text of its query alone: another answer needs no other vector", () => {
    const textOf = (changes: Parameters<typeof sampleNewProcedure>[0]) =>
      procedureRow(sampleNewProcedure(changes)).content_hash.split(".")[0];
    expect(textOf({ answer: "Another.", confidence: 0.8, strategy: "" })).toBe(textOf({}));
    expect(textOf({ query: "another" })).not.toBe(textOf({}));
  });
});
