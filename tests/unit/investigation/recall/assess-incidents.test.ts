import { describe, expect, it } from "vitest";
import { assessIncidents, compareIncidents } from "../../../../functions/investigation/recall/assess-incidents.ts";
import { RELEVANCE_MODELS } from "../../../../functions/investigation/relevance/relevance-model.ts";
import { fingerprintOfReport } from "../../../../functions/memory/observed-report.ts";
import { DEFAULT_CALIBRATION } from "../../../../functions/schemas/calibration.ts";
import { sampleIncident, samplePastIncident } from "../samples.ts";

const STATISTICS = { terms: {}, corrections: {} };

const pastIncident = (id: string, similarity: number, row: Parameters<typeof samplePastIncident>[1] = {}) => {
  const { hit } = samplePastIncident(id, row);
  return { ...hit, ranking: { ...hit.ranking, similarity } };
};

describe("the comparison of a report with past incidents", () => {
  it("leaves out the names of the services on both sides", () => {
    const incident = sampleIncident({
      title: "ledger refuses logins",
      target: "ledger",
      logs: "ERROR ledger: pool is empty",
    });
    const past = pastIncident("a", 0.9, {
      title: "billing refuses logins",
      row: { target: "billing", narrative: "Covered billing.", facts: ["Log: billing: pool is empty"] },
    });
    const { report, candidates } = compareIncidents(incident, [past], STATISTICS);
    expect(report.sequence).not.toContain("ledger");
    expect(report.lines.map(({ text }) => text).join()).not.toContain("ledger");
    expect(JSON.stringify(candidates.map(({ title, texts }) => [title, texts[0]?.body]))).not.toContain("billing");
  });

  it("keeps the name when the report has no other word", () => {
    const { report } = compareIncidents(sampleIncident({ title: "ledger", target: "ledger" }), [], STATISTICS);
    expect(report.sequence).toContain("ledger");
  });

  it("reads log lines, narrative and fix of a record, and none of its circumstances", () => {
    const facts = [
      "Type: oom_killed (words)",
      "Severity: high",
      "Labels: host=a1",
      "Outcome: cause, confidence 0.90",
      "Log: heap is full",
    ];
    const resolution = { text: "Raised the limit.", by: "dana", at: new Date("2026-02-01T09:00:00Z") };
    const past = pastIncident("a", 0.9, { row: { facts, narrative: "It was killed.", resolution } });
    const { candidates } = compareIncidents(sampleIncident(), [past], STATISTICS);
    expect(candidates[0]?.texts[0]?.body).toBe("heap is full\nIt was killed.\nRaised the limit.");
  });

  it("orders by similarity, whatever the age and the score of a record", () => {
    const [old, recent] = [pastIncident("old", 0.9), pastIncident("recent", 0.5)];
    const { hits } = compareIncidents(
      sampleIncident(),
      [
        { ...recent, score: 9 },
        { ...old, score: 1 },
      ],
      STATISTICS,
    );
    expect(hits.map(({ document }) => document.id)).toEqual(["old", "recent"]);
  });

  it("gives each incident a relevance whose contributions sum to its log-odds", () => {
    const hits = [pastIncident("a", 0.9), pastIncident("b", 0.4, { title: "disk is full" })];
    const comparison = compareIncidents(sampleIncident(), hits, STATISTICS);
    const assessed = assessIncidents(RELEVANCE_MODELS.incidents, comparison, DEFAULT_CALIBRATION);
    expect(assessed).toHaveLength(2);
    for (const { relevance } of assessed) {
      const sum = Object.values(relevance.contributions).reduce((total, each) => total + each, 0);
      expect(sum).toBeCloseTo(relevance.logOdds, 9);
    }
  });

  it("takes an exact repeat without error lines for the same failure, and doubts it with lines", () => {
    const incident = sampleIncident({ title: "Something is odd", evidence: { lines: [], state: null } });
    const past = pastIncident("a", 0.9, { title: "Something is odd" });
    const repeat = { ...past, observation: { ...past.observation, fingerprint: fingerprintOfReport(incident) } };
    const probabilityFor = (report: typeof incident, hit: typeof past) =>
      assessIncidents(RELEVANCE_MODELS.incidents, compareIncidents(report, [hit], STATISTICS), DEFAULT_CALIBRATION)[0]
        ?.relevance;
    const repeated = probabilityFor(incident, repeat);
    expect(repeated?.probability).toBeGreaterThanOrEqual(0.8);
    expect(repeated?.contributions).toHaveProperty("repeat");
    expect(probabilityFor(incident, past)?.contributions).not.toHaveProperty("repeat");
    const lines = [{ text: "ERROR quota of tenant 7 exceeded", line: 1, time: null, count: 1, weight: 0.8 }];
    const withLines = { ...incident, evidence: { lines, state: null } };
    expect(probabilityFor(withLines, repeat)?.contributions).not.toHaveProperty("repeat");
  });
});
