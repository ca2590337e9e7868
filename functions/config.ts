// Owns every tunable: its environment variable, default, range, and the contradictions between two of them.
// The only reader of the environment beside services.ts.

import { z } from "zod";
import { LOG_LEVELS } from "./telemetry/log.ts";

const count = (least: number, most: number, fallback: number) =>
  z.coerce.number().int().min(least).max(most).default(fallback);
const share = (fallback: number) => z.coerce.number().min(0).max(1).default(fallback);
const milliseconds = (fallback: number) => count(10, 120_000, fallback);
const webOrigin = z
  .string()
  .refine(
    (value) => /^https?:[^*]+$/.test(value) && URL.canParse(value) && new URL(value).origin === value,
    "must be origins such as https://grafana.example.com, separated by commas: no path, no slash at the end, no *",
  );
const httpUrl = z.url({ protocol: /^https?$/, error: "must be a URL that begins with http:// or https://" });
const serverUrl = httpUrl.refine((url) => URL.canParse(url) && new URL(url).pathname === "/", "must not have a path");
/** Of a server to whose address a path is added. @param key the setting that holds what it asks for */
const observerUrl = (added: string, key: string) =>
  httpUrl.refine(
    (url) => !URL.canParse(url) || isBareUrl(url),
    `must be an address such as http://127.0.0.1:6006: without ${added}, which is added, without a query, and without a ` +
      `user or password (what the server asks for is ${key}'s)`,
  );
const optionalText = z.string().trim().optional();
const webhookSecret = z.string().trim().min(16, "must have at least 16 characters").optional();
const MODEL_FORM = '"anthropic:<model>", "workers-ai:<model>" or "openai-compatible:<model>"';
const modelName = z
  .string()
  .trim()
  .regex(/^(anthropic|workers-ai|openai-compatible):.+$/, `must be ${MODEL_FORM}`);
/** US dollars for a million tokens: read, read from the provider's cache, written. */
const price = z
  .string()
  .trim()
  .regex(/^\d+(\.\d+)?\/\d+(\.\d+)?\/\d+(\.\d+)?$/, 'must be "<input>/<cached input>/<output>", such as "1/0.1/5"')
  .optional();

const otlpHeaders = z
  .string()
  .default("")
  .transform((list, context) => {
    const headers = parseHeaders(list);
    if (headers) return headers;
    const message = 'must be headers such as "authorization=Bearer%20key", separated by commas';
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
const flag = z
  .enum(["true", "false"], "must be true or false")
  .default("false")
  .transform((value) => value === "true");

const environmentSchema = z.object({
  /** The service's own bearer token, which has every scope. Without one only tokens on record are accepted. */
  DEJAVU_TOKEN: z
    .string()
    .trim()
    .regex(
      /^[A-Za-z0-9._~+/-]{16,512}=*$/,
      "must be 16 to 512 letters, digits or . _ ~ + / - so that a header can carry it",
    )
    .optional(),
  /** How long an isolate goes by what it knows of a token: so long may a revoked one go on. 0 asks each time. */
  TOKEN_CACHE_SECONDS: count(0, 3_600, 60),
  /** Web pages that may call, separated by commas; none where it is not given. */
  CORS_ORIGINS: z
    .string()
    .transform((list) =>
      list
        .split(",")
        .map((each) => each.trim())
        .filter((each) => each !== ""),
    )
    .pipe(z.array(webOrigin))
    .default([]),

  SUPABASE_URL: httpUrl,
  SUPABASE_SERVICE_ROLE_KEY: z.string().min(1),
  POSTGRES_TIMEOUT_MS: milliseconds(2_000),

  CHROMA_URL: serverUrl,
  CHROMA_API_KEY: optionalText,
  CHROMA_TENANT: z.string().min(1).default("default_tenant"),
  CHROMA_DATABASE: z.string().min(1).default("default_database"),
  CHROMA_TIMEOUT_MS: milliseconds(2_000),

  /** `openai-compatible:<model>` or `workers-ai:<model>`. */
  EMBEDDING_MODEL: z
    .string()
    .regex(/^(openai-compatible|workers-ai):.+$/, 'must be "openai-compatible:<model>" or "workers-ai:<model>"'),
  EMBEDDING_DIMENSIONS: count(1, 8_192, 512),
  EMBEDDINGS_URL: httpUrl.optional(),
  EMBEDDINGS_API_KEY: optionalText,
  EMBEDDINGS_TIMEOUT_MS: milliseconds(2_000),
  /** Texts in one embedding request. */
  EMBEDDING_BATCH_SIZE: count(1, 256, 32),

  /** Words in a chunk, and words that two neighbours share. */
  CHUNK_SIZE: count(20, 5_000, 400),
  CHUNK_OVERLAP: count(0, 4_999, 50),

  /** Chunks and incidents that go into a triage. */
  RUNBOOK_RECALL_LIMIT: count(1, 50, 5),
  INCIDENT_RECALL_LIMIT: count(1, 50, 6),
  /** Chunks that go into the answer to a bare question. */
  TOP_K: count(1, 50, 3),
  /** Hits that each of the two searches contributes to the fusion. */
  SEARCH_CANDIDATES: count(1, 200, 30),
  /** Cosine distance beyond which a past incident is not a memory of this one; 0 to 2. */
  INCIDENT_MAX_DISTANCE: z.coerce.number().min(0).max(2).default(1.5),
  /** Earlier answers that go into a triage. */
  MEMORY_RECALL_LIMIT: count(0, 20, 3),
  /** What an earlier answer of the same session is worth more, beside a cosine of -1 to 1. */
  SESSION_BOOST: share(0.2),
  TIME_DECAY_HALFLIFE_DAYS: z.coerce.number().positive().default(365),
  /** `1 − cosine distance / 2` of texts that have nothing, and much, to do with each other: it differs by embedding model. */
  RELEVANCE_UNRELATED: share(0.6),
  RELEVANCE_CLOSE: share(0.9),
  /** Grounding score under which a recalled text is not presented as an answer. */
  GROUNDING_THRESHOLD: share(0.5),

  /** What puts the best runbooks in order: `http:<model>` at RERANK_URL, `workers-ai:<model>`, or `none`. */
  RERANKER: z
    .string()
    .trim()
    .regex(/^none$|^(http|workers-ai):.+$/, 'must be none, "http:<model>" or "workers-ai:<model>"')
    .default("none"),
  /** Of `http`, up to and including the version: `/rerank` is added. */
  RERANK_URL: httpUrl.optional(),
  RERANK_API_KEY: optionalText,
  RERANK_TIMEOUT_MS: milliseconds(2_000),
  /** Runbooks that it judges; the others stay behind. */
  RERANK_CANDIDATES: count(1, 100, 9),

  /** What writes the answers; `none` for quoting only. Without it, Anthropic where there is a key. */
  MODEL: z
    .string()
    .trim()
    .regex(/^none$|^(anthropic|workers-ai|openai-compatible):.+$/, `must be none, or ${MODEL_FORM}`)
    .optional(),
  /** What classifies and criticises; the same as MODEL where it is not given. */
  SMALL_MODEL: modelName.optional(),
  ANTHROPIC_API_KEY: optionalText,
  /** Another server that speaks Anthropic's Messages, up to and including the version. */
  ANTHROPIC_BASE_URL: httpUrl.optional(),
  /** Of `openai-compatible`, up to and including the version. */
  MODEL_BASE_URL: httpUrl.optional(),
  MODEL_API_KEY: optionalText,
  /** Of `openai-compatible`: whether a model may think first. Where it is not given, one on this machine may not. */
  MODEL_THINKING: z.enum(["off", "default"]).optional(),
  /** Of `openai-compatible`: `object` for a server that cannot hold a model to a JSON schema. */
  MODEL_JSON: z.enum(["schema", "object"]).default("schema"),
  MODEL_PRICE: price,
  SMALL_MODEL_PRICE: price,
  /** Tokens that one answer may take. */
  MODEL_MAX_OUTPUT_TOKENS: count(256, 64_000, 4_096),
  /** Tokens a day (UTC), read and written, past which answers are only quoted. No limit where it is not given. */
  DAILY_TOKEN_BUDGET: z.coerce.number().int().min(0).optional(),
  /** For a whole triage. */
  TRIAGE_BUDGET_MS: milliseconds(25_000),
  /** A critic's score under which an answer is thought over once. */
  CONFIDENCE_THRESHOLD: share(0.5),
  /** Times that an unusable criticism is asked for again. */
  AGENT_RETRIES: count(0, 10, 5),
  /** Earlier questions of a session that the model sees. */
  EPISODIC_CONTEXT_TURNS: count(0, 50, 5),
  /** Characters of a log that the model sees. */
  LOG_CONTEXT_LENGTH: count(200, 200_000, 8_000),
  /** Between two signs of life in a stream. */
  STREAM_HEARTBEAT_MS: milliseconds(10_000),

  /** A critic's score from which on the way to an answer is remembered as a procedure. */
  PROCEDURAL_THRESHOLD: share(0.7),
  /** Without use for so long, a procedure counts half. */
  PROCEDURE_DECAY_DAYS: z.coerce.number().min(1).max(36_500).default(90),
  /** A session without a turn for so long, and with more memories than that, is summed up. */
  SESSION_IDLE_HOURS: z.coerce.number().min(0.01).max(8_760).default(24),
  SESSION_COMPRESS_THRESHOLD: count(1, 1_000, 20),
  /** An investigation that began so long ago and has no end has died. */
  SWEEP_AFTER_SECONDS: count(30, 86_400, 300),
  /** Runs that an incident of the queue gets. */
  MAX_TRIAGE_ATTEMPTS: count(1, 10, 3),
  /** What is kept for the record only leaves after that. */
  RETENTION_DAYS: z.coerce.number().min(1).max(36_500).default(90),

  /** What Slack signs its requests with; without it there is no door for Slack. */
  SLACK_SIGNING_SECRET: z.string().trim().min(16, "must have 16 characters at least").optional(),
  /** With it, Dejavu answers mentions in their thread. */
  SLACK_BOT_TOKEN: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, "must be visible ASCII characters, so that a header can carry it")
    .optional(),
  /** Where a `response_url` may lead. Another one only for GovSlack (https://hooks.slack-gov.com) or a test. */
  SLACK_RESPONSE_ORIGIN: serverUrl.default("https://hooks.slack.com"),
  /** Up to and including `/api`. */
  SLACK_API_URL: httpUrl.default("https://slack.com/api"),
  /** For one message, its retry included. */
  SLACK_TIMEOUT_MS: milliseconds(2_000),
  /** Alerts of one name and domain that arrive so soon after the first are one incident; 0 for those of one webhook only. */
  ALERT_GROUP_WINDOW_SECONDS: count(0, 86_400, 300),
  /** Grafana's webhooks must bear a signature made with it, beside the token. */
  GRAFANA_WEBHOOK_SECRET: webhookSecret,
  /** PagerDuty's webhooks are signed with it. Without it there is no door for them. */
  PAGERDUTY_WEBHOOK_SECRET: webhookSecret,

  /** What weighs less is not logged. */
  LOG_LEVEL: z.enum(LOG_LEVELS).default("info"),
  /** Where spans go, besides the platform: `/v1/traces` is added. Without it, nowhere else. */
  OTLP_ENDPOINT: observerUrl("/v1/traces", "OTLP_HEADERS").optional(),
  /** Headers for it, as OpenTelemetry writes them: `name=value,name=value`, values percent-encoded. */
  OTLP_HEADERS: optionalText.pipe(otlpHeaders),
  /** For one batch of spans, its retry included. */
  OTLP_TIMEOUT_MS: milliseconds(5_000),
  /** The project that traces go to; those of evaluations go to `<project>-evaluation`. */
  TRACE_PROJECT: z.string().trim().min(1).max(128).default("dejavu"),
  /** OpenInference's own names: spans without what came in, and without what went out. */
  OPENINFERENCE_HIDE_INPUTS: flag,
  OPENINFERENCE_HIDE_OUTPUTS: flag,
  /** A Phoenix: votes are posted to it as annotations of the triage's span. `/v1/span_annotations` is added. */
  PHOENIX_URL: observerUrl("/v1/span_annotations", "PHOENIX_API_KEY").optional(),
  PHOENIX_API_KEY: optionalText,
  /** For one annotation, its retry included. */
  PHOENIX_TIMEOUT_MS: milliseconds(2_000),

  MEMORY_WRITE_TIMEOUT_MS: milliseconds(8_000),
  OUTBOX_BATCH_SIZE: count(1, 50, 10),
  OUTBOX_LEASE_SECONDS: count(10, 3_600, 60),
  /** How long a repeated Idempotency-Key waits for the first request before it may take over. */
  IDEMPOTENCY_LEASE_SECONDS: count(1, 3_600, 60),
  MAX_BODY_BYTES: count(1_024, 10_485_760, 1_048_576),
});

/** Plain strings as Workers and Node give them; names that are not ours are ignored. */
export type Environment = Readonly<Record<string, unknown>>;
export type Config = Readonly<z.infer<typeof environmentSchema>>;

/** Thrown at start-up; the message names each variable at fault and never its value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Validates the environment. @throws ConfigError that names every variable at fault */
export function readConfig(environment: Environment): Config {
  // A blank value is one that is not set: number("") would be 0.
  const given = Object.entries(environment).filter(([, value]) => typeof value !== "string" || value.trim() !== "");
  const parsed = environmentSchema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigError(`The environment is not valid. ${faults.join("; ")}.`);
  }
  const contradictions = findContradictions(parsed.data);
  if (contradictions.length > 0)
    throw new ConfigError(`The environment contradicts itself. ${contradictions.join(" ")}`);
  return parsed.data;
}

/** How long Cloudflare lets work go on that was given to `waitUntil`. */
const WORK_AFTER_ANSWER_MS = 30_000;

function findContradictions(config: Config): string[] {
  const found: string[] = [];
  if (config.CHUNK_OVERLAP >= config.CHUNK_SIZE) {
    found.push(`CHUNK_OVERLAP (${config.CHUNK_OVERLAP}) must be less than CHUNK_SIZE (${config.CHUNK_SIZE}).`);
  }
  for (const limit of ["TOP_K", "RUNBOOK_RECALL_LIMIT", "INCIDENT_RECALL_LIMIT", "MEMORY_RECALL_LIMIT"] as const) {
    if (config.SEARCH_CANDIDATES < config[limit]) {
      found.push(`SEARCH_CANDIDATES (${config.SEARCH_CANDIDATES}) must be at least ${limit} (${config[limit]}).`);
    }
  }
  if (config.RERANK_CANDIDATES < config.TOP_K) {
    found.push(`RERANK_CANDIDATES (${config.RERANK_CANDIDATES}) must be at least TOP_K (${config.TOP_K}).`);
  }
  if (config.RERANKER.startsWith("http:") && config.RERANK_URL === undefined) {
    found.push("RERANKER is http, so RERANK_URL must be set.");
  }
  if (config.RELEVANCE_UNRELATED >= config.RELEVANCE_CLOSE) {
    found.push(
      `RELEVANCE_UNRELATED (${config.RELEVANCE_UNRELATED}) must be less than RELEVANCE_CLOSE (${config.RELEVANCE_CLOSE}).`,
    );
  }
  if (config.OUTBOX_LEASE_SECONDS * 1_000 < config.MEMORY_WRITE_TIMEOUT_MS) {
    found.push(
      `OUTBOX_LEASE_SECONDS (${config.OUTBOX_LEASE_SECONDS} s) must not be shorter than MEMORY_WRITE_TIMEOUT_MS ` +
        `(${config.MEMORY_WRITE_TIMEOUT_MS} ms).`,
    );
  }
  if (config.PHOENIX_URL !== undefined && config.OUTBOX_LEASE_SECONDS * 1_000 <= config.PHOENIX_TIMEOUT_MS) {
    found.push(
      `OUTBOX_LEASE_SECONDS (${config.OUTBOX_LEASE_SECONDS} s) must be longer than PHOENIX_TIMEOUT_MS ` +
        `(${config.PHOENIX_TIMEOUT_MS} ms), or a vote is posted a second time beside the first.`,
    );
  }
  if (config.EMBEDDING_MODEL.startsWith("openai-compatible:") && config.EMBEDDINGS_URL === undefined) {
    found.push("EMBEDDING_MODEL is openai-compatible, so EMBEDDINGS_URL must be set.");
  }
  if (config.IDEMPOTENCY_LEASE_SECONDS * 1_000 <= config.TRIAGE_BUDGET_MS) {
    found.push(
      `IDEMPOTENCY_LEASE_SECONDS (${config.IDEMPOTENCY_LEASE_SECONDS} s) must be longer than TRIAGE_BUDGET_MS ` +
        `(${config.TRIAGE_BUDGET_MS} ms), or a repeated request starts a second triage beside the first.`,
    );
  }
  if (config.SWEEP_AFTER_SECONDS * 1_000 <= config.TRIAGE_BUDGET_MS) {
    found.push(
      `SWEEP_AFTER_SECONDS (${config.SWEEP_AFTER_SECONDS} s) must be longer than TRIAGE_BUDGET_MS ` +
        `(${config.TRIAGE_BUDGET_MS} ms), or investigations are closed while they run.`,
    );
  }
  const slackMs = config.POSTGRES_TIMEOUT_MS + config.TRIAGE_BUDGET_MS + config.SLACK_TIMEOUT_MS;
  if (config.SLACK_SIGNING_SECRET !== undefined && slackMs > WORK_AFTER_ANSWER_MS) {
    found.push(
      `SLACK_SIGNING_SECRET is set, so POSTGRES_TIMEOUT_MS, TRIAGE_BUDGET_MS and SLACK_TIMEOUT_MS together (${slackMs} ms) ` +
        `must be at most ${WORK_AFTER_ANSWER_MS} ms: a Worker is stopped that long after its acknowledgement.`,
    );
  }
  const tracingMs = config.OTLP_TIMEOUT_MS + config.POSTGRES_TIMEOUT_MS;
  if (config.OTLP_ENDPOINT !== undefined && tracingMs > WORK_AFTER_ANSWER_MS) {
    found.push(
      `OTLP_ENDPOINT is set, so OTLP_TIMEOUT_MS and POSTGRES_TIMEOUT_MS together (${tracingMs} ms) must be at most ` +
        `${WORK_AFTER_ANSWER_MS} ms: a Worker is stopped that long after its answer, with spans neither sent nor counted.`,
    );
  }
  if (config.SLACK_BOT_TOKEN !== undefined && config.SLACK_SIGNING_SECRET === undefined) {
    found.push("SLACK_BOT_TOKEN is set, so SLACK_SIGNING_SECRET must be set: nobody could ask over Slack without it.");
  }
  for (const name of ["MODEL", "SMALL_MODEL"] as const) {
    if (config[name]?.startsWith("openai-compatible:") && config.MODEL_BASE_URL === undefined)
      found.push(`${name} is openai-compatible, so MODEL_BASE_URL must be set.`);
  }
  return found;
}

const DEFAULT_MODEL = "anthropic:claude-haiku-4-5";

/** The model that writes answers, as configured; undefined where answers are only quoted. */
export function answerModel({
  MODEL,
  ANTHROPIC_API_KEY,
}: Pick<Config, "MODEL" | "ANTHROPIC_API_KEY">): string | undefined {
  if (MODEL === "none") return undefined;
  return MODEL ?? (ANTHROPIC_API_KEY === undefined ? undefined : DEFAULT_MODEL);
}

function isBareUrl(url: string): boolean {
  const { username, password, pathname } = new URL(url);
  return (
    username === "" && password === "" && !/[?#]/.test(url) && !/\/v1\/(traces|span_annotations)\/*$/.test(pathname)
  );
}

/** Headers as OpenTelemetry writes them, `name=value,name=value` with percent-encoded values; undefined for anything else. */
function parseHeaders(list: string): Record<string, string> | undefined {
  const pairs = list
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  const headers: Record<string, string> = {};
  for (const pair of pairs) {
    const [, name = "", encoded = ""] = /^([\w!#$%&'*+.^`|~-]+)=(.*)$/.exec(pair) ?? [];
    const value = percentDecoded(encoded);
    if (name === "" || value === undefined || !/^[\x20-\x7e]*$/.test(value)) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
