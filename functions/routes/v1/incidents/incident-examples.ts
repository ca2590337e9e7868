// Examples of incidents for the API document.

import type { Comparison } from "../../../incidents/detail/compare-incidents.ts";
import { TRIAGE_EXAMPLE } from "../triage-examples.ts";

/** Without the fields that are null. */
export const INCIDENT_EXAMPLE = {
  id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
  created_at: "2026-03-01T03:00:00+00:00",
  title: "api-gateway container exited with code 137",
  target: "api-gateway",
  severity: "high" as const,
  labels: { container_runtime: "docker" },
  session_id: "on-call-2026-03-01",
  status: "triaged" as const,
  owner: "dana",
  acknowledged_at: "2026-03-01T03:02:00+00:00",
  acknowledged_by: "dana",
  reported_by: "service",
  benign: false,
  domain: { name: "docker" as const, rule: "label container_runtime=docker" },
  answer_domain: "docker",
  incident_type: { name: "oom_killed", rule: 'words "exited with code 137"' },
};

export const SUMMARY_EXAMPLE = {
  alerts: { total: 3, firing: 1, source: "alertmanager", place: "3 services" },
  started_at: "2026-03-01T02:58:00+00:00",
  last_activity_at: "2026-03-01T03:05:00+00:00",
  latest_triage: {
    id: "9c1d7f3a-2e4b-4c6d-8f0a-1b2c3d4e5f60",
    created_at: "2026-03-01T03:00:02+00:00",
    mode: "extractive" as const,
    outcome: "cause" as const,
    confidence: 0.86,
    failure: "Container killed with exit code 137 (out of memory)",
    corrected: false,
  },
  failure_id: "docker/exit-codes.md: Container killed with exit code 137 (out of memory)",
  failure: "Container killed with exit code 137 (out of memory)",
  has_fix: true,
};

export const STEP_EXAMPLE = {
  key: "5f0c2b7a9d1e4c3f",
  kind: "confirm" as const,
  text: "Compare the container's memory use with its limit.",
  command: "docker stats --no-stream <container>",
  effect: "read_only" as const,
  done: true,
  by: "dana",
  at: "2026-03-01T03:04:00+00:00",
};

/** Of the fields that only a single incident has. */
export const DETAIL_EXAMPLE = {
  logs: "Memory cgroup out of memory: Killed process 4711 (node)",
  events: [
    { at: "2026-03-01T03:00:00+00:00", kind: "reported", detail: {} },
    {
      at: "2026-03-01T03:00:02+00:00",
      kind: "triaged",
      detail: { mode: "extractive", outcome: "cause", confidence: 0.86 },
    },
  ],
  steps: [STEP_EXAMPLE],
  alerts: { total: 0, firing: 0, targets: [], place: null, latest: [] },
  fixes: [],
  days_seen: [{ day: "2026-03-01", reports: 1 }],
  triage_unreadable: false,
};

export const OTHER_ID = "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2";

export const COMPARISON_EXAMPLE: Comparison = {
  facts: [
    { name: "service", here: "api-gateway", there: "cart", alike: false },
    { name: "type", here: "oom_killed", there: "oom_killed", alike: true },
    { name: "codes in the log", here: "exit 137", there: "exit 137", alike: true },
  ],
  labels: [{ name: "container_runtime", here: "docker", there: "docker", alike: true }],
  error_lines: [
    {
      here: "Memory cgroup out of memory: Killed process 4711 (node)",
      there: "Memory cgroup out of memory: Killed process 812 (node)",
    },
    { here: "FATAL ERROR: Reached heap limit", there: null },
  ],
  changes: { here: TRIAGE_EXAMPLE.live.changes, there: null },
  match: {
    record_id: OTHER_ID,
    probability: 0.95,
    log_odds: 2.944,
    contributions: { bias: -1.8, similarity: 3.244, fix: 0.5, target: 1 },
    alike: ["exit 137"],
    differs: ["service api-gateway, then cart"],
  },
};
