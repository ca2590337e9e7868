import { describe, expect, it } from "vitest";
import { memoryRecallAttributes } from "../../../../functions/investigation/recall/recall-attributes.ts";
import { observationDocument } from "../../../../functions/memory/observation.ts";
import { sampleObservation } from "../../memory/samples.ts";

const NOW = new Date("2026-03-01T03:00:00Z");
const RANKING = { cosine: 0.9, rating: 0, session: 0, decay: 1 };

describe("the span of a recall from a large memory", () => {
  it("shows the best incidents, and the past answers and the procedure behind them", () => {
    const incidents = Array.from({ length: 46 }, (_, i) => {
      const observation = sampleObservation({ id: `incident-${i}` });
      const ranking = { similarity: 1, quality: 1, adjust: 1, decay: 1 };
      return { observation, document: observationDocument(observation), score: 1, contributions: {}, ranking };
    });
    const pastAnswers = ["one", "two", "three"].map((id) => ({
      ...{ id, question: "Why?", answer: "So.", createdAt: NOW, sessionId: "s", rating: 0, isSummary: false },
      ...{ score: 0.9, ranking: RANKING },
    }));
    const procedure = {
      ...{ id: "procedure", query: "killed", strategy: "", answer: "It leaked.", confidence: 0.9, useCount: 3 },
      ...{ lastUsedAt: NOW, cosine: 0.8, isSame: false },
    };
    const attributes = memoryRecallAttributes("killed", { incidents, pastAnswers, procedure, missing: [] });
    const ids = Object.entries(attributes).flatMap(([name, id]) => (name.endsWith(".document.id") ? [id] : []));
    expect(ids.slice(0, 2)).toEqual(["incident-0", "incident-1"]);
    expect(ids.slice(-4)).toEqual(["one", "two", "three", "procedure"]);
    expect(attributes["dejavu.hits"]).toBe(50);
  });
});
