// Names, types and descriptions of the metrics, in the order of the exposition. The SQL function
// `scrape_metrics` returns their values; routes/metrics.ts adds those of the Worker itself.

import type { MetricFamily } from "./prometheus-text.ts";

const family =
  (type: MetricFamily["type"]) =>
  (name: string, help: string, ...labels: string[]): MetricFamily => ({ name, type, labels, help });
const [counter, gauge, histogram] = [family("counter"), family("gauge"), family("histogram")];

export const METRIC_FAMILIES: readonly MetricFamily[] = [
  gauge("dejavu_build_info", "Always 1; the label is the version that answers.", "version"),
  gauge("dejavu_database_up", "Whether the database answered; at 0 only this metric and the build info have a value."),

  counter("dejavu_triages_total", "Finished triages.", "domain", "mode", "outcome"),
  histogram("dejavu_triage_duration_seconds", "Time of an investigation, without storing its answer.", "mode"),
  histogram("dejavu_triage_confidence", "Confidence of the answers, from 0 to 1.", "mode"),
  counter(
    "dejavu_triage_failures_total",
    "Runs that ended without an answer: requeued, failed, or recovered when stuck.",
  ),
  counter(
    "dejavu_incidents_total",
    "Reported incidents: the caller waits (direct, counted when the run ends), or a queue holds them.",
    "domain",
    "submitted_via",
  ),
  counter("dejavu_incidents_unanswered_total", "Incidents without an answer, by the reason of the last run.", "reason"),
  counter("dejavu_alerts_total", "Alerts when first received.", "source", "decision"),
  counter(
    "dejavu_resolutions_total",
    "Resolved incidents, by a person or by their alerts, and whether the answer worked.",
    "resolved_by",
    "worked",
  ),
  counter("dejavu_ratings_total", "Ratings of answers; a changed rating counts again.", "rating"),
  counter("dejavu_critic_ratings_total", "Ratings of answers that the critic of the model scored.", "rating"),
  counter(
    "dejavu_critic_rating_gap_total",
    "Sum of the distances between confidence and rating (up is 1, down is 0).",
    "rating",
  ),

  counter("dejavu_recalls_total", "Triages that searched memory; blocked and benign ones do not."),
  counter("dejavu_recall_hits_total", "Recalled records, by layer of memory.", "layer"),
  counter(
    "dejavu_recalls_grounded_total",
    "Triages that recalled a runbook or past incident about the report.",
    "layer",
  ),
  counter("dejavu_degraded_recalls_total", "Triages that lack what a failed dependency contributes.", "dependency"),
  counter("dejavu_reflections_total", "Answers that were revised after a critique."),
  counter("dejavu_injections_blocked_total", "Questions refused as instructions to a model.", "category"),
  counter("dejavu_injected_lines_removed_total", "Lines of alerts and logs removed as instructions to a model."),
  counter("dejavu_redactions_total", "Secrets and personal data replaced in reports.", "kind"),

  counter("dejavu_model_calls_total", "Requests to language models, failed ones included."),
  counter("dejavu_model_tokens_total", "Tokens of language models: input, cached input, output.", "direction"),
  counter("dejavu_model_cost_dollars_total", "Cost of language models by the configured prices, in US dollars."),
  counter("dejavu_token_budget_refusals_total", "Triages without a model: the daily token budget was spent."),

  gauge("dejavu_outbox_depth", "Pending writes to the vector store."),
  gauge("dejavu_outbox_oldest_seconds", "Age of the oldest pending write; 0 when there is none."),
  gauge("dejavu_annotations_pending", "Ratings not yet posted to the trace server."),
  gauge("dejavu_annotations_oldest_seconds", "Age of the oldest pending rating; 0 when there is none."),
  gauge("dejavu_annotations_given_up", "Ratings that the trace server refused."),
  gauge("dejavu_notifications_pending", "Messages not delivered in their present state."),
  gauge("dejavu_notifications_oldest_seconds", "Age of the oldest such message; 0 when there is none."),
  gauge("dejavu_queue_depth", "Incidents that wait for their investigation."),
  gauge("dejavu_queue_oldest_seconds", "Waiting time of the oldest queued incident; 0 when there is none."),
  gauge("dejavu_job_interval_seconds", "Interval of a job.", "name"),
  gauge("dejavu_job_last_run_timestamp_seconds", "Time when a job last started; 0 if it never did.", "name"),
  gauge("dejavu_job_last_success_timestamp_seconds", "Time when a job last succeeded; 0 if it never did.", "name"),
  gauge("dejavu_job_last_run_failed", "Whether the last finished run of a job failed.", "name"),
  gauge("dejavu_relevance_calibration_slope", "Factor of the relevance model's log-odds; 1 by default."),
  gauge("dejavu_relevance_calibration_intercept", "Added to the relevance model's scaled log-odds; 0 by default."),
  gauge("dejavu_relevance_calibration_labels", "Judged answers of the last fit of the calibration."),
  gauge("dejavu_relevance_calibration_age_seconds", "Time since the last fit of the calibration; 0 if there is none."),
  counter(
    "dejavu_buffered_writes_total",
    "Writes that waited for the database: stored, superseded, forbidden to their caller, or lost.",
    "result",
  ),
  counter(
    "dejavu_notifications_total",
    "Attempts to send a message: delivered, summary (of many messages), failed, given_up.",
    "delivery",
  ),
  counter("dejavu_spans_dropped_total", "Spans that reached no collector."),
];
