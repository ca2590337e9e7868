// Replaces the examples of triages and incidents in the Worker ([alias] in wrangler.toml): only the API document shows them, and
// the build makes it (dev/api-document/).

export const TRIAGE_EXAMPLE = { sources: [], recalled: {} };
export const RUNBOOK_HIT_EXAMPLE = undefined;
export const OTHER_ID = undefined;
export const INCIDENT_EXAMPLE = {};
export const DETAIL_EXAMPLE = {};
export const SUMMARY_EXAMPLE = {};
export const STEP_EXAMPLE = {};
export const COMPARISON_EXAMPLE = {};
