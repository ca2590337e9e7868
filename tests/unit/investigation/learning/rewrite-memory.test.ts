import { describe, expect, it } from "vitest";
import type { AffectedMemory } from "../../../../functions/incidents/detail/text-removals.ts";
import { recalledHits } from "../../../../functions/investigation/evidence/recalled-hits.ts";
import { rewriteMemory } from "../../../../functions/investigation/learning/rewrite-memory.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { sampleObservation } from "../../memory/samples.ts";
import { NOW, recallOf, sampleConfig, sampleResult, sampleRunbook } from "../samples.ts";

const QUOTED = "The kernel kills a container that goes over its memory limit.";
const DELETED = sampleRunbook(`# Killed\n\n${QUOTED}\n`);
const RECALLED = recalledHits(recallOf({ runbooks: [DELETED] }), { POSSIBLE_THRESHOLD: 0.5, RUNBOOK_RECALL_LIMIT: 5 });
const INCIDENT: AffectedMemory["incident"] = {
  ...{
    id: "incident-now",
    created_at: NOW.toISOString(),
    session_id: "session-1",
    status: "triaged",
    severity: "high",
  },
  ...{ title: "api-gateway container exited with code 137", question: null, target: "api-gateway", labels: {} },
  ...{
    logs: null,
    runbook: null,
    expression: null,
    reported_by: null,
    reported_title: null,
    owner: null,
    acknowledged_at: null,
    acknowledged_by: null,
    previous_id: null,
    queued_at: null,
    benign: false,
    imported: null,
    merged_into: null,
    split_from: null,
  },
  ...{
    domain: "docker",
    domain_rule: "words",
    answer_domain: null,
    incident_type: "oom_killed",
    incident_type_rule: "words",
  },
  ...{ resolution: null, resolved_by: null, resolved_at: null, resolved_by_caller: null, worked: null },
};
const FIXED = { resolution: "Raised the limit.", resolved_by: "dana", resolved_at: NOW.toISOString() };

function rewrite(result: Partial<TriageResult>, changes: Partial<AffectedMemory> = {}) {
  const affected: AffectedMemory = {
    removalId: 1,
    triageId: "triage-1",
    digest: "",
    incident: INCIDENT,
    result: sampleResult(result),
    latest: null,
    pastAnswer: { answer: "", content_hash: "stored" },
    hasProcedure: true,
    observation: sampleObservation({ version: 4 }),
    ...changes,
  };
  return rewriteMemory(affected, { now: NOW, config: sampleConfig() });
}

const extractive = (sources: TriageResult["sources"]): Partial<TriageResult> => ({ mode: "extractive", sources });
const LIMITS = {
  ...{ id: "limits-1", kind: "runbook" as const, title: "Limits" },
  ...{ source: "docker/limits.md", heading: "" },
};

describe("memory after a deletion", () => {
  it("names the sources that remain", () => {
    const { past_answer, procedure_answer, observation } = rewrite(extractive([LIMITS]));
    const explained = 'Explained by the runbook "Limits" (docker/limits.md).';
    expect(past_answer).toMatchObject({ answer: explained, replaces: "stored" });
    expect(procedure_answer).toBe(explained);
    expect(observation).toMatchObject({ version: 4, written_by: "extractive" });
    expect(observation?.narrative).toContain(explained);
    expect(observation?.document.body).toContain(explained);
    expect(observation?.facts).toContain("Runbook: Limits (docker/limits.md)");
  });

  it("names none when none remains", () => {
    const { past_answer, observation } = rewrite(extractive([]));
    expect(past_answer?.answer).toBe("A cause was named.");
    expect(JSON.stringify(observation)).not.toContain("Explained by");
  });

  it("keeps a model's own words, and no quote of a deleted text", () => {
    const summary = { text: `It was killed. ${QUOTED}`, citations: ["limits-1"] };
    const { past_answer, procedure_answer } = rewrite({ answer: { ...EMPTY_ANSWER, summary }, recalled: RECALLED });
    expect(past_answer?.answer).toBe("It was killed.");
    expect(procedure_answer).toBe("It was killed.");
  });

  it.each([
    [true, "Fixed by: Raised the limit. (dana)\nA cause was named."],
    [null, "Fixed by: Raised the limit. (dana)\nA cause was named."],
    [false, "Fixed by: Raised the limit. (dana)"],
  ])("keeps the fix before the answer, which worked: %s", (worked, answer) => {
    const pastAnswer = { answer: "Fixed by: Raised the limit. (dana)\nIt was the limit.", content_hash: "stored" };
    const incident = { ...INCIDENT, ...FIXED, worked };
    expect(rewrite(extractive([]), { incident, pastAnswer }).past_answer?.answer).toBe(answer);
  });

  it("gives a past answer no fix that it did not have", () => {
    const incident = { ...INCIDENT, ...FIXED };
    expect(rewrite(extractive([]), { incident }).past_answer?.answer).toBe("A cause was named.");
  });

  it("describes the observation by the newest answer, and not at all by one that did not help", () => {
    const latest = sampleResult(extractive([LIMITS]));
    expect(rewrite(extractive([]), { latest }).observation?.narrative).toContain('the runbook "Limits"');
    const incident = { ...INCIDENT, ...FIXED, worked: false };
    expect(rewrite(extractive([LIMITS]), { incident }).observation).toMatchObject({
      narrative: "The answer that was given then did not help.",
      facts: expect.not.arrayContaining([expect.stringContaining("Limits")]),
    });
  });

  it("names no cause when the result cannot be read", () => {
    const { past_answer, observation } = rewrite({}, { result: { text: "of another version" } });
    expect(past_answer?.answer).toBe("No cause was confirmed.");
    expect(observation?.narrative).toContain("No cause was confirmed.");
  });

  it("has only the parts that it had", () => {
    const none = { pastAnswer: null, hasProcedure: false, observation: null };
    expect(rewrite({}, none)).toEqual({ past_answer: null, procedure_answer: null, observation: null });
  });
});
