import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  incidentCollection,
  incidentDocument,
  type RememberedIncident,
  recallQuery,
  truncate,
} from "../../../functions/memory/incident.ts";
import { documentRow, documentText, indexMetadata } from "../../../functions/memory/search-document.ts";
import { sampleIncident } from "../triage/samples.ts";

const INCIDENT: RememberedIncident = {
  id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  createdAt: new Date("2026-03-01T12:00:00Z"),
  title: "api-gateway exited with code 137",
  target: "api-gateway",
  severity: "high",
  incidentType: "oom_killed",
};

const FIX = { text: "Raised the memory limit.", by: "dana", at: new Date("2026-03-01T13:00:00Z") };

describe("incidentDocument", () => {
  it("embeds title, type, target, severity and analysis", () => {
    expect(documentText(incidentDocument(INCIDENT, "The limit is too low.", null))).toBe(
      [
        "api-gateway exited with code 137",
        "",
        "Type: oom_killed",
        "Target: api-gateway",
        "Severity: high",
        "",
        "The limit is too low.",
      ].join("\n"),
    );
  });

  it("embeds the resolution once there is one", () => {
    const { body } = incidentDocument(INCIDENT, "The limit is too low.", FIX);
    expect(body.endsWith("The limit is too low.\n\nResolution: Raised the memory limit.")).toBe(true);
  });

  it("keeps the metadata that the specification names, under the incident's id", () => {
    expect(incidentDocument(INCIDENT, "…", null)).toMatchObject({
      id: INCIDENT.id,
      source: null,
      chunkIndex: null,
      title: INCIDENT.title,
      headingPath: [],
      writtenAt: INCIDENT.createdAt,
      metadata: {
        incident_id: INCIDENT.id,
        title: INCIDENT.title,
        target: "api-gateway",
        severity: "high",
        incident_type: "oom_killed",
        tools_used: "",
        stored_at: "2026-03-01T12:00:00.000Z",
        resolved: false,
      },
    });
  });

  it("adds who resolved it, when and how to the metadata", () => {
    expect(incidentDocument(INCIDENT, "…", FIX).metadata).toMatchObject({
      resolution: "Raised the memory limit.",
      resolved_by: "dana",
      resolved_at: "2026-03-01T13:00:00.000Z",
      resolved: true,
    });
    expect(incidentDocument(INCIDENT, "…", { ...FIX, by: null }).metadata.resolved_by).toBe("");
    expect(incidentDocument(INCIDENT, "…", null).metadata).not.toHaveProperty("resolution");
  });

  it("says whether it is resolved, as a boolean that both indexes can filter by", () => {
    expect(incidentDocument(INCIDENT, "…", null).metadata.resolved).toBe(false);
    expect(incidentDocument(INCIDENT, "…", { ...FIX, by: null }).metadata.resolved).toBe(true);
    expect(indexMetadata(incidentDocument(INCIDENT, "…", null)).resolved).toBe(false);
    expect(documentRow(incidentDocument(INCIDENT, "…", FIX)).metadata.resolved).toBe(true);
  });

  it("leaves out a target and an analysis that are not there", () => {
    expect(incidentDocument({ ...INCIDENT, target: null }, "", null).body).toBe("Type: oom_killed\nSeverity: high");
    expect(incidentDocument({ ...INCIDENT, target: null }, "", null).metadata.target).toBe("");
  });

  it("remembers 1,500 characters of the analysis at most", () => {
    const withAnalysis = (length: number) => incidentDocument(INCIDENT, "x".repeat(length), null).body.split("\n\n")[1];
    expect(withAnalysis(1_500)).toBe("x".repeat(1_500));
    expect(withAnalysis(1_501)).toBe(`${"x".repeat(1_499)}…`);
  });

  it("remembers all of the resolution, and 500 characters of it in the metadata", () => {
    const document = incidentDocument(INCIDENT, "", { ...FIX, text: "y".repeat(4_000) });
    expect(document.body).toContain("y".repeat(4_000));
    expect(document.metadata.resolution).toBe(`${"y".repeat(499)}…`);
  });
});

describe("truncate", () => {
  it("leaves a text alone that is short enough", () => {
    expect(truncate("12345", 5)).toBe("12345");
    expect(truncate("", 5)).toBe("");
  });

  it("marks where it cut", () => {
    expect(truncate("123456", 5)).toBe("1234…");
  });

  it("leaves no space before the mark", () => {
    expect(truncate("one two three", 9)).toBe("one two…");
  });

  it("cuts no character in two", () => {
    expect(truncate("ab🐳cd", 4)).toBe("ab…");
    expect(truncate("ab🐳cd", 5)).toBe("ab🐳…");
  });

  it("keeps to the length and to well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, length) => {
        const cut = truncate(text, length);
        expect(cut.length).toBeLessThanOrEqual(length);
        expect(cut.isWellFormed()).toBe(true);
        expect(text.startsWith(cut.replace(/…$/, ""))).toBe(true);
      }),
    );
  });
});

describe("recallQuery", () => {
  it("asks for the type in words, then the title", () => {
    expect(recallQuery(sampleIncident({ title: "api-gateway is gone", type: { name: "oom_killed", rule: "" } }))).toBe(
      "oom killed api-gateway is gone",
    );
  });

  it("leaves an unknown type out", () => {
    expect(recallQuery(sampleIncident({ title: "api-gateway is gone", type: { name: "unknown", rule: "" } }))).toBe(
      "api-gateway is gone",
    );
  });

  it("adds a question that is not the title", () => {
    const unknown = { name: "unknown", rule: "" };
    expect(recallQuery(sampleIncident({ title: "Down", question: "Why?", type: unknown }))).toBe("Down Why?");
    expect(recallQuery(sampleIncident({ title: "Why?", question: "Why?", type: unknown }))).toBe("Why?");
  });
});

describe("incidentCollection", () => {
  it("names one collection a domain", () => {
    expect(incidentCollection("postgres")).toBe("incidents-postgres");
  });
});
