// Closed lists and fixed names of an incident. They import nothing, so that the command line and the console stay small.

export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The domain of what belongs to no other domain. It always exists. */
export const GENERAL_DOMAIN = "general";

export const UNKNOWN_INCIDENT_TYPE = "unknown";

export const INCIDENT_STATUSES = ["queued", "investigating", "triaged", "failed", "resolved"] as const;
