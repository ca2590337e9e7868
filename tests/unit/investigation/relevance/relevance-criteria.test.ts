import { describe, expect, it } from "vitest";
import { createIncident } from "../../../../functions/incidents/create-incident.ts";
import {
  assessRelevance,
  createRelevanceCriteria,
  roundShare,
} from "../../../../functions/investigation/relevance/relevance-criteria.ts";
import { SHIPPED_CATALOG } from "../../../support/domains.ts";
import { NOW, sampleIncident, sampleRunbook } from "../samples.ts";

const STATISTICS = { "137": { df: 2, idf: 4 }, exited: { df: 5, idf: 2 } };
const SCALE = { unrelated: 0.6, close: 0.9 };
const groundingOf = (...input: Parameters<typeof assessRelevance>) => assessRelevance(...input).probability;
const UNDECIDED = { ...sampleIncident().domain, decidedBy: "none" } as const;

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

  it("counts the type for texts of the chosen domain", () => {
    expect(createRelevanceCriteria(sampleIncident(), [], STATISTICS, SCALE).typeDomains).toEqual(["docker"]);
  });

  it("counts the type for texts of hinted domains if nothing chose one", () => {
    const domainsOf = (preferred: Record<string, number>) =>
      createRelevanceCriteria(sampleIncident({ domain: { ...UNDECIDED, preferred } }), [], STATISTICS, SCALE)
        .typeDomains;
    expect(domainsOf({})).toEqual([]);
    expect(domainsOf({ docker: 1 / 3 })).toEqual(["docker"]);
  });

  it("counts a type from the caller for no text if no word hints at a domain", () => {
    const request = { incident_type: "oom_killed", title: "it is gone" };
    const typed = (labels: Record<string, string>) => {
      const incident = createIncident(
        { ...request, labels },
        { catalog: SHIPPED_CATALOG, now: NOW, newId: () => "id" },
      );
      return createRelevanceCriteria(incident, [], STATISTICS, SCALE).typeDomains;
    };
    expect(typed({})).toEqual([]);
    expect(typed({ container_runtime: "docker" })).toEqual(["docker"]);
  });

  it("passes the scale on", () => {
    expect(createRelevanceCriteria(sampleIncident(), [], STATISTICS, SCALE).scale).toEqual(SCALE);
  });

  it("treats empty statistics as missing", () => {
    expect(createRelevanceCriteria(sampleIncident(), [], {}, SCALE).statistics).toBeUndefined();
    expect(createRelevanceCriteria(sampleIncident(), [], STATISTICS, SCALE).statistics).toBe(STATISTICS);
  });
});

describe("assessRelevance", () => {
  const { sections } = sampleRunbook("# Killed\n\nContainer api-gateway exited with code 137.");
  const other = sections.map((section) => ({ ...section, metadata: {} }));
  const criteria = createRelevanceCriteria(sampleIncident(), [], {}, SCALE);

  it("is 1 for a text of the same type with every word", () => {
    expect(groundingOf(criteria, sections, [])).toBe(1);
  });

  it("is lower for a text of another type, with two digits", () => {
    expect(0.55 / 0.85).toBeCloseTo(0.647, 3);
    expect(groundingOf(criteria, other, [])).toBe(0.65);
  });

  it("is 0 without a text", () => {
    expect(groundingOf(criteria, [], [])).toBe(0);
  });

  it("uses the smallest distance", () => {
    expect(groundingOf(criteria, other, [{ distance: 0.5 }, { distance: 0.1 }, {}])).toBe(0.7);
    expect(groundingOf(criteria, other, [{ distance: 1.5 }])).toBe(0.55);
  });

  it("uses the scale of the criteria", () => {
    const strict = createRelevanceCriteria(sampleIncident(), [], {}, { unrelated: 0.9, close: 1 });
    const lenient = createRelevanceCriteria(sampleIncident(), [], {}, { unrelated: 0.1, close: 0.2 });
    expect(groundingOf(strict, other, [{ distance: 0.2 }])).toBe(0.55);
    expect(groundingOf(strict, other, [{ distance: 0 }])).toBe(0.7);
    expect(groundingOf(lenient, other, [{ distance: 1.5 }])).toBe(0.7);
  });

  it("is lower for a text of the same type in another domain", () => {
    const elsewhere = sections.map((section) => ({
      ...section,
      metadata: { ...section.metadata, domain: "podman" },
    }));
    expect(groundingOf(criteria, elsewhere, [])).toBe(0.65);
  });

  it("is lower if nothing chose the domain and no word hints at it", () => {
    const undecided = sampleIncident({ domain: { ...UNDECIDED, preferred: {} } });
    expect(groundingOf(createRelevanceCriteria(undecided, [], {}, SCALE), sections, [])).toBe(0.65);
  });

  it("uses the log if the headline is vague", () => {
    const vague = createRelevanceCriteria(
      sampleIncident({ title: "checkout broken" }),
      ["exited with code 137"],
      {},
      SCALE,
    );
    expect(groundingOf(vague, other, [])).toBe(0.65);
  });

  it("is not lowered by an unrelated log", () => {
    const noisy = createRelevanceCriteria(sampleIncident(), ["error: printer on fire"], {}, SCALE);
    expect(groundingOf(noisy, sections, [])).toBe(groundingOf(criteria, sections, []));
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
