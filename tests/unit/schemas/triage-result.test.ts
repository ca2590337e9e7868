import { describe, expect, it } from "vitest";
import { recalledHits } from "../../../functions/investigation/evidence/recalled-hits.ts";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { hitOf, recallOf, samplePastIncident, sampleResult, sampleRunbook } from "../investigation/samples.ts";

/** A result as it was stored before hits had a probability. */
function storedBefore(): unknown {
  const runbook = sampleRunbook("# T\n\nWords.");
  const hits = runbook.sections.map((section) => hitOf(section));
  const recall = recallOf({ runbooks: [{ ...runbook, hits }], incidents: [samplePastIncident("past")] });
  const recalled = recalledHits(recall, { POSSIBLE_THRESHOLD: 0.3, RUNBOOK_RECALL_LIMIT: 5 });
  const withGrounding = ({ probability, relevance: _, ...hit }: { probability: number; relevance: unknown }) => ({
    ...hit,
    grounding: probability,
  });
  const { possible_causes: _, ...answer } = sampleResult().answer;
  const statement = { text: "It was killed.", citations: [], supported: true };
  return {
    ...sampleResult(),
    answer: { ...answer, evidence: [{ ...statement, quote: null }], worked_before: [statement] },
    recalled: {
      ...recalled,
      runbooks: recalled.runbooks.map(withGrounding),
      incidents: recalled.incidents.map(withGrounding),
    },
  };
}

describe("a result that was stored with groundings", () => {
  const result = triageResultSchema.parse(storedBefore());

  it("is read with the groundings as probabilities and without their parts", () => {
    for (const hit of [...result.recalled.runbooks, ...result.recalled.incidents]) {
      expect(hit).toMatchObject({ probability: 0.8, relevance: null, relevant: true });
      expect(hit).not.toHaveProperty("grounding");
    }
  });

  it("has no candidates, no places and no fix of the same failure", () => {
    expect(result.answer.possible_causes).toEqual([]);
    expect(result.answer.evidence).toMatchObject([{ place: null }]);
    expect(result.answer.worked_before).toMatchObject([{ same_failure: false }]);
  });
});

it("a hit needs a probability", () => {
  const stored = triageResultSchema.parse(storedBefore());
  const runbooks = stored.recalled.runbooks.map(({ probability: _, ...hit }) => hit);
  expect(triageResultSchema.safeParse({ ...stored, recalled: { ...stored.recalled, runbooks } }).success).toBe(false);
});
