import { describe, expect, it } from "vitest";
import { createIncident } from "../../../../functions/incidents/create-incident.ts";
import {
  assessGrounding,
  createRelevanceCriteria,
  roundShare,
} from "../../../../functions/investigation/relevance/relevance-criteria.ts";
import { NOW, sampleIncident, sampleRunbook } from "../samples.ts";

const STATISTICS = { "137": { df: 2, idf: 4 }, exited: { df: 5, idf: 2 } };
const SCALE = { unrelated: 0.6, close: 0.9 };
const postgres = { name: "postgres", rule: "label source_type=database", isDecided: true } as const;

describe("createRelevanceCriteria", () => {
  it("contains the terms of the headline without those of the type", () => {
    const { headline } = createRelevanceCriteria(
      sampleIncident({ title: "api killed", question: "why so?" }),
      [],
      STATISTICS,
      SCALE,
    );
    expect(headline).toEqual(new Set(["api", "kill"]));
  });

  it("contains the terms of the error lines separately", () => {
    const { logs } = createRelevanceCriteria(
      sampleIncident(),
      ["FATAL: too many clients", "error 53300"],
      STATISTICS,
      SCALE,
    );
    expect(logs).toEqual(new Set(["fatal", "too", "many", "client", "error", "53300"]));
  });

  it("contains the recognised type, and none for `unknown`", () => {
    expect(createRelevanceCriteria(sampleIncident(), [], STATISTICS, SCALE).incidentType).toBe("oom_killed");
    const unknown = sampleIncident({ type: { name: "unknown", rule: "" } });
    expect(createRelevanceCriteria(unknown, [], STATISTICS, SCALE).incidentType).toBeUndefined();
  });

  it("ignores the type if the domain does not cover the named technology", () => {
    const type = { name: "deadlock", rule: "" };
    const mysql = sampleIncident({ title: "MySQL deadlock", domain: postgres, type });
    const ours = sampleIncident({ title: "PostgreSQL deadlock", domain: postgres, type });
    expect(createRelevanceCriteria(mysql, [], STATISTICS, SCALE).incidentType).toBeUndefined();
    expect(createRelevanceCriteria(ours, [], STATISTICS, SCALE).incidentType).toBe("deadlock");
  });

  it("also checks the question for such a technology", () => {
    const incident = sampleIncident({
      title: "Deadlock on orders",
      question: "Why does MySQL report a deadlock?",
      domain: postgres,
      type: { name: "deadlock", rule: "" },
    });
    expect(createRelevanceCriteria(incident, [], STATISTICS, SCALE).incidentType).toBeUndefined();
  });

  it("ignores the type in the default domain", () => {
    const decided = sampleIncident();
    const undecided = sampleIncident({ domain: { ...decided.domain, isDecided: false } });
    expect(decided.domain.isDecided).toBe(true);
    expect(createRelevanceCriteria(decided, [], STATISTICS, SCALE).incidentType).toBe("oom_killed");
    expect(createRelevanceCriteria(undecided, [], STATISTICS, SCALE).incidentType).toBeUndefined();
  });

  it("ignores the type in the default domain even if the caller gave it", () => {
    const request = { incident_type: "oom_killed", title: "it is gone" };
    const typed = (labels: Record<string, string>) =>
      createRelevanceCriteria(
        createIncident({ ...request, labels }, NOW, () => "id"),
        [],
        STATISTICS,
        SCALE,
      ).incidentType;
    expect(typed({})).toBeUndefined();
    expect(typed({ container_runtime: "docker" })).toBe("oom_killed");
  });

  it("passes the scale on", () => {
    expect(createRelevanceCriteria(sampleIncident(), [], STATISTICS, SCALE).scale).toEqual(SCALE);
  });

  it("treats empty statistics as missing", () => {
    expect(createRelevanceCriteria(sampleIncident(), [], {}, SCALE).statistics).toBeUndefined();
    expect(createRelevanceCriteria(sampleIncident(), [], STATISTICS, SCALE).statistics).toBe(STATISTICS);
  });
});

describe("assessGrounding", () => {
  const { sections } = sampleRunbook("# Killed\n\nContainer api-gateway exited with code 137.");
  const other = sections.map((section) => ({ ...section, metadata: {} }));
  const criteria = createRelevanceCriteria(sampleIncident(), [], {}, SCALE);

  it("is 1 for a text of the same type with every word", () => {
    expect(assessGrounding(criteria, sections, [])).toBe(1);
  });

  it("is lower for a text of another type, with two digits", () => {
    expect(0.55 / 0.85).toBeCloseTo(0.647, 3);
    expect(assessGrounding(criteria, other, [])).toBe(0.65);
  });

  it("is 0 without a text", () => {
    expect(assessGrounding(criteria, [], [])).toBe(0);
  });

  it("uses the smallest distance", () => {
    expect(assessGrounding(criteria, other, [{ distance: 0.5 }, { distance: 0.1 }, {}])).toBe(0.7);
    expect(assessGrounding(criteria, other, [{ distance: 1.5 }])).toBe(0.55);
  });

  it("uses the scale of the criteria", () => {
    const strict = createRelevanceCriteria(sampleIncident(), [], {}, { unrelated: 0.9, close: 1 });
    const lenient = createRelevanceCriteria(sampleIncident(), [], {}, { unrelated: 0.1, close: 0.2 });
    expect(assessGrounding(strict, other, [{ distance: 0.2 }])).toBe(0.55);
    expect(assessGrounding(strict, other, [{ distance: 0 }])).toBe(0.7);
    expect(assessGrounding(lenient, other, [{ distance: 1.5 }])).toBe(0.7);
  });

  it("is lower in the default domain", () => {
    const undecided = sampleIncident({ domain: { ...sampleIncident().domain, isDecided: false } });
    expect(assessGrounding(createRelevanceCriteria(undecided, [], {}, SCALE), sections, [])).toBe(0.65);
  });

  it("uses the log if the headline is vague", () => {
    const vague = createRelevanceCriteria(
      sampleIncident({ title: "checkout broken" }),
      ["exited with code 137"],
      {},
      SCALE,
    );
    expect(assessGrounding(vague, other, [])).toBe(0.65);
  });

  it("is not lowered by an unrelated log", () => {
    const noisy = createRelevanceCriteria(sampleIncident(), ["error: printer on fire"], {}, SCALE);
    expect(assessGrounding(noisy, sections, [])).toBe(assessGrounding(criteria, sections, []));
  });
});

describe("roundShare", () => {
  it.each([
    [0.814, 0.81],
    [0.816, 0.82],
    [0.494, 0.49],
    [0.496, 0.5],
    [0, 0],
    [0.9999, 1],
  ])("rounds %d to %d", (share, rounded) => {
    expect(roundShare(share)).toBe(rounded);
  });
});
