import { describe, expect, it } from "vitest";
import { createYardstick, ground, roundShare } from "../../../functions/triage/ground.ts";
import { sampleIncident, sampleRunbook } from "./samples.ts";

const STATISTICS = { "137": { df: 2, idf: 4 }, exited: { df: 5, idf: 2 } };
const postgres = { name: "postgres", rule: "label source_type=database" } as const;

describe("createYardstick", () => {
  it("holds the terms of the headline without those of the type", () => {
    const { headline } = createYardstick(sampleIncident({ title: "api killed", question: "why so?" }), [], STATISTICS);
    expect(headline).toEqual(new Set(["api", "killed"]));
  });

  it("holds the terms of the log's failure lines apart", () => {
    const { logs } = createYardstick(sampleIncident(), ["FATAL: too many clients", "error 53300"], STATISTICS);
    expect(logs).toEqual(new Set(["fatal", "too", "many", "client", "error", "53300"]));
  });

  it("knows the type that was recognised, and none where it is unknown", () => {
    expect(createYardstick(sampleIncident(), [], STATISTICS).incidentType).toBe("oom_killed");
    const unknown = sampleIncident({ type: { name: "unknown", rule: "" } });
    expect(createYardstick(unknown, [], STATISTICS).incidentType).toBeUndefined();
  });

  it("gives a technology that the domain does not cover no credit for its type", () => {
    const type = { name: "deadlock", rule: "" };
    const mysql = sampleIncident({ title: "MySQL deadlock", domain: postgres, type });
    const ours = sampleIncident({ title: "PostgreSQL deadlock", domain: postgres, type });
    expect(createYardstick(mysql, [], STATISTICS).incidentType).toBeUndefined();
    expect(createYardstick(ours, [], STATISTICS).incidentType).toBe("deadlock");
  });

  it("hears of a technology that the domain does not cover in the question too", () => {
    const incident = sampleIncident({
      title: "Deadlock on orders",
      question: "Why does MySQL report a deadlock?",
      domain: postgres,
      type: { name: "deadlock", rule: "" },
    });
    expect(createYardstick(incident, [], STATISTICS).incidentType).toBeUndefined();
  });

  it("takes no statistics for statistics that are missing", () => {
    expect(createYardstick(sampleIncident(), [], {}).statistics).toBeUndefined();
    expect(createYardstick(sampleIncident(), [], STATISTICS).statistics).toBe(STATISTICS);
  });
});

describe("ground", () => {
  const { sections } = sampleRunbook("# Killed\n\nContainer api-gateway exited with code 137.");
  const other = sections.map((section) => ({ ...section, metadata: {} }));
  const yardstick = createYardstick(sampleIncident(), [], {});

  it("is 1 for a text of the same type that holds every word", () => {
    expect(ground(yardstick, sections, [])).toBe(1);
  });

  it("is less for a text of another type, in two digits", () => {
    expect(0.55 / 0.85).toBeCloseTo(0.647, 3);
    expect(ground(yardstick, other, [])).toBe(0.65);
  });

  it("is 0 where there is no text", () => {
    expect(ground(yardstick, [], [])).toBe(0);
  });

  it("judges the vectors by the nearest hit", () => {
    expect(ground(yardstick, other, [{ distance: 0.5 }, { distance: 0.1 }, {}])).toBe(0.7);
    expect(ground(yardstick, other, [{ distance: 1.5 }])).toBe(0.55);
  });

  it("lets the log speak where the headline is vague", () => {
    const vague = createYardstick(sampleIncident({ title: "checkout broken" }), ["exited with code 137"], {});
    expect(ground(vague, other, [])).toBe(0.65);
  });

  it("lets a log that says nothing of the matter take nothing away", () => {
    const noisy = createYardstick(sampleIncident(), ["error: printer on fire"], {});
    expect(ground(noisy, sections, [])).toBe(ground(yardstick, sections, []));
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
