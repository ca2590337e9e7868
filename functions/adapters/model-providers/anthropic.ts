// Models of Anthropic, and of servers with its Messages API.

// The main entry has Anthropic's batches, files and tools, too: 30 KB of the bundle.
import { AnthropicLanguageModel } from "@ai-sdk/anthropic/internal";
import { httpUrl, optionalText } from "../../schemas/settings/http-url.ts";
import type { StartTimer } from "../../timers.ts";
import { createSdkModel } from "../ai-sdk-model.ts";
import { fetchDirect } from "../http/fetch-direct.ts";
import type { LanguageModel } from "../language-model.ts";
import type { ModelProvider } from "./model-provider.ts";

const HOST = "https://api.anthropic.com";
const API = `${HOST}/v1`;

const settings = {
  ANTHROPIC_API_KEY: optionalText.describe("Secret. Key for Anthropic."),
  ANTHROPIC_BASE_URL: httpUrl.optional().describe("Another server with Anthropic's Messages API, version included."),
};

export const anthropic: ModelProvider<"anthropic", typeof settings> = {
  name: "anthropic",
  settings,
  create: (model, { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl }, { startTimer }) =>
    apiKey === undefined ? null : createAnthropicModel(model, { apiKey, baseUrl, startTimer }),
};

export interface AnthropicOptions {
  readonly apiKey: string;
  /** Base URL up to and including the version; Anthropic's own by default. */
  readonly baseUrl?: string | undefined;
  readonly startTimer: StartTimer;
}

export function createAnthropicModel(model: string, options: AnthropicOptions): LanguageModel {
  const { apiKey, baseUrl, startTimer } = options;
  const baseURL = (baseUrl ?? API).replace(/\/$/, "");
  const wire = new AnthropicLanguageModel(model, {
    provider: "anthropic.messages",
    baseURL: baseURL === HOST ? API : baseURL,
    headers: { "anthropic-version": "2023-06-01", "x-api-key": apiKey },
    fetch: fetchDirect,
    supportsMessageThreads: true,
  });
  return createSdkModel(`anthropic:${model}`, wire, {
    streams: true,
    schemaInPrompt: false,
    spanNames: { provider: "anthropic", system: "anthropic" },
    startTimer,
  });
}
