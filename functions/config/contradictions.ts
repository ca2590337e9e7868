// Contradictions between settings, each as a sentence that names both.

import { MODEL_PROVIDERS } from "../adapters/model-providers/index.ts";
import type { ModelProvider } from "../adapters/model-providers/model-provider.ts";
import { EVIDENCE_KIND_NAMES, EVIDENCE_KINDS, type EvidenceKindSupport } from "../schemas/evidence/evidence-kinds.ts";
import { CLEAR_TEXT_PROBLEM, sendsInClearText } from "../schemas/evidence/source-url.ts";
import type { Internals } from "./internals.ts";
import type { Settings } from "./settings.ts";

/** Milliseconds for which Cloudflare lets `waitUntil` tasks go on after the response. */
const MAX_BACKGROUND_MS = 30_000;

type Config = Settings & Internals;
type Rule = (config: Config) => string | false | undefined;

/** What each setting requires of the others. */
const RULES: readonly Rule[] = [
  ({ RERANKER, RERANK_URL }) =>
    RERANKER.startsWith("http:") && RERANK_URL === undefined && "RERANKER is http, so RERANK_URL must be set.",
  ({ POSSIBLE_THRESHOLD, ANSWER_THRESHOLD }) =>
    POSSIBLE_THRESHOLD > ANSWER_THRESHOLD &&
    `POSSIBLE_THRESHOLD (${POSSIBLE_THRESHOLD}) must be at most ANSWER_THRESHOLD (${ANSWER_THRESHOLD}).`,
  ({ EMBEDDING_MODEL, EMBEDDINGS_URL }) =>
    EMBEDDING_MODEL.startsWith("openai-compatible:") &&
    EMBEDDINGS_URL === undefined &&
    "EMBEDDING_MODEL is openai-compatible, so EMBEDDINGS_URL must be set.",
  ...MODEL_PROVIDERS.flatMap((provider) => [requiredBy("MODEL", provider), requiredBy("SMALL_MODEL", provider)]),
  ({ SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET }) =>
    SLACK_BOT_TOKEN !== undefined &&
    SLACK_SIGNING_SECRET === undefined &&
    "SLACK_BOT_TOKEN is set, so SLACK_SIGNING_SECRET must be set: Slack's requests cannot be verified without it.",
  (config) =>
    config.PHOENIX_URL !== undefined &&
    leaseIsLongerThan("DEPENDENCY_TIMEOUT_MS", "OUTBOX_LEASE_SECONDS", "an annotation is posted twice")(config),
  ...EVIDENCE_KIND_NAMES.map((kind) => credentialIsEncrypted(EVIDENCE_KINDS[kind])),
  leaseIsLongerThan("TRIAGE_BUDGET_MS", "STUCK_RUN_SECONDS", "runs are closed while they go on"),
  (config) =>
    config.SLACK_SIGNING_SECRET !== undefined &&
    fitsAfterResponse(2 * config.DEPENDENCY_TIMEOUT_MS + config.TRIAGE_BUDGET_MS, {
      setting: "SLACK_SIGNING_SECRET",
      parts: "twice DEPENDENCY_TIMEOUT_MS and TRIAGE_BUDGET_MS",
    }),
  (config) =>
    config.OTLP_ENDPOINT !== undefined &&
    fitsAfterResponse(config.OTLP_TIMEOUT_MS + config.DEPENDENCY_TIMEOUT_MS, {
      setting: "OTLP_ENDPOINT",
      parts: `DEPENDENCY_TIMEOUT_MS and ${config.OTLP_TIMEOUT_MS} ms for the spans`,
    }),
];

/** The contradictions of a configuration; empty for a valid one. */
export function findContradictions(config: Config): string[] {
  return RULES.map((rule) => rule(config)).filter((sentence) => typeof sentence === "string");
}

/** What a model of the provider requires. */
function requiredBy(
  setting: "MODEL" | "SMALL_MODEL",
  { name, requires }: Pick<ModelProvider, "name" | "requires">,
): Rule {
  return (config) => {
    const values: Readonly<Record<string, unknown>> = { ...config };
    const isMissing = requires !== undefined && values[requires] === undefined;
    return config[setting]?.startsWith(`${name}:`) && isMissing && `${setting} is ${name}, so ${requires} must be set.`;
  };
}

function credentialIsEncrypted({ urlSetting, credentialSetting }: EvidenceKindSupport): Rule {
  return (config) => {
    const url = config[urlSetting];
    const isExposed = url !== undefined && config[credentialSetting] !== undefined && sendsInClearText(url);
    return isExposed && `${credentialSetting} is set, so ${urlSetting} ${CLEAR_TEXT_PROBLEM}.`;
  };
}

function leaseIsLongerThan(
  timeout: "DEPENDENCY_TIMEOUT_MS" | "TRIAGE_BUDGET_MS",
  lease: "OUTBOX_LEASE_SECONDS" | "STUCK_RUN_SECONDS",
  consequence: string,
): Rule {
  return (config) =>
    config[timeout] >= config[lease] * 1_000 &&
    `${timeout} (${config[timeout]} ms) must be less than ${config[lease] * 1_000} ms, or ${consequence}.`;
}

function fitsAfterResponse(ms: number, { setting, parts }: { readonly setting: string; readonly parts: string }) {
  return (
    ms > MAX_BACKGROUND_MS &&
    `${setting} is set, so ${parts} together (${ms} ms) must be at most ${MAX_BACKGROUND_MS} ms: ` +
      "Cloudflare stops a Worker that long after its response."
  );
}
