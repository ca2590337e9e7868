import { describe, expect, it } from "vitest";
import {
  assessIncidents,
  nearRepeatOf,
  relevanceInputs,
} from "../../../../functions/investigation/recall/assess-incidents.ts";
import type { RecalledIncident } from "../../../../functions/investigation/recall/recall-result.ts";
import { RELEVANCE_MODELS } from "../../../../functions/investigation/relevance/relevance-model.ts";
import { fingerprintOfReport } from "../../../../functions/memory/observed-report.ts";
import { readSignature } from "../../../../functions/memory/read-signature.ts";
import { DEFAULT_CALIBRATION } from "../../../../functions/schemas/calibration.ts";
import { sampleIncident, samplePastIncident, sampleRelevance } from "../samples.ts";

const STATISTICS = { terms: {} };

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
    const { report, records } = relevanceInputs(incident, [past], STATISTICS);
    const [record] = records;
    expect([...report.terms]).not.toContain("ledger");
    expect([...(record?.failure.terms ?? [])]).not.toContain("bill");
    expect([...(record?.failure.terms ?? [])]).toEqual(expect.arrayContaining(["pool", "empty"]));
  });

  it("reads the error lines and the labels of a record", () => {
    const facts = ["Type: oom_killed (words)", "Labels: host=a1, zone=eu", "Log: heap is full"];
    const past = pastIncident("a", 0.9, { row: { facts } });
    const { records } = relevanceInputs(sampleIncident(), [past], STATISTICS);
    const failure = records[0]?.failure;
    expect(failure?.lines.map(({ text }) => text)).toEqual(["heap is full"]);
    expect([...(failure?.labels ?? [])]).toEqual(["host=a1", "zone=eu"]);
  });

  it("orders by similarity, whatever the age and the score of a record", () => {
    const [old, recent] = [pastIncident("old", 0.9), pastIncident("recent", 0.5)];
    const { hits } = relevanceInputs(
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
    const comparison = relevanceInputs(sampleIncident(), hits, STATISTICS);
    const assessed = assessIncidents(RELEVANCE_MODELS.incidents, comparison, DEFAULT_CALIBRATION);
    expect(assessed).toHaveLength(2);
    for (const { relevance } of assessed) {
      const sum = Object.values(relevance.contributions).reduce((total, each) => total + each, 0);
      expect(sum).toBeCloseTo(relevance.logOdds, 9);
    }
  });

  it("is closer to a record with its headline than to one that has as many words in common anywhere", () => {
    const incident = sampleIncident({ title: "Certificate renewal is stuck" });
    const hits = [
      pastIncident("said", 0.8, {
        title: "Deployment is slow",
        row: { narrative: "A certificate renewal was stuck." },
      }),
      pastIncident("named", 0.75, { title: "Renewal of a certificate is stuck" }),
    ];
    const assessed = assessIncidents(
      RELEVANCE_MODELS.incidents,
      relevanceInputs(incident, hits, STATISTICS),
      DEFAULT_CALIBRATION,
    );
    const closeness = new Map(assessed.map((each) => [each.hit.observation.id, each.closeness]));
    expect(closeness.get("named")).toBeGreaterThan(closeness.get("said") ?? 0);
  });

  it("takes an exact repeat for the same failure", () => {
    const incident = sampleIncident({ title: "Something is odd" });
    const past = pastIncident("a", 0.9, { title: "The disk is full" });
    const repeat = { ...past, observation: { ...past.observation, fingerprint: fingerprintOfReport(incident) } };
    const relevanceOfHit = (hit: typeof past) =>
      assessIncidents(RELEVANCE_MODELS.incidents, relevanceInputs(incident, [hit], STATISTICS), DEFAULT_CALIBRATION)[0]
        ?.relevance;
    expect(relevanceOfHit(repeat)?.probability).toBeGreaterThanOrEqual(0.8);
    expect(relevanceOfHit(past)?.contributions).not.toHaveProperty("repeat");
  });

  it("takes a headline that names the same trouble in nearly the same words for possible, and no vague one", () => {
    const assess = (title: string, recorded: string) => {
      const incident = sampleIncident({ title, target: "a", logs: null, labels: {} });
      const report = sampleIncident({ title: recorded, target: "b", logs: null, labels: {} });
      const past = pastIncident("a", 0.1, {
        title: recorded,
        row: { target: "b", signature: readSignature(report), facts: [], taskType: "unknown" },
      });
      const comparison = relevanceInputs(incident, [past], STATISTICS);
      return assessIncidents(RELEVANCE_MODELS.incidents, comparison, DEFAULT_CALIBRATION)[0]?.relevance.probability;
    };
    const oom = "worker container exited with code 137";
    expect(assess(`${oom} again`, oom)).toBeGreaterThanOrEqual(0.3);
    expect(assess("worker container exited with code 1", "disk of worker is full")).toBeLessThan(0.3);
    for (const title of ["Users report errors", "Service availability disruption", "Customer facing outage"])
      expect(assess(`${title} today`, title), title).toBeLessThan(0.5);
  });

  it.each([
    ["Kafka consumer lag grows", "Container exited"],
    // A resource ran out in both.
    ["Too many clients", "OOMKilled"],
  ])("takes the same service and labels for no sign that %s is %s", (title, recorded) => {
    const service = { target: "checkout", labels: { env: "prod", team: "shop" }, logs: null };
    const facts = ["Labels: env=prod, team=shop"];
    const signature = readSignature(sampleIncident({ ...service, title: recorded }));
    const past = pastIncident("a", 0.2, { title: recorded, row: { target: "checkout", facts, signature } });
    const comparison = relevanceInputs(sampleIncident({ ...service, title }), [past], STATISTICS);
    const [assessed] = assessIncidents(RELEVANCE_MODELS.incidents, comparison, DEFAULT_CALIBRATION);
    expect(assessed?.relevance.probability).toBeLessThan(0.3);
    expect(assessed?.relevance.contributions).toHaveProperty("place_only");
  });

  describe("with nearly the same error lines", () => {
    const logs =
      "ERROR could not acquire a connection from the pool within 30000 ms\nERROR request failed: PoolTimeoutError in OrderRepository";
    const incident = sampleIncident({ title: "Users report errors", logs });
    const record = (id: string, domain = incident.domain.name) => {
      const past = pastIncident(id, 0.9, { row: { signature: readSignature(incident), domain } });
      return { hit: past, relevance: sampleRelevance(0.9), closeness: 1, likeness: { alike: [], differs: [] } };
    };
    const comparison = relevanceInputs(incident, [], STATISTICS);
    const near = (
      records: readonly RecalledIncident[],
      { threshold = 0.7, separated = [] as readonly [string, string][] } = {},
    ) => nearRepeatOf(comparison, records, { domain: incident.domain.name, threshold, separated })?.id ?? null;

    it("a report repeats the only such record of its domain", () => {
      expect(near([record("a")])).toBe("a");
      expect(near([record("a", "elsewhere")])).toBeNull();
    });

    it("a report repeats none of two such records", () => {
      expect(near([record("a"), record("b")])).toBeNull();
    });

    it("a report does not repeat a record that a person separated from another", () => {
      expect(near([record("a")], { separated: [["a", "z"]] })).toBeNull();
      expect(near([record("a")], { separated: [["y", "z"]] })).toBe("a");
    });

    it("a report does not repeat a record that is hardly probable", () => {
      expect(near([record("a")], { threshold: 0.95 })).toBeNull();
    });
  });
});
