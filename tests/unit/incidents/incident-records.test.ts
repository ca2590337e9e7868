import { describe, expect, it } from "vitest";
import type { IncidentRow } from "../../../functions/incidents/incident-records.ts";
import { incidentOf } from "../../../functions/incidents/incident-records.ts";
import { routeDomain } from "../../../functions/knowledge/domains/route-domain.ts";
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
  previous_id: null,
  reported_by: null,
  session_id: "session-1",
  domain: "docker",
  domain_rule: 'text cue "container"',
  incident_type: "oom_killed",
  incident_type_rule: 'text cue "exited with code 137"',
  status: "investigating",
  resolution: null,
  resolved_by: null,
  resolved_at: null,
  worked: null,
  benign: false,
};

describe("a stored incident", () => {
  it("is the incident again", () => {
    expect(incidentOf(ROW)).toEqual(sampleIncident());
  });

  it("comes with its logs, labels and question", () => {
    const optionalFields = { logs: "exit 137", labels: { team: "edge" }, question: "Why?" };
    expect(incidentOf({ ...ROW, ...optionalFields })).toEqual(sampleIncident(optionalFields));
  });

  it.each([
    ["a label", { container_runtime: "podman" }, ""],
    ["a cue", {}, "the pod is in CrashLoopBackOff"],
    ["nothing", {}, "it is slow"],
  ])("knows still whether its domain was decided by %s", (_what, labels, text) => {
    const domain = routeDomain(labels, text, "");
    expect(incidentOf({ ...ROW, domain: domain.name, domain_rule: domain.rule }).domain).toEqual(domain);
  });
});
