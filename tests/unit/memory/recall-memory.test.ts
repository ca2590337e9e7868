import { describe, expect, it } from "vitest";
import type { Observation } from "../../../functions/memory/observation.ts";
import { type MemoryQuery, recallMemory } from "../../../functions/memory/recall-memory.ts";
import { type Planted, type PlantedIncident, plantedStores, QUERY_VECTOR } from "./sample-stores.ts";
import { sampleObservation } from "./samples.ts";

const NOW = new Date("2026-02-10T08:00:00Z");
const DAY_MS = 86_400_000;
const FIX = { text: "More memory.", by: "dana", at: NOW };

const SCOPE = { only: null, preferred: {}, excluded: [] };
const QUERY: MemoryQuery = {
  scope: SCOPE,
  domain: "docker",
  vector: Promise.resolve(QUERY_VECTOR),
  keywords: "killed",
  failure: { vector: Promise.resolve(QUERY_VECTOR), keywords: "killed", scope: SCOPE },
  candidates: 20,
  incidentType: undefined,
  excludedIds: ["incident-now"],
  fingerprint: "key-now",
  sessionId: "session-now",
  sessionPastAnswers: [],
  now: NOW,
  limits: { maxDistance: 1.5, halfLifeDays: 100, sessionBoost: 0.2, pastAnswers: 3 },
};

const recall = (planted: Planted, changes: Partial<MemoryQuery> = {}) =>
  recallMemory(plantedStores(planted), { ...QUERY, ...changes });

/** An incident that the index and Postgres know alike. */
function incident(
  id: string,
  match: Omit<PlantedIncident, "known" | "indexed">,
  changes: Partial<Observation> = {},
): PlantedIncident {
  const observation = sampleObservation({ id, firstSeenAt: NOW, lastSeenAt: NOW, ...changes });
  return { known: observation, indexed: observation, ...match };
}

function memory(id: string, cosine: number, changes: Partial<NonNullable<Planted["pastAnswers"]>[number]> = {}) {
  return {
    id,
    cosine,
    question: `Why does ${id} restart?`,
    answer: "Its cache had grown.",
    createdAt: NOW,
    sessionId: "session-0",
    rating: 0,
    isSummary: false,
    ...changes,
  };
}

const procedure = {
  ...{ id: "procedure-1", query: "oom killed", strategy: "", answer: "It leaked.", confidence: 0.9 },
  ...{ useCount: 3, lastUsedAt: NOW, cosine: 0.8 },
};
const similarities = ({ incidents }: Awaited<ReturnType<typeof recallMemory>>) =>
  incidents.map(({ document, ranking }) => [document.id, ranking.similarity]);
const failuresOf = ({ missing }: Awaited<ReturnType<typeof recallMemory>>) =>
  missing.map(({ dependency, failure }) => `${dependency} ${failure}`);

describe("past incidents", () => {
  it("are ranked by similarity, quality, review and age, and show the parts", async () => {
    const seenAt = [new Date(NOW.getTime() - 100 * DAY_MS)];
    const { incidents } = await recall({
      incidents: [incident("a", { cosine: 0.6 }, { finalScore: 6, reviewScore: 2, seenAt })],
    });
    expect(incidents[0]?.ranking).toEqual({
      similarity: expect.closeTo(0.8),
      quality: 0.3,
      adjust: 1.3,
      decay: 0.5,
    });
    expect(incidents[0]?.score).toBeCloseTo((0.7 * 0.8 + 0.3 * 0.3) * 1.3 * 0.5, 9);
  });

  it("come best first, a good run before a poor one that is a little nearer, and equals by id", async () => {
    const incidents = [
      incident("poor", { cosine: 0.9 }, { finalScore: 2 }),
      incident("good-b", { cosine: 0.8 }, { finalScore: 9 }),
      incident("good-a", { cosine: 0.8 }, { finalScore: 9 }),
    ];
    expect((await recall({ incidents })).incidents.map(({ document }) => document.id)).toEqual([
      "good-a",
      "good-b",
      "poor",
    ]);
  });

  it("come nearest first, if they have the same words in common", async () => {
    const incidents = [incident("a", { cosine: 0.3, bm25: 2 }), incident("b", { cosine: 0.4, bm25: 2 })];
    expect(similarities(await recall({ incidents }))).toEqual([
      ["b", 1],
      ["a", 1],
    ]);
  });

  it("are none beyond the greatest distance", async () => {
    const incidents = [incident("near", { cosine: -0.5 }), incident("far", { cosine: -0.51 })];
    expect((await recall({ incidents })).incidents.map(({ document }) => document.id)).toEqual(["near"]);
  });

  it("are none that asks itself, nor one that was forgotten", async () => {
    const forgotten = { ...incident("gone", { cosine: 0.9 }), known: null };
    const { incidents } = await recall({ incidents: [incident("incident-now", { cosine: 1 }), forgotten] });
    expect(incidents).toEqual([]);
  });

  it("have the state of Postgres, not that of the index", async () => {
    const stale = incident("a", { cosine: 0.9 });
    const stored = sampleObservation({ id: "a", occurrences: 7, resolution: FIX });
    const [incidentHit] = (await recall({ incidents: [{ ...stale, known: stored }] })).incidents;
    expect(incidentHit?.observation).toEqual(stored);
    expect(incidentHit?.document.body).toContain("Resolution: More memory.");
  });

  it("are as alike as the words in common, best of all being 1", async () => {
    const incidents = [
      incident("dense", { cosine: 0.9 }),
      incident("both", { cosine: 0.6, bm25: 4.5 }),
      incident("words", { bm25: 9 }),
    ];
    expect(similarities(await recall({ incidents }))).toEqual([
      ["words", 1],
      ["both", 0.5],
      ["dense", 0],
    ]);
  });

  it("are as near as their vectors where none has a word in common", async () => {
    expect(similarities(await recall({ incidents: [incident("dense", { cosine: 0.9 })] }))).toEqual([
      ["dense", expect.closeTo(0.95)],
    ]);
  });

  it("are as far as the last of the nearest where keywords alone found them, and unknown if those are all", async () => {
    const incidents = [incident("a", { cosine: 0.9 }), incident("b", { cosine: 0.5 }), incident("words", { bm25: 9 })];
    const distanceOfWords = async (candidates: number) =>
      (await recall({ incidents }, { candidates })).incidents.find(({ document }) => document.id === "words")?.distance;
    expect(await distanceOfWords(1)).toBeCloseTo(0.5, 9);
    expect(await distanceOfWords(2)).toBeUndefined();
  });

  it("are not alike for being of one service: its name is rare and says nothing of what failed", async () => {
    const service = incident(
      "service",
      { cosine: 0.5, bm25: 9, terms: { "api-gateway": 5, api: 2, gateway: 2, killed: 1 } },
      { target: "api-gateway" },
    );
    const cause = incident("cause", { cosine: 0.5, bm25: 4, terms: { killed: 1, heap: 3 } }, { target: "ledger" });
    const keywords = "api-gateway killed heap";
    expect(
      similarities(await recall({ incidents: [service, cause] }, { failure: { ...QUERY.failure, keywords } })),
    ).toEqual([
      ["cause", 1],
      ["service", 0.25],
    ]);
  });

  it("count a word once, however often the log repeats it", async () => {
    const retried = incident("retried", { cosine: 0.5, bm25: 6, terms: { retry: 2 * (1 + Math.log(3)) } });
    const cause = incident("cause", { cosine: 0.5, bm25: 4, terms: { kill: 4 } });
    const keywords = "killed retry retry retry";
    expect(
      similarities(await recall({ incidents: [retried, cause] }, { failure: { ...QUERY.failure, keywords } })),
    ).toEqual([
      ["cause", 1],
      ["retried", expect.closeTo(0.5)],
    ]);
  });

  it("are as alike as the keywords say where no vectors can be compared", async () => {
    const incidents = [incident("best", { bm25: 8 }), incident("half", { bm25: 4 })];
    const memory = await recall({ incidents, isChromaAway: true });
    expect(similarities(memory)).toEqual([
      ["best", 1],
      ["half", 0.5],
    ]);
    expect(failuresOf(memory)).toContain("vector_store unreachable");
    expect(memory.failed).toBe(false);
  });
});

describe("past answers", () => {
  const idsOf = async (planted: Planted, changes: Partial<MemoryQuery> = {}) =>
    (await recall(planted, changes)).pastAnswers.map(({ id }) => id);

  it("are those that are alike, from a quarter of the way between nothing and much in common on", async () => {
    expect(await idsOf({ pastAnswers: [memory("alike", 0.36), memory("other", 0.34)] })).toEqual(["alike"]);
  });

  it("are ranked by similarity, ratings, session and age, and show the parts", async () => {
    const createdAt = new Date(NOW.getTime() - 200 * DAY_MS);
    const own = memory("own", 0.8, { createdAt, rating: 100, sessionId: "session-now" });
    const [pastAnswer] = (await recall({ pastAnswers: [own] })).pastAnswers;
    expect(pastAnswer?.ranking).toEqual({ cosine: expect.closeTo(0.8), rating: 0.1, session: 0.2, decay: 0.25 });
    expect(pastAnswer?.score).toBeCloseTo((0.8 + 0.1 + 0.2) * 0.25, 9);
  });

  it("of the same session come before those that are a little nearer, also beyond the candidates", async () => {
    const pastAnswers = [memory("near", 0.8), memory("own", 0.65, { sessionId: "session-now" })];
    expect(await idsOf({ pastAnswers }, { candidates: 1, sessionPastAnswers: ["own"] })).toEqual(["own", "near"]);
    expect(await idsOf({ pastAnswers }, { candidates: 1 })).toEqual(["near"]);
  });

  it("are as many as are wanted, best first, equals by id", async () => {
    const pastAnswers = [memory("d", 0.7), memory("c", 0.9), memory("b", 0.8), memory("a", 0.8)];
    expect(await idsOf({ pastAnswers })).toEqual(["c", "a", "b"]);
    expect(await idsOf({ pastAnswers }, { limits: { ...QUERY.limits, pastAnswers: 0 } })).toEqual([]);
  });

  it("are heard once where the same was asked and the same was answered, however it was capitalised", async () => {
    const same = { question: "Why does it restart?" };
    const pastAnswers = [
      memory("twice", 0.8, { question: "WHY DOES IT RESTART?" }),
      memory("once", 0.9, same),
      memory("fixed", 0.7, { ...same, answer: "Fixed by: more memory." }),
    ];
    expect(await idsOf({ pastAnswers })).toEqual(["once", "fixed"]);
  });

  it("are none that were forgotten", async () => {
    expect(await idsOf({ pastAnswers: [memory("gone", 0.9, { isForgotten: true })] })).toEqual([]);
  });
});

describe("what is known beside", () => {
  it("is the procedure and the record of the same failure", async () => {
    const repeatOf = sampleObservation({ id: "repeat" });
    const memory = await recall({ procedures: [procedure], repeatOf });
    expect(memory.procedure).toMatchObject({ id: "procedure-1", useCount: 3, cosine: expect.closeTo(0.8) });
    expect(memory.repeatOf).toEqual(repeatOf);
    expect([memory.missing, memory.failed]).toEqual([[], false]);
  });

  it("is nothing where nothing is known", async () => {
    expect(await recall({})).toEqual({
      ...{
        incidents: [],
        pastAnswers: [],
        procedure: null,
        separated: [],
        corrections: [],
        repeatOf: null,
        isAmbiguous: false,
      },
      ...{ terms: {}, records: new Map(), missing: [], failed: false },
    });
  });
});

describe("without Postgres", () => {
  const planted: Planted = {
    incidents: [incident("a", { cosine: 0.9 }, { resolution: FIX, occurrences: 7 })],
    pastAnswers: [memory("m", 0.9, { rating: 5, question: "Why?" })],
    procedures: [procedure],
    repeatOf: sampleObservation(),
  };

  it.each([
    ["is unavailable from the start", ["search_collections", "recall_state"]],
    ["fails in between", ["recall_state"]],
  ])("that %s, the index's copy is used", async (_case, failing) => {
    const memory = await recall({ ...planted, failing });
    expect(memory.incidents[0]?.observation).toMatchObject({ resolution: FIX, occurrences: 1 });
    expect(memory.pastAnswers[0]).toMatchObject({
      question: "Why?",
      answer: "Its cache had grown.",
      rating: 0,
      createdAt: NOW,
    });
    expect([memory.procedure, memory.repeatOf, memory.failed]).toEqual([null, null, false]);
    expect(failuresOf(memory)).toContain("database unreachable");
  });

  it("a summary in `general` is left out: it may be of domains that the caller does not see", async () => {
    const summary = memory("summary", 0.95, { isSummary: true });
    const failing = ["search_collections", "recall_state"];
    const { pastAnswers } = await recall({ ...planted, pastAnswers: [summary, memory("m", 0.9)], failing });
    expect(pastAnswers.map(({ id }) => id)).toEqual(["m"]);
  });

  it("that timed out is not waited for again", async () => {
    const stores = plantedStores({ ...planted, failing: ["search_collections", "recall_state"] });
    await recallMemory(stores, QUERY);
    expect(stores.called).toEqual(["search_collections"]);
  });

  it("and without the index nothing can be searched", async () => {
    const memory = await recall({ ...planted, failing: ["search_collections", "recall_state"], isChromaAway: true });
    expect([memory.incidents, memory.pastAnswers, memory.failed]).toEqual([[], [], true]);
    expect(new Set(failuresOf(memory))).toEqual(new Set(["vector_store unreachable", "database unreachable"]));
  });
});
