// Samples for the tests of notifications.

import type { ChangedIncident } from "../../../functions/notifications/choose-targets.ts";
import type { FailureState } from "../../../functions/notifications/failure-state.ts";
import type { NotificationTarget } from "../../../functions/notifications/target-definition.ts";
import type { FailureMessage } from "../../../functions/notifications/targets/target.ts";

export const ID = "3f2a91bc-0d4e-4f5a-8b6c-7d8e9f001122";

export function sampleTarget(changes: Partial<NotificationTarget> = {}): NotificationTarget {
  return {
    name: "oncall",
    kind: "slack",
    options: { channel: "C024BE91L" },
    credential: null,
    domains: [],
    matchers: [],
    min_severity: "info",
    outcomes: ["cause", "possible", "unknown"],
    events: ["answered", "recurred", "resolved", "fix_did_not_hold"],
    window_minutes: 1_440,
    per_minute: 5,
    handover: null,
    ...changes,
  };
}

export function sampleChanged(changes: Partial<ChangedIncident> = {}): ChangedIncident {
  return {
    incident_id: ID,
    version: 1,
    record: ID,
    opened_at: "2026-03-01T03:00:00Z",
    domain: "docker",
    fingerprint: "4f1c",
    severity: "high",
    status: "triaged",
    outcome: "cause",
    labels: { team: "db", target: "checkout" },
    is_announced: true,
    sources: ["alertmanager"],
    is_repeat: false,
    came_back: false,
    ...changes,
  };
}

export function sampleState(
  changes: Partial<Omit<FailureState, "incident">> & { readonly incident?: Partial<FailureState["incident"]> } = {},
): FailureState {
  const { incident, ...others } = changes;
  return {
    incident: {
      id: ID,
      title: "Pod is crash looping",
      severity: "high",
      status: "triaged",
      domain: "docker",
      target: "checkout",
      owner: null,
      created_at: "2026-03-01T03:00:00Z",
      resolved_at: null,
      resolved_by: null,
      resolution: null,
      merged_into: null,
      is_titled: false,
      ...incident,
    },
    triage: null,
    incidents: 1,
    times: 1,
    first_at: "2026-03-01T03:00:00Z",
    since: "2026-03-01T03:00:00Z",
    last_at: "2026-03-01T03:00:00Z",
    reports: 1,
    services: 1,
    place: null,
    acknowledged: null,
    mute: null,
    came_back: null,
    succeeded_by: null,
    tickets: [],
    ...others,
  };
}

export function sampleMessage(changes: Partial<FailureMessage> = {}): FailureMessage {
  return {
    event: "answered",
    incidentId: ID,
    triageId: "9c1d2e3f-0d4e-4f5a-8b6c-7d8e9f001122",
    title: "Pod is crash looping",
    severity: "high",
    domain: "docker",
    target: "checkout",
    status: "open",
    outcome: "cause",
    probability: 0.91,
    verdict: "Known failure, 91 %",
    fix: { lead: "Fixed before", text: "Raised the memory limit" },
    quotes: ["OOMKilled, Exit Code: 137"],
    lacks: [],
    checked: ["Confirmed: memory reached its limit"],
    firstCheck: { text: "Compare the memory with its limit", warning: null, command: "kubectl top pod" },
    firstStep: { text: "Raise the limit", warning: "changes state", command: "kubectl set resources" },
    changes: ["checkout 4.2 was deployed 12 min before"],
    recurrence: null,
    holder: null,
    isAcknowledged: false,
    isMuted: false,
    lacksFix: true,
    muted: [],
    resolution: null,
    link: `https://dejavu.example.com/console/incidents/${ID}`,
    ticket: null,
    ...changes,
  };
}
