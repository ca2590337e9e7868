// Models of servers with OpenAI's chat completions API.

import { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import { z } from "zod";
import { isLocalHost } from "../../../lib/links/local-hosts.ts";
import { httpUrl, optionalText } from "../../schemas/settings/http-url.ts";
import type { StartTimer } from "../../timers.ts";
import { createSdkModel, withoutThinking } from "../ai-sdk-model.ts";
import { fetchDirect } from "../http/fetch-direct.ts";
import type { LanguageModel } from "../language-model.ts";
import type { ModelProvider } from "./model-provider.ts";

const settings = {
  MODEL_BASE_URL: httpUrl.optional().describe("For `openai-compatible`: base URL up to and including the version."),
  MODEL_API_KEY: optionalText.describe("Secret. Key of that server."),
  MODEL_THINKING: z
    .enum(["off", "default"])
    .optional()
    .describe(
      "For `openai-compatible`: `off` asks the model not to think first. `off` by default for a server on a private network.",
    ),
  MODEL_JSON: z
    .enum(["schema", "object"])
    .default("schema")
    .describe("For `openai-compatible`: `object` for servers that do not support JSON schemas."),
};

export const openAiCompatible: ModelProvider<"openai-compatible", typeof settings> = {
  name: "openai-compatible",
  settings,
  requires: "MODEL_BASE_URL",
  create: (model, { MODEL_BASE_URL: baseUrl = "", MODEL_API_KEY, MODEL_THINKING, MODEL_JSON }, { startTimer }) =>
    createOpenAiCompatibleModel(model, {
      baseUrl,
      apiKey: MODEL_API_KEY,
      thinking: MODEL_THINKING ?? (isPrivateHost(baseUrl) ? "off" : "default"),
      json: MODEL_JSON,
      startTimer,
    }),
};

export interface OpenAiCompatibleOptions {
  /** Base URL up to and including the version, for example `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** `off` asks for an answer without thinking, which takes time during an incident. */
  readonly thinking: "off" | "default";
  /** `schema`: the server enforces the schema. `object`: it only guarantees JSON. */
  readonly json: "schema" | "object";
  readonly startTimer: StartTimer;
}

export function createOpenAiCompatibleModel(model: string, options: OpenAiCompatibleOptions): LanguageModel {
  const baseUrl = options.baseUrl.replace(/\/$/, "");
  const wire = new OpenAICompatibleChatLanguageModel(model, {
    provider: "openai-compatible.chat",
    url: ({ path }) => `${baseUrl}${path}`,
    headers: () => (options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
    fetch: fetchDirect,
    includeUsage: true,
    supportsStructuredOutputs: options.json === "schema",
    transformRequestBody: (body) => (options.thinking === "off" ? { ...body, ...WITHOUT_THINKING } : body),
  });
  return createSdkModel(`openai-compatible:${model}`, withoutThinking(wire), {
    streams: true,
    schemaInPrompt: options.json === "object",
    spanNames: { system: "openai" },
    startTimer: options.startTimer,
  });
}

/** Ollama reads the first field, vLLM and llama.cpp the second; each ignores the other. */
const WITHOUT_THINKING = { reasoning_effort: "none", chat_template_kwargs: { enable_thinking: false } };

/** Whether the server is on this machine or a private network. Such servers are slow, so thinking is off by default. */
function isPrivateHost(url: string): boolean {
  return isLocalHost(new URL(url).hostname);
}
