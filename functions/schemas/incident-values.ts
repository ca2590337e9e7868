// Closed lists of an incident. They import nothing, so that a command line that only shows them starts fast.

export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const INCIDENT_STATUSES = ["queued", "investigating", "triaged", "failed", "resolved"] as const;
