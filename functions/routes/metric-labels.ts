// The values of each metric label, so that every series starts at 0 and unknown values cannot become series.

import { INJECTION_CATEGORIES } from "../../lib/injection/injection-category.ts";
import { ALERT_DECISIONS } from "../incidents/alert-records.ts";
import { ALERT_SOURCES } from "../incidents/webhooks/index.ts";
import { RELEVANCE_MODEL_FINGERPRINT } from "../investigation/relevance/relevance-model.ts";
import { JOB_NAMES } from "../jobs/schedule.ts";
import { GENERAL_DOMAIN } from "../schemas/domain.ts";
import { triageResultSchema, warningSchema } from "../schemas/triage-result.ts";
import { LAYERS } from "../search-index/collections.ts";
import type { MetricLabels } from "../telemetry/read-metrics.ts";

export const METRIC_LABELS: MetricLabels = {
  labels: {
    mode: triageResultSchema.shape.mode.options,
    outcome: triageResultSchema.shape.outcome.options,
    layer: LAYERS,
    dependency: warningSchema.shape.dependency.options,
    category: INJECTION_CATEGORIES,
    kind: ["email", "phone", "ssn", "cc", "ip", "secret"],
    direction: ["input", "cached_input", "output"],
    rating: ["up", "down"],
    resolved_by: ["person", "alerts"],
    worked: ["yes", "no", "unknown"],
    reason: ["abandoned", "attempts_exhausted", "delivery_given_up", "nothing_searchable", "dependency"],
    submitted_via: ["direct", "queue"],
    source: ALERT_SOURCES,
    // A repeated notification is not counted: an alert counts when it is first received.
    decision: ALERT_DECISIONS.filter((decision) => decision !== "deduplicated"),
    result: ["stored", "superseded", "forbidden", "lost"],
    delivery: ["delivered", "summary", "failed", "given_up"],
    name: JOB_NAMES,
  },
  // Every other kind of redaction is a secret. The database lists the domains; a deleted one counts as general.
  fallbacks: { kind: "secret", domain: GENERAL_DOMAIN },
  relevance_model: RELEVANCE_MODEL_FINGERPRINT,
};
