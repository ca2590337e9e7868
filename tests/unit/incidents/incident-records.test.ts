import { describe, expect, it } from "vitest";
import type { IncidentRow } from "../../../functions/incidents/incident-records.ts";
import { incidentOf } from "../../../functions/incidents/incident-records.ts";
import { sampleIncident } from "../investigation/samples.ts";

const ROW: IncidentRow & { readonly logs: string | null } = {
  id: "incident-now",
  created_at: "2026-03-01T12:00:00+00:00",
  title: "api-gateway container exited with code 137",
  question: null,
  target: "api-gateway",
  severity: "high",
  labels: {},
  logs: null,
  runbook: null,
  expression: null,
  previous_id: null,
  reported_by: null,
  reported_title: null,
  owner: null,
  acknowledged_at: null,
  acknowledged_by: null,
  session_id: "session-1",
  domain: "docker",
  domain_rule: 'words "docker"',
  answer_domain: null,
  incident_type: "oom_killed",
  incident_type_rule: 'words "exited with code 137"',
  status: "investigating",
  resolution: null,
  resolved_by: null,
  resolved_at: null,
  worked: null,
  benign: false,
  imported: null,
  merged_into: null,
  split_from: null,
};

const STORED_DOMAIN = {
  name: "docker",
  rule: 'words "docker"',
  decidedBy: "none",
  limitsSearch: false,
  preferred: {},
  excluded: [],
  isFirm: false,
} as const;

describe("a stored incident", () => {
  it("is the incident again, to be routed with the domains of the run", () => {
    expect(incidentOf(ROW)).toEqual(sampleIncident({ domain: STORED_DOMAIN }));
  });

  it("comes with its logs, labels and question", () => {
    const optionalFields = { logs: "exit 137", labels: { team: "edge" }, question: "Why?" };
    expect(incidentOf({ ...ROW, ...optionalFields })).toEqual(
      sampleIncident({ ...optionalFields, domain: STORED_DOMAIN }),
    );
  });

  it("keeps a domain that no longer exists", () => {
    expect(incidentOf({ ...ROW, domain: "mainframe" }).domain.name).toBe("mainframe");
  });
});
