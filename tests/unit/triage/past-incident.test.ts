import { describe, expect, it } from "vitest";
import { incidentDocument } from "../../../functions/memory/incident.ts";
import { documentFromIndex, documentText, indexMetadata } from "../../../functions/memory/search-document.ts";
import { pastIncident } from "../../../functions/triage/past-incident.ts";
import { NOW, samplePastIncident } from "./samples.ts";

describe("pastIncident", () => {
  const remembered = incidentDocument(
    {
      id: "past-1",
      createdAt: NOW,
      title: "api is gone",
      target: "api",
      severity: "critical",
      incidentType: "oom_killed",
    },
    "An analysis.",
    { text: "More memory.", by: null, at: new Date("2026-03-01T13:00:00Z") },
  );
  const facts = {
    title: "api is gone",
    target: "api",
    severity: "critical",
    incident_type: "oom_killed",
    reported_at: "2026-03-01T12:00:00.000Z",
    resolution: "More memory.",
    resolved_by: null,
    resolved_at: "2026-03-01T13:00:00.000Z",
  };

  it("reads back the facts of a remembered incident", () => {
    expect(pastIncident(remembered)).toEqual(facts);
  });

  it("reads them back from the vector store's copy too", () => {
    const copy = { id: "past-1", text: documentText(remembered), metadata: indexMetadata(remembered) };
    expect(pastIncident(documentFromIndex(copy))).toEqual(facts);
  });

  it("reads what it can of a record without our metadata", () => {
    const { document } = samplePastIncident("x", { title: "odd" }).hit;
    expect(pastIncident({ ...document, metadata: { severity: "apocalyptic" } })).toEqual({
      title: "odd",
      target: null,
      severity: "medium",
      incident_type: "unknown",
      reported_at: "2026-01-15T08:30:00.000Z",
      resolution: null,
      resolved_by: null,
      resolved_at: null,
    });
  });
});
