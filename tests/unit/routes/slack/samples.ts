// Triage results and incidents for the tests of Slack messages.

import type { IncidentWithHistory } from "../../../../functions/incidents/incident-records.ts";
import type { Step } from "../../../../functions/schemas/answer.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { sampleIncidentHit, sampleResult } from "../../investigation/samples.ts";

export const ID = "3f2a91bc-0d4e-4f5a-8b6c-7d8e9f001122";
export const OTHER_ID = "9c1d2e3f-0d4e-4f5a-8b6c-7d8e9f001122";

export function stepOf(changes: Partial<Step> = {}): Step {
  return {
    text: "Look.",
    citations: [],
    supported: true,
    command: null,
    effect: changes.command == null ? null : "unverified",
    undo: null,
    from_source: true,
    ...changes,
  };
}

export const pastOf = sampleIncidentHit;
export const result = (changes: Partial<TriageResult> = {}) =>
  sampleResult({ triage_id: OTHER_ID, incident_id: ID, ...changes });
export const NO_ALERTS = { total: 0, firing: 0, targets: [], place: null, latest: [] };

export const INCIDENT: IncidentWithHistory["incident"] = {
  id: ID,
  created_at: "2026-03-01T03:00:00+00:00",
  title: "disk full",
  question: null,
  target: null,
  severity: "high",
  labels: {},
  session_id: "s",
  domain: "docker",
  domain_rule: "default",
  answer_domain: null,
  incident_type: "unknown",
  incident_type_rule: "default",
  status: "resolved",
  resolution: "Pruned the images.",
  resolved_by: "dana",
  resolved_at: "2026-03-01T04:05:06+00:00",
  resolved_by_caller: null,
  queued_at: null,
  worked: true,
  benign: false,
  imported: null,
  merged_into: null,
  split_from: null,
  logs: null,
  runbook: null,
  expression: null,
  previous_id: null,
  reported_by: null,
  reported_title: null,
  owner: null,
  acknowledged_at: null,
  acknowledged_by: null,
};
