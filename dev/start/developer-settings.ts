// Variables of a developer's environment that the local Worker gets: language model, hidden names, reranker, Slack, the
// secrets of notification targets and sources of evidence, grouping of alerts, traces and log.

import { MODEL_PROVIDER_SETTINGS } from "../../functions/adapters/model-providers/index.ts";

const NAMES = [
  "MODEL",
  "SMALL_MODEL",
  ...Object.keys(MODEL_PROVIDER_SETTINGS),
  "MODEL_PRICE",
  "DAILY_TOKEN_BUDGET",
  "TRIAGE_BUDGET_MS",
  "PSEUDONYMISE",
  "RERANKER",
  "RERANK_URL",
  "RERANK_API_KEY",
  "DEPENDENCY_TIMEOUT_MS",
  "SLACK_SIGNING_SECRET",
  "SLACK_BOT_TOKEN",
  "SLACK_API_URL",
  "PUBLIC_URL",
  "ALERT_GROUP_WINDOW_SECONDS",
  "ALERT_GROUP_LABELS",
  "MAX_WAITING_INCIDENTS",
  "LOG_LEVEL",
  "OTLP_ENDPOINT",
  "OTLP_HEADERS",
  "TRACE_PROJECT",
  "HIDE_TRACE_TEXTS",
  "PHOENIX_URL",
  "PHOENIX_API_KEY",
];

export function developerSettings(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const secrets = Object.keys(environment).filter((name) => /^(?:NOTIFY|EVIDENCE)_/.test(name));
  return Object.fromEntries(
    [...NAMES, ...secrets].flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}
