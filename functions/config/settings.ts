// The settings: one environment variable each, with its group, meaning, default and range. docs/reference/settings.md
// is made from this file with `npm run generate -- reference`.

import { z } from "zod";
import { MODEL_PROVIDER_SETTINGS, MODEL_PROVIDERS } from "../adapters/model-providers/index.ts";
import {
  EVIDENCE_KIND_NAMES,
  EVIDENCE_KINDS,
  type SourceCredentialSetting,
  type SourceUrlSetting,
} from "../schemas/evidence/evidence-kinds.ts";
import { httpUrl, optionalText } from "../schemas/settings/http-url.ts";
import { LOG_LEVELS } from "../telemetry/log.ts";
import {
  count,
  evidenceUrl,
  flag,
  inputTypes,
  labelNames,
  milliseconds,
  observerUrl,
  otlpHeaders,
  price,
  publicUrl,
  secretOrBinding,
  serverUrl,
  share,
  slackIds,
  tokenBudget,
  webhookSecret,
  webOrigins,
} from "./setting-types.ts";

const PROVIDER_NAMES = MODEL_PROVIDERS.map(({ name }) => name);
/** Each provider with a model. @param quote around each */
const modelForms = (quote: string) => PROVIDER_NAMES.map((name) => `${quote}${name}:<model>${quote}`).join(", ");
const MODEL_FORM = modelForms('"').replace(/, ([^,]+)$/, " or $1");
const MODEL_NAME = `(${PROVIDER_NAMES.join("|")}):.+`;
const modelName = z
  .string()
  .trim()
  .regex(new RegExp(`^${MODEL_NAME}$`), `must be ${MODEL_FORM}`);

/** The settings that define one source of evidence of each kind. */
function evidenceSources() {
  const entries = EVIDENCE_KIND_NAMES.flatMap((kind) => {
    const { urlSetting, credentialSetting, schemes, product } = EVIDENCE_KINDS[kind];
    const address = `${schemes.at(-1)}://`;
    return [
      [urlSetting, evidenceUrl(kind).describe(`Address (\`${address}…\`) of the source \`${kind}\`: ${product}.`)],
      [credentialSetting, secretOrBinding.describe("Secret. Its [credential](../guides/evidence.md#credentials).")],
    ];
  });
  return Object.fromEntries(entries) as Record<SourceUrlSetting, ReturnType<typeof evidenceUrl>> &
    Record<SourceCredentialSetting, typeof secretOrBinding>;
}

const evidence = evidenceSources();

const access = {
  DEJAVU_TOKEN: z
    .string()
    .trim()
    .regex(
      /^[A-Za-z0-9._~+/-]{16,512}=*$/,
      "must be 16 to 512 letters, digits or . _ ~ + / - so that a header can carry it",
    )
    .optional()
    .describe("Secret. Bearer token with every scope. Without it only tokens made with `dejavu tokens` are accepted."),
  PSEUDONYMISE: flag.describe(
    "`true` hides names of hosts, pods, namespaces, users and addresses from models, rerankers and embedders. A change needs `dejavu reindex`.",
  ),
  PUBLIC_URL: publicUrl.describe(
    "Address that people open, such as `https://dejavu.example.com`, for links to the console. Without it, answers in Slack have no links, and only this machine gets links that sign in.",
  ),
  CORS_ORIGINS: webOrigins.describe("Origins of web pages that may call, separated by commas."),
  REDACT_PRIVATE_ADDRESSES: flag.describe(
    "`true` redacts IP addresses of private networks, too. They stay by default: overlaps of networks are incidents.",
  ),
};

const database = {
  SUPABASE_URL: httpUrl.describe("URL of the Supabase project."),
  SUPABASE_SERVICE_ROLE_KEY: z.string().min(1).describe("Secret. A secret key, or the legacy `service_role` key."),
  RETENTION_DAYS: z.coerce
    .number()
    .min(1)
    .max(36_500)
    .default(90)
    .describe(
      "Days after which ended alerts, changes, mutes, messages, job runs, idempotency keys, finished outbox entries, compressed originals and ended sessions are deleted.",
    ),
  FIX_CHECK_HOURS: z.coerce
    .number()
    .min(1)
    .max(720)
    .default(24)
    .describe("Hours after a resolution at which Dejavu looks whether the failure came back."),
};

const vectorStore = {
  CHROMA_URL: serverUrl.describe("URL of the Chroma server."),
  CHROMA_API_KEY: optionalText.describe("Secret. API key of Chroma Cloud."),
  CHROMA_TENANT: z.string().min(1).default("default_tenant").describe("Chroma tenant."),
  CHROMA_DATABASE: z.string().min(1).default("default_database").describe("Chroma database."),
};

const embedder = {
  EMBEDDING_MODEL: z
    .string()
    .regex(
      /^built-in$|^(openai-compatible|workers-ai):.+$/,
      'must be built-in, "openai-compatible:<model>" or "workers-ai:<model>"',
    )
    .default("built-in")
    .describe(
      "`built-in` (word vectors in the Worker), `workers-ai:<model>` (binding `AI`) or `openai-compatible:<model>`. A change needs `dejavu reindex`.",
    ),
  EMBEDDING_DIMENSIONS: count(1, 8_192, 768).describe("Length of a vector of another model than `built-in`."),
  EMBEDDINGS_URL: httpUrl
    .optional()
    .describe("For `openai-compatible`: base URL up to and including the version; `/embeddings` is added."),
  EMBEDDINGS_API_KEY: optionalText.describe("Secret. Key of that server."),
  EMBEDDINGS_INPUT_TYPE: inputTypes.describe(
    "For `openai-compatible`: the `input_type` of queries and of documents, as `<queries>/<documents>`: `query/document` for Voyage, `search_query/search_document` for Cohere; `none` sends none. A change needs `dejavu reindex`.",
  ),
};

const timeouts = {
  DEPENDENCY_TIMEOUT_MS: milliseconds(2_000).describe(
    "Milliseconds for one call to a dependency, retries included. During a triage at most a sixth of TRIAGE_BUDGET_MS.",
  ),
  TRIAGE_BUDGET_MS: milliseconds(25_000).describe("Milliseconds for a whole triage."),
};

const languageModel = {
  MODEL: z
    .string()
    .trim()
    .regex(new RegExp(`^none$|^${MODEL_NAME}$`), `must be none, or ${MODEL_FORM}`)
    .optional()
    .describe(
      `Model that writes answers: ${modelForms("`")}, or \`none\`. Without it \`anthropic:claude-haiku-4-5\` where ANTHROPIC_API_KEY is set.`,
    ),
  SMALL_MODEL: modelName.optional().describe("Model that classifies and criticises; MODEL by default."),
  ...MODEL_PROVIDER_SETTINGS,
  MODEL_PRICE: price.describe(
    "US dollars for a million tokens: `<input>/<cached input>/<output>`, and after a comma the same for SMALL_MODEL. Known for the default model; without it no cost is shown.",
  ),
  DAILY_TOKEN_BUDGET: tokenBudget.describe(
    "Tokens a day (UTC), input and output, after which answers are extractive; `none` for no limit. 5,000,000 by default: about 7 US dollars a day with the default model.",
  ),
};

const reranker = {
  RERANKER: z
    .string()
    .trim()
    .regex(/^none$|^(http|workers-ai):.+$/, 'must be none, "http:<model>" or "workers-ai:<model>"')
    .default("none")
    .describe("Model that orders the best runbooks: `workers-ai:<model>` (binding `AI`), `http:<model>`, or `none`."),
  RERANK_URL: httpUrl.optional().describe("For `http`: base URL up to and including the version; `/rerank` is added."),
  RERANK_API_KEY: optionalText.describe("Secret. Key of that server."),
};

const retrieval = {
  ANSWER_THRESHOLD: share(0.55).describe("Probability from which an answer names a cause."),
  POSSIBLE_THRESHOLD: share(0.3).describe(
    "Probability from which a runbook or a past incident is shown as a possible cause; below it, the outcome is `unknown`.",
  ),
};

const incidents = {
  ALERT_GROUP_WINDOW_SECONDS: count(0, 86_400, 300).describe(
    "Alerts of one name, domain and place (`ALERT_GROUP_LABELS`) that arrive within this time of the first join its incident. 0 groups only the alerts of one webhook.",
  ),
  ALERT_GROUP_LABELS: labelNames("cluster,namespace,team,job").describe(
    "Labels that say where an alert is, separated by commas. Alerts of one incident have the same values of them. `groupKey` stands for the group of Alertmanager or Grafana: its alerts are one incident, whatever their names.",
  ),
  MAX_WAITING_INCIDENTS: count(1, 100_000, 500).describe(
    "Incidents of one token that may wait for their investigation; more get 503 with `Retry-After`.",
  ),
  GRAFANA_WEBHOOK_SECRET: webhookSecret.describe(
    "Secret. If set, Grafana's webhooks need a signature made with it, besides the token.",
  ),
  PAGERDUTY_WEBHOOK_SECRET: webhookSecret.describe(
    "Secret. Verifies PagerDuty's webhooks; without it they are refused.",
  ),
  GITHUB_WEBHOOK_SECRET: webhookSecret.describe(
    "Secret. Verifies GitHub's webhooks about changes; without it they are refused.",
  ),
};

const slack = {
  SLACK_SIGNING_SECRET: z
    .string()
    .trim()
    .min(16, "must have 16 characters at least")
    .optional()
    .describe("Secret. Verifies Slack's requests; without it `/slack` does not exist."),
  SLACK_BOT_TOKEN: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, "must be visible ASCII characters, so that a header can carry it")
    .optional()
    .describe("Secret. Answers mentions in their thread, and opens the dialogs of its buttons."),
  SLACK_ALLOWED: slackIds.describe(
    "Ids of workspaces (`T…`, `E…`) and channels (`C…`, `G…`, `D…`) that may use `/slack`, separated by commas. Without a workspace: those that installed the app. Without a channel: all.",
  ),
  SLACK_API_URL: httpUrl
    .default("https://slack.com/api")
    .describe("Slack's API, up to and including `/api`; `https://slack-gov.com/api` for GovSlack."),
};

const observability = {
  LOG_LEVEL: z.enum(LOG_LEVELS).default("info").describe("Lines below this level are not logged."),
  OTLP_ENDPOINT: observerUrl("/v1/traces", "OTLP_HEADERS")
    .optional()
    .describe("Collector for OTLP over HTTP, such as Phoenix; `/v1/traces` is added."),
  OTLP_HEADERS: optionalText
    .pipe(otlpHeaders)
    .describe("Secret. Its headers: `name=value,name=value` with percent-encoded values."),
  TRACE_PROJECT: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .default("dejavu")
    .describe("Project of the traces; evaluations go to `<project>-evaluation`."),
  HIDE_TRACE_TEXTS: flag.describe("`true` sends spans without the texts of inputs and outputs."),
  PHOENIX_URL: observerUrl("/v1/span_annotations", "PHOENIX_API_KEY")
    .optional()
    .describe("Phoenix server that shows feedback beside traces; `/v1/span_annotations` is added."),
  PHOENIX_API_KEY: optionalText.describe("Secret. Its API key."),
};

/** The settings by group, in the order of docs/reference/settings.md. */
export const SETTING_GROUPS = {
  "Access and limits": access,
  "Database (Supabase)": database,
  "Vector store (Chroma)": vectorStore,
  Embedder: embedder,
  "Language model": languageModel,
  Reranker: reranker,
  Timeouts: timeouts,
  "Retrieval and answers": retrieval,
  "Incidents and alerts": incidents,
  "Live evidence": evidence,
  Slack: slack,
  Observability: observability,
} as const;

export const settingsSchema = z.object({
  ...access,
  ...database,
  ...vectorStore,
  ...embedder,
  ...languageModel,
  ...reranker,
  ...timeouts,
  ...retrieval,
  ...incidents,
  ...evidence,
  ...slack,
  ...observability,
});

export type Settings = Readonly<z.infer<typeof settingsSchema>>;
/** Settings that hold the secret of a webhook's signature. */
export type WebhookSecretSetting = Extract<keyof Settings, `${string}_WEBHOOK_SECRET`>;
