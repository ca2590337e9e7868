// Owns the adapter to language models: Anthropic, Workers AI, and any server that speaks OpenAI's chat completions. The
// only file that knows the AI SDK.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  extractReasoningMiddleware,
  type FinishReason,
  generateText,
  type LanguageModelUsage,
  type OutputInterface,
  parsePartialJson,
  type SystemModelMessage,
  streamText,
  wrapLanguageModel,
} from "ai";
import { createWorkersAI, type WorkersAISettings } from "workers-ai-provider";
import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import {
  estimateTokens,
  type LanguageModel,
  type ModelRequest,
  readAnswer,
  storable,
  type TokenUsage,
} from "./language-model.ts";

// The SDK would write its remarks about a request to the log of the process.
globalThis.AI_SDK_LOG_WARNINGS = false;

type SdkModel = Parameters<typeof wrapLanguageModel>[0]["model"];

export interface AnthropicOptions {
  readonly apiKey: string;
  /** Up to and including the version; the public service where it is not given. */
  readonly baseUrl?: string | undefined;
}

export interface OpenAiCompatibleOptions {
  /** Up to and including the version, for example `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Asks for an answer at once: models that think first would spend the time of an incident on it. */
  readonly thinking: "off" | "default";
  /** `schema`: the server holds the model to the schema. `object`: it only promises JSON. */
  readonly json: "schema" | "object";
}

/** One further try when a request was not served: worth it for a dropped connection, too dear for a service that is down. */
const RETRIES = 1;
/** Characters of an answer between two looks at how far it has come: a handful of tokens. */
const PARTIAL_STEP = 24;
/** The same as a share of a long answer, each look at which takes time. */
const PARTIAL_SHARE = 0.02;

export function createAnthropicModel(model: string, { apiKey, baseUrl }: AnthropicOptions): LanguageModel {
  const provider = createAnthropic({ apiKey, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) });
  return createSdkModel(`anthropic:${model}`, provider(model), { streams: true, schemaInPrompt: false });
}

export function createOpenAiCompatibleModel(model: string, options: OpenAiCompatibleOptions): LanguageModel {
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    baseURL: options.baseUrl,
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    includeUsage: true,
    supportsStructuredOutputs: options.json === "schema",
    transformRequestBody: (body) => (options.thinking === "off" ? { ...body, ...WITHOUT_THINKING } : body),
  });
  return createSdkModel(`openai-compatible:${model}`, withoutThoughts(provider(model)), {
    streams: true,
    schemaInPrompt: options.json === "object",
  });
}

/** Ollama reads the first of the two, vLLM and llama.cpp the second; each ignores the other's. */
const WITHOUT_THINKING = { reasoning_effort: "none", chat_template_kwargs: { enable_thinking: false } };

export function createWorkersAiModel(model: string, binding: unknown): LanguageModel {
  // The provider's own type of the binding names every model there is; what it calls is `run`.
  const provider = createWorkersAI({ binding } as WorkersAISettings);
  // Workers AI does not stream what it holds to a schema.
  return createSdkModel(`workers-ai:${model}`, withoutThoughts(provider(model)), {
    streams: false,
    schemaInPrompt: false,
  });
}

/** Some models think aloud in their answer; what stands between the tags is none. */
function withoutThoughts(model: SdkModel): SdkModel {
  return wrapLanguageModel({ model, middleware: extractReasoningMiddleware({ tagName: "think" }) });
}

interface Capabilities {
  readonly streams: boolean;
  /** Whether the schema has to be told in words, because the provider takes none. */
  readonly schemaInPrompt: boolean;
}

interface RawAnswer {
  readonly text: string;
  readonly finish: FinishReason;
  readonly usage: LanguageModelUsage;
}

function createSdkModel(name: string, model: SdkModel, { streams, schemaInPrompt }: Capabilities): LanguageModel {
  return {
    name,
    async ask<T>(request: ModelRequest<T>) {
      const { schema, timeoutMs, cancelled, onPartial, onUsage } = request;
      const jsonSchema = z.toJSONSchema(schema, { target: "draft-7" });
      const instructions = schemaInPrompt
        ? `${request.instructions}\n\nThe JSON schema of your answer:\n${JSON.stringify(jsonSchema)}`
        : request.instructions;
      const sent = estimateTokens(instructions + request.turns.map(({ text }) => text).join(""));
      let attempt = 0;
      let open = false;
      let received = "";
      // Once a request.
      const count = (usage: TokenUsage) => {
        if (open) onUsage(usage);
        open = false;
      };
      // A request that failed midway may have been paid for, and nobody says how much.
      const estimate = () => usageOf(undefined, { input: sent, output: received });
      const send = async (signal: AbortSignal): Promise<RawAnswer> => {
        const settings = {
          model,
          instructions: cached(instructions),
          messages: request.turns.map(({ role, text }) => ({ role, content: text })),
          output: textOf(jsonSchema),
          maxOutputTokens: request.maxOutputTokens,
          maxRetries: 0, // Retries are callDependency's, under one deadline.
          abortSignal: signal,
        };
        if (!streams || !onPartial) return readWhole(settings);
        return readStream(settings, async (text) => {
          received = text;
          const value = await parsePartial(text);
          if (value !== undefined && !signal.aborted) onPartial(value, attempt);
        });
      };
      const answer = await callDependency(
        { dependency: "language_model", timeoutMs, retries: RETRIES, cancelled },
        async (signal) => {
          attempt += 1;
          open = true;
          received = "";
          try {
            const raw = await send(signal);
            received = raw.text;
            count(usageOf(raw.usage, { input: sent, output: received }));
            if (raw.finish === "interrupted")
              throw new DependencyError("language_model", "unreachable", "the answer broke off");
            return raw;
          } catch (error) {
            count(wasNotServed(error) ? NOTHING_USED : estimate());
            throw translate(error, signal);
          }
        },
      ).finally(() => count(estimate()));
      if (answer.finish === "content-filter")
        throw new DependencyError("language_model", "refused", "it declined to answer");
      const reply = readAnswer(schema, answer.text);
      if (!reply.ok && answer.finish === "length") return { ...reply, error: `${reply.error} ${TOO_LONG}` };
      return reply;
    },
  };
}

const NOTHING_USED: TokenUsage = { input: 0, cachedInput: 0, output: 0 };

/** Without a connection, or with an error in place of an answer. */
function wasNotServed(error: unknown): boolean {
  return APICallError.isInstance(error) && (error.statusCode === undefined || error.statusCode >= 400);
}

const TOO_LONG = "It ran into the limit on its length: be brief.";

type Settings = Parameters<typeof generateText>[0] & Parameters<typeof streamText>[0];

async function readWhole(settings: Settings): Promise<RawAnswer> {
  const { text, finishReason, usage } = await generateText(settings);
  return { text, finish: finishReason, usage };
}

/** @param onText gets all the text so far; it is waited for, so that reports come in order */
async function readStream(settings: Settings, onText: (text: string) => Promise<void>): Promise<RawAnswer> {
  // The error is read from the stream; the SDK would also print it, content and all.
  const { stream } = streamText({ ...settings, onError: () => {} });
  let text = "";
  let reported = 0;
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "abort") throw new DependencyError("language_model", "unreachable", "the stream was aborted");
    if (part.type === "text-delta") {
      text += part.text;
      if (text.length - reported < Math.max(PARTIAL_STEP, PARTIAL_SHARE * reported)) continue;
      reported = text.length;
      await onText(text);
    }
    if (part.type === "finish") return { text, finish: part.finishReason, usage: part.totalUsage };
  }
  throw new DependencyError("language_model", "unreachable", "the stream ended before the answer did");
}

/** The object as far as its text has come, with texts that can be stored; undefined where nothing can be read yet. */
export async function parsePartial(text: string): Promise<unknown> {
  const object = text.slice(Math.max(0, text.indexOf("{")));
  // Half a character is none yet; it would be taken for a broken one.
  return storable((await parsePartialJson(object.replace(HALF_CHARACTER, ""))).value);
}

/** At the end: a first half, as it is or escaped, or an escape that is not over. */
const HALF_CHARACTER = /(?:[\uD800-\uDBFF]|\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\(?:u[0-9a-fA-F]{0,3})?)?$/;

/** Anthropic caches what stands before such a mark; other providers cache by themselves and do not look at it. */
function cached(content: string): SystemModelMessage {
  return { role: "system", content, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
}

/** Asks for JSON of a schema and leaves the reading of it to us: a wrong answer is an answer, with its text. */
function textOf(schema: object): OutputInterface<string, number, never> {
  return {
    name: "json-text",
    responseFormat: Promise.resolve({ type: "json", schema }),
    parseCompleteOutput: async ({ text }) => text,
    // The SDK holds text back until this changes.
    parsePartialOutput: async ({ text }) => ({ partial: text.length }),
    createElementStreamTransform: () => undefined,
  };
}

/** What the provider counted, or an estimate where it did not. */
function usageOf(
  counted: LanguageModelUsage | undefined,
  estimate: { readonly input: number; readonly output: string },
): TokenUsage {
  return {
    input: counted?.inputTokens ?? estimate.input,
    cachedInput: counted?.inputTokenDetails.cacheReadTokens ?? 0,
    output: counted?.outputTokens ?? estimateTokens(estimate.output),
  };
}

const BUSY = new Set([429, 503, 529]);
const PASSING = new Set([408, 409, 425, 500, 502, 504]);

function translate(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof DependencyError) return error;
  if (!APICallError.isInstance(error)) {
    return new DependencyError(
      "language_model",
      "unreachable",
      "the connection failed or the reply could not be read",
      {
        cause: error,
      },
    );
  }
  const { statusCode, responseHeaders } = error;
  // Without a status there was no connection; an error with a success's status came while the answer was read.
  if (statusCode === undefined)
    return new DependencyError("language_model", "unreachable", "no connection", { cause: error });
  if (statusCode < 400) {
    return error.isRetryable
      ? new DependencyError("language_model", "unreachable", "the connection was cut", { cause: error })
      : new DependencyError("language_model", "invalid_response", "the reply is not in the wire format", {
          cause: error,
        });
  }
  const retryAfterMs = readRetryAfter(responseHeaders ?? {});
  const options = { cause: error, retryAfterMs };
  if (BUSY.has(statusCode))
    return new DependencyError("language_model", "busy", `the server answered ${statusCode}`, options);
  const failure = PASSING.has(statusCode) ? "unreachable" : "refused";
  return new DependencyError("language_model", failure, `the server answered ${statusCode}`, options);
}

/** Seconds, or a date to be held against the server's own. */
function readRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.parse(headers.date ?? "");
  return ms >= 0 ? ms : undefined;
}
