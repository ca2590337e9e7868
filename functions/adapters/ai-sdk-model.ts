// Language models through the providers of the AI SDK, in model-providers/. The only file that knows the AI SDK. Models are
// called through the interface of their providers: the SDK's own loop over tools and steps would be 70 KB of the bundle.

import { APICallError, extractReasoningMiddleware, parsePartialJson, wrapLanguageModel } from "ai";
import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import type { StartTimer } from "../timers.ts";
import { redirectFailure } from "./http/fetch-direct.ts";
import {
  estimateTokens,
  type LanguageModel,
  type ModelRequest,
  readAnswer,
  type SpanNames,
  type TokenUsage,
  withStorableText,
} from "./language-model.ts";

export type SdkModel = ReturnType<typeof wrapLanguageModel>;
type CallOptions = Parameters<SdkModel["doGenerate"]>[0];
type Whole = Awaited<ReturnType<SdkModel["doGenerate"]>>;
type Usage = Whole["usage"];
type Messages = CallOptions["prompt"];

/** One retry when a request was not served: enough for a dropped connection, little for an outage. */
const RETRIES = 1;
/** Characters between two partial results: a handful of tokens. */
const PARTIAL_STEP = 24;
/** The same as a share of a long answer, since parsing takes longer with its length. */
const PARTIAL_SHARE = 0.02;

/** Removes the thoughts that some models write between tags in their answer. */
export function withoutThinking(model: SdkModel): SdkModel {
  return wrapLanguageModel({ model, middleware: extractReasoningMiddleware({ tagName: "think" }) });
}

export interface SdkModelOptions {
  readonly streams: boolean;
  /** Whether the prompt contains the schema, because the provider does not accept one. */
  readonly schemaInPrompt: boolean;
  readonly spanNames?: SpanNames;
  readonly startTimer: StartTimer;
}

interface RawAnswer {
  readonly text: string;
  readonly finish: Whole["finishReason"]["unified"];
  readonly usage: Usage;
}

/** @param name as configured: `anthropic:claude-haiku-4-5` */
export function createSdkModel(
  name: string,
  model: SdkModel,
  { streams, schemaInPrompt, spanNames, startTimer }: SdkModelOptions,
): LanguageModel {
  let refusesTemperature = false;
  return {
    name,
    spanNames,
    async ask<T>(request: ModelRequest<T>) {
      const { schema, timeoutMs, cancelled, onPartial } = request;
      const jsonSchema = JSON.stringify(z.toJSONSchema(schema, { target: "draft-7" }));
      const instructions = schemaInPrompt
        ? `${request.instructions}\n\nThe JSON schema of your answer:\n${jsonSchema}`
        : request.instructions;
      const prompt = promptOf(instructions, request);
      const optionsOf = (abortSignal: AbortSignal): CallOptions => ({
        prompt,
        // Parsed here, so that an invalid answer is available as text.
        responseFormat: { type: "json", schema: JSON.parse(jsonSchema) },
        maxOutputTokens: request.maxOutputTokens,
        ...(request.temperature === undefined || refusesTemperature ? {} : { temperature: request.temperature }),
        abortSignal,
      });
      const usage = createUsageCounter(instructions, request);
      const send = (signal: AbortSignal): Promise<RawAnswer> => {
        if (!streams || !onPartial) return readWhole(model, optionsOf(signal));
        return readStream(model, optionsOf(signal), async (text) => {
          usage.received = text;
          const value = await parsePartial(text);
          if (value !== undefined && !signal.aborted) onPartial(value, usage.attempt);
        });
      };
      const attempt = async (signal: AbortSignal): Promise<RawAnswer> => {
        try {
          return await attemptOnce(usage, send, signal);
        } catch (error) {
          if (refusesTemperature || request.temperature === undefined || !isAboutTemperature(error)) throw error;
          refusesTemperature = true;
          return attemptOnce(usage, send, signal);
        }
      };
      const call = { dependency: "language_model", timeoutMs, startTimer, retries: RETRIES, cancelled } as const;
      const answer = await callDependency(call, attempt).finally(() => usage.report(usage.estimate()));
      if (answer.finish === "content-filter")
        throw new DependencyError("language_model", "refused", "the model declined to answer");
      const result = readAnswer(schema, answer.text);
      if (!result.ok && answer.finish === "length") return { ...result, error: `${result.error} ${TOO_LONG}` };
      return result;
    },
  };
}

/** Models that reason accept only their default temperature. The AI SDK leaves it out only for those that it knows. */
function isAboutTemperature(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!APICallError.isInstance(cause) || (cause.statusCode !== 400 && cause.statusCode !== 422)) return false;
  return /temperature/i.test(`${cause.message} ${cause.responseBody ?? ""}`);
}

async function attemptOnce(
  usage: UsageCounter,
  send: (signal: AbortSignal) => Promise<RawAnswer>,
  signal: AbortSignal,
): Promise<RawAnswer> {
  usage.start();
  try {
    const answer = await send(signal);
    usage.received = answer.text;
    usage.report(usage.estimate(answer.usage));
    if (answer.finish === "interrupted")
      throw new DependencyError("language_model", "unreachable", "the answer was interrupted");
    return answer;
  } catch (error) {
    usage.report(wasNotServed(error) ? NOTHING_USED : usage.estimate());
    throw toDependencyError(error, signal);
  }
}

interface UsageCounter {
  /** Attempts so far. */
  attempt: number;
  /** The text that the current attempt has received. */
  received: string;
  start(): void;
  /** Reports the usage of the current attempt, once. */
  report(usage: TokenUsage): void;
  /** The provider's figures; estimates where it gives none, as after a failure midway, which may be charged. */
  estimate(counted?: Usage): TokenUsage;
}

function createUsageCounter(
  instructions: string,
  { turns, onUsage }: Pick<ModelRequest<unknown>, "turns" | "onUsage">,
): UsageCounter {
  const input = estimateTokens(instructions + turns.map(({ text }) => text).join(""));
  let isOpen = false;
  return {
    attempt: 0,
    received: "",
    start() {
      this.attempt += 1;
      this.received = "";
      isOpen = true;
    },
    report(usage) {
      if (isOpen) onUsage(usage);
      isOpen = false;
    },
    estimate(counted) {
      return usageOf(counted, { input, output: this.received });
    },
  };
}

const NOTHING_USED: TokenUsage = { input: 0, cachedInput: 0, output: 0 };

/** Whether there was no connection, or an error in place of an answer. */
function wasNotServed(error: unknown): boolean {
  return APICallError.isInstance(error) && (error.statusCode === undefined || error.statusCode >= 300);
}

const TOO_LONG = "It reached the limit on its length: be brief.";

async function readWhole(model: SdkModel, options: CallOptions): Promise<RawAnswer> {
  const { content, finishReason, usage } = await model.doGenerate(options);
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text, finish: finishReason.unified, usage };
}

/** @param onText receives the whole text so far; awaited, so that partial results are in order */
async function readStream(
  model: SdkModel,
  options: CallOptions,
  onText: (text: string) => Promise<void>,
): Promise<RawAnswer> {
  const { stream } = await model.doStream(options);
  let text = "";
  let reported = 0;
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") {
      text += part.delta;
      if (text.length - reported < Math.max(PARTIAL_STEP, PARTIAL_SHARE * reported)) continue;
      reported = text.length;
      await onText(text);
    }
    if (part.type === "finish") return { text, finish: part.finishReason.unified, usage: part.usage };
  }
  throw new DependencyError("language_model", "unreachable", "the stream ended before the answer");
}

/** The object as far as its text is complete, with storable texts; undefined when nothing can be parsed yet. */
export async function parsePartial(text: string): Promise<unknown> {
  const object = text.slice(Math.max(0, text.indexOf("{")));
  // Half a character would become a replacement character.
  return withStorableText((await parsePartialJson(object.replace(INCOMPLETE_CHARACTER, ""))).value);
}

/** At the end of the text: a high surrogate, plain or escaped, or an incomplete escape. */
const INCOMPLETE_CHARACTER = /(?:[\uD800-\uDBFF]|\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\(?:u[0-9a-fA-F]{0,3})?)?$/;

function promptOf(instructions: string, { turns }: Pick<ModelRequest<unknown>, "turns">): Messages {
  return [
    {
      role: "system",
      content: instructions,
      // Anthropic caches everything before this mark; other providers cache without one and ignore it.
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    },
    ...turns.map(({ role, text }): Messages[number] => ({ role, content: [{ type: "text", text }] })),
  ];
}

/** The provider's figures, or estimates where it gives none. */
function usageOf(
  counted: Usage | undefined,
  estimate: { readonly input: number; readonly output: string },
): TokenUsage {
  return {
    input: counted?.inputTokens.total ?? estimate.input,
    cachedInput: counted?.inputTokens.cacheRead ?? 0,
    output: counted?.outputTokens.total ?? estimateTokens(estimate.output),
  };
}

const BUSY_STATUSES = new Set([429, 503, 529]);
const RETRYABLE_STATUSES = new Set([408, 409, 425, 500, 502, 504]);

function toDependencyError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof DependencyError) return error;
  if (!APICallError.isInstance(error)) {
    return new DependencyError(
      "language_model",
      "unreachable",
      "the connection failed or the response could not be read",
      {
        cause: error,
      },
    );
  }
  const { statusCode, responseHeaders } = error;
  // Without a status there was no connection; with a success status the error occurred while the answer was read.
  if (statusCode === undefined)
    return new DependencyError("language_model", "unreachable", "no connection", { cause: error });
  const redirect = redirectFailure("language_model", statusCode);
  if (redirect) return redirect;
  if (statusCode < 400) {
    return error.isRetryable
      ? new DependencyError("language_model", "unreachable", "the connection was interrupted", { cause: error })
      : new DependencyError("language_model", "invalid_response", "the response is not in the wire format", {
          cause: error,
        });
  }
  const retryAfterMs = readRetryAfter(responseHeaders ?? {});
  const options = { cause: error, retryAfterMs };
  if (BUSY_STATUSES.has(statusCode))
    return new DependencyError("language_model", "busy", `the server answered ${statusCode}`, options);
  const failure = RETRYABLE_STATUSES.has(statusCode) ? "unreachable" : "refused";
  return new DependencyError("language_model", failure, `the server answered ${statusCode}`, options);
}

/** Parses seconds, or a date relative to the server's own time. @returns milliseconds */
function readRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.parse(headers.date ?? "");
  return ms >= 0 ? ms : undefined;
}
