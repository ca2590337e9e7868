// Interface of a language model that answers in a given shape, and parsing of its text.

import { z } from "zod";

export interface TokenUsage {
  /** Input tokens, those from the provider's cache included. */
  readonly input: number;
  /** The part of `input` that came from the provider's cache. */
  readonly cachedInput: number;
  /** Output tokens, hidden reasoning included. */
  readonly output: number;
}

/** US dollars for a million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** In US dollars. */
export function costOf(usage: TokenUsage, price: TokenPrice): number {
  const fresh = Math.max(0, usage.input - usage.cachedInput);
  return (fresh * price.input + usage.cachedInput * price.cachedInput + usage.output * price.output) / 1_000_000;
}

export interface ModelTurn {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export interface ModelRequest<T> {
  /** The same for every call of a step, and first, so that providers can cache it. */
  readonly instructions: string;
  readonly turns: readonly ModelTurn[];
  /** Texts that show what is a name in the turns, such as `pod=checkout-0`. They are not sent. */
  readonly nameHints?: readonly string[] | undefined;
  /** The shape of the answer. Every field is required; optional values are nullable. */
  readonly schema: z.ZodType<T>;
  readonly maxOutputTokens: number;
  /** 0 to 2; the model's default without it. A model that refuses it is asked without it. */
  readonly temperature?: number | undefined;
  /** For the call, the retry included. */
  readonly timeoutMs: number;
  /** Fires when the caller disconnects. */
  readonly cancelled?: AbortSignal | undefined;
  /**
   * If set, the answer is streamed and this receives it as far as it is complete, unvalidated. `attempt` counts from 1;
   * a new attempt starts again.
   */
  readonly onPartial?: ((value: unknown, attempt: number) => void) | undefined;
  /** Called once for each request, failed requests included. */
  readonly onUsage: (usage: TokenUsage) => void;
}

export type ModelResult<T> =
  | { readonly ok: true; readonly value: T }
  /** The model answered in another shape; `error` describes the mistake in words that the model can act on. */
  | { readonly ok: false; readonly error: string; readonly text: string };

/** The names of its provider and its API that OpenInference lists; left out where it lists none. */
export interface SpanNames {
  readonly provider?: string;
  readonly system?: string;
}

export interface LanguageModel {
  /** As configured: `anthropic:claude-haiku-4-5`. */
  readonly name: string;
  readonly spanNames?: SpanNames | undefined;
  /** @throws DependencyError of role `language_model`; `refused` also when the model declines to answer */
  ask<T>(request: ModelRequest<T>): Promise<ModelResult<T>>;
}

/** Estimates the tokens of a text: four characters a token, the common rule of thumb. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Control characters except line breaks and tabs, and marks that change the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes the texts in a value storable: the output of a model is untrusted input. Postgres does not store NUL, and
 * terminals interpret other control characters. Characters are replaced, not removed, so that a streamed text always
 * grows.
 */
export function withStorableText(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\r", "\n").replace(CONTROL, "\ufffd");
  if (Array.isArray(value)) return value.map(withStorableText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withStorableText(item)]));
}

/** Parses the JSON object in a model's text with the schema. */
export function readAnswer<T>(schema: z.ZodType<T>, text: string): ModelResult<T> {
  const invalid = (error: string) => ({ ok: false, error, text }) as const;
  if (text.trim() === "") return invalid("The answer is empty.");
  // Models without a guaranteed output format put the object into a fence or between sentences.
  const object = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  let value: unknown;
  try {
    value = withStorableText(JSON.parse(object));
  } catch {
    return invalid("The answer is not one complete JSON object.");
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  return invalid(`The answer has another shape. ${z.prettifyError(parsed.error)}`);
}
