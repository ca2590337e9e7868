import { describe, expect, it } from "vitest";
import { recall } from "../../../../functions/investigation/recall/recall.ts";
import { RecallUnavailable } from "../../../../functions/investigation/recall/recall-result.ts";
import type { Observation } from "../../../../functions/memory/observation.ts";
import { type Planted, plantedStores } from "../../memory/sample-stores.ts";
import { sampleObservation } from "../../memory/samples.ts";
import { NOW, sampleIncident, sampleMemory, sampleServices } from "../samples.ts";

const FIXED = { resolution: { text: "More memory.", by: null, at: NOW } };

function incident(id: string, cosine: number, changes: Partial<Observation> = {}) {
  const observation = sampleObservation({ id, target: "other", firstSeenAt: NOW, lastSeenAt: NOW, ...changes });
  return { known: observation, indexed: observation, cosine };
}

/** The sample incident's target is api-gateway. */
function recalled(
  planted: Planted,
  environment: Readonly<Record<string, string>> = {},
  target: string | null = "api-gateway",
) {
  return recall({ ...sampleServices({ environment }), ...plantedStores(planted) }, sampleIncident({ target }), {
    sessionPastAnswers: [],
    attached: [],
  });
}

async function order(incidents: Planted["incidents"], environment = {}, target: string | null = "api-gateway") {
  const recall = await recalled({ incidents: incidents ?? [] }, environment, target);
  return recall.incidents.map(({ hit }) => hit.document.id);
}

describe("the order of past incidents", () => {
  it("puts fixed incidents before unfixed ones at any score", async () => {
    const planted = [incident("seen", 1), incident("fixed", 0.7, FIXED)];
    expect(await order(planted, { POSSIBLE_THRESHOLD: "0" })).toEqual(["fixed", "seen"]);
  });

  it("does not promote an irrelevant fixed incident", async () => {
    const planted = [incident("seen", 1), incident("fixed", 0.7, { ...FIXED, taskType: "disk_full", title: "Unlike" })];
    expect(await order(planted, { ANSWER_THRESHOLD: "1", POSSIBLE_THRESHOLD: "1" })).toEqual(["seen", "fixed"]);
  });

  it("sorts fixed and unfixed incidents by score", async () => {
    const planted = [incident("b", 0.6), incident("a", 0.9), incident("d", 0.5, FIXED), incident("c", 0.8, FIXED)];
    expect(await order(planted, { POSSIBLE_THRESHOLD: "0" })).toEqual(["c", "d", "a", "b"]);
  });

  it("sorts irrelevant incidents by similarity, whatever their age", async () => {
    const longAgo = new Date(NOW.getTime() - 900 * 24 * 60 * 60 * 1_000);
    const planted = [incident("a", 0.6), incident("b", 0.9, { lastSeenAt: longAgo, seenAt: [longAgo] })];
    const environment = { ANSWER_THRESHOLD: "1", POSSIBLE_THRESHOLD: "1" };
    expect(await order(planted, environment)).toEqual(["b", "a"]);
    expect(await order(planted, { POSSIBLE_THRESHOLD: "0" })).toEqual(["a", "b"]);
  });

  it("puts incidents of the same target first at nearly equal scores", async () => {
    const same = { target: "api-gateway" };
    expect(await order([incident("a", 0.8), incident("z", 0.8, same)])).toEqual(["z", "a"]);
    expect(await order([incident("a", 0.801), incident("z", 0.8, same)])).toEqual(["z", "a"]);
  });

  it("ignores the target if the report has none", async () => {
    const planted = [incident("a", 0.801), incident("z", 0.8, { target: null })];
    expect(await order(planted, {}, null)).toEqual(["a", "z"]);
  });

  it("is cut at the limit after sorting", async () => {
    const planted = [incident("a", 0.9), incident("b", 0.8), incident("c", 0.7, FIXED)];
    const environment = { POSSIBLE_THRESHOLD: "0", INCIDENT_RECALL_LIMIT: "2" };
    expect(await order(planted, environment)).toEqual(["c", "a"]);
  });
});

describe("a recall", () => {
  it("is empty without failures in empty stores", async () => {
    expect(await recalled({})).toEqual({
      ...{ runbooks: [], incidents: [], pastAnswers: [], procedure: null, repeatOf: null, missing: [] },
      namedCause: null,
      lookedFurther: false,
      runbooksLoading: false,
      answerProbabilities: new Map(),
      checks: [],
    });
  });

  it("gives a past answer the probability of the most probable record that it is about", async () => {
    const pastAnswer = { ...sampleMemory("answer-1"), cosine: 0.9 };
    const records = { "answer-1": ["b", "a", "not recalled"], "answer-2": ["not recalled"] };
    const { answerProbabilities, incidents } = await recalled({
      incidents: [incident("a", 0.9, { target: "api-gateway" }), incident("b", 0.4, { title: "Unlike" })],
      pastAnswers: [pastAnswer],
      records,
    });
    const probabilities = new Map(incidents.map(({ hit, relevance }) => [hit.observation.id, relevance.probability]));
    expect(probabilities.get("a")).toBeGreaterThan(probabilities.get("b") ?? 0);
    expect(answerProbabilities).toEqual(new Map([["answer-1", probabilities.get("a")]]));
  });

  it("names each unavailable dependency once", async () => {
    const { missing } = await recalled({ isChromaAway: true });
    expect(missing.map(({ dependency }) => dependency)).toEqual(["vector_store"]);
  });

  it("fails if neither layer can be searched", async () => {
    const recall = recalled({ isChromaAway: true, failing: ["search_collections", "recall_state"] });
    await expect(recall).rejects.toBeInstanceOf(RecallUnavailable);
  });
});
