// Owns what each metric is called, what kind it is and what it means, in the order in which they are shown. The figures
// are the view `metrics` of the database; those of the Worker itself come with the door.

import type { MetricFamily } from "./prometheus-text.ts";

const counter = (name: string, help: string): MetricFamily => ({ name, type: "counter", help });
const gauge = (name: string, help: string): MetricFamily => ({ name, type: "gauge", help });
const histogram = (name: string, help: string): MetricFamily => ({ name, type: "histogram", help });

export const METRIC_FAMILIES: readonly MetricFamily[] = [
  gauge("dejavu_build_info", "Always 1; the label is the version that answers."),
  gauge(
    "dejavu_database_up",
    "Whether the database answered this scrape; where it is 0, no figure but these two is known.",
  ),

  counter("dejavu_triages_total", "Finished triages."),
  histogram(
    "dejavu_triage_duration_seconds",
    "From the beginning of an investigation to its answer, storing it not included.",
  ),
  histogram("dejavu_triage_confidence", "Confidence of the answers, from 0 to 1."),
  counter("dejavu_triage_failures_total", "Runs that ended without an answer: given up, or died and swept."),
  counter("dejavu_incidents_total", "Incidents that were reported, by whether somebody waits (direct) or a queue."),
  counter("dejavu_incidents_unanswered_total", "Incidents that were given up, by the reason of the last run."),
  counter("dejavu_alerts_total", "Alerts of monitoring systems when first heard of, by what became of each."),
  counter(
    "dejavu_resolutions_total",
    "Incidents resolved: told by a person, or ended because all alerts did; and whether the answer worked.",
  ),
  counter("dejavu_ratings_total", "Votes on answers; a vote that was changed counts as another."),

  counter("dejavu_recalls_total", "Triages that searched what is known; blocked and benign ones do not."),
  counter("dejavu_recall_hits_total", "What these recalled, by layer of memory."),
  counter(
    "dejavu_recalls_grounded_total",
    "Triages that recalled a runbook, or a past incident, which covers the report.",
  ),
  counter(
    "dejavu_degraded_recalls_total",
    "Triages whose answer lacks what a system would have given, by that system.",
  ),
  counter("dejavu_reflections_total", "Answers that were thought over after criticism."),
  counter("dejavu_injections_blocked_total", "Questions refused as instructions to a model."),
  counter("dejavu_injected_lines_removed_total", "Lines of alerts and logs removed as instructions to a model."),
  counter("dejavu_redactions_total", "Secrets and personal data replaced in reports."),

  counter("dejavu_model_calls_total", "Requests to language models, failed ones included."),
  counter("dejavu_model_tokens_total", "Tokens of language models: read, read from the provider's cache, written."),
  counter("dejavu_model_cost_dollars_total", "What language models cost by the configured prices, in US dollars."),
  counter("dejavu_token_budget_refusals_total", "Triages without a model because the day's tokens were used up."),

  gauge("dejavu_outbox_depth", "Writes that the vector store is owed."),
  gauge("dejavu_outbox_oldest_seconds", "Age of the oldest of them; 0 where there is none."),
  gauge("dejavu_annotations_pending", "Votes that are yet to be posted to Phoenix."),
  gauge("dejavu_annotations_oldest_seconds", "Age of the oldest of them; 0 where there is none."),
  gauge("dejavu_annotations_given_up", "Votes that Phoenix did not take and will not be sent again."),
  gauge("dejavu_queue_depth", "Incidents that wait for their investigation."),
  gauge("dejavu_queue_oldest_seconds", "For how long the first of them waits; 0 where there is none."),
  gauge("dejavu_job_interval_seconds", "How often a job is due."),
  gauge("dejavu_job_last_run_timestamp_seconds", "When a job last began; 0 where it never did."),
  gauge("dejavu_job_last_success_timestamp_seconds", "When a job last ended well; 0 where it never did."),
  gauge("dejavu_job_last_run_failed", "Whether the last run of a job that ended failed."),
  counter("dejavu_spans_dropped_total", "Spans that reached no collector."),
];
