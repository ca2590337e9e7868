// Owns the interface of a language model that answers in a given shape, and how its text is read. Knows no vendor.

import { z } from "zod";

export interface TokenUsage {
  /** Tokens read, those from the provider's cache included. */
  readonly input: number;
  /** The part of `input` that came from the provider's cache. */
  readonly cachedInput: number;
  /** Tokens written, hidden reasoning included. */
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
  /** The same for every call of a step: it comes first, so that providers can cache it. */
  readonly instructions: string;
  readonly turns: readonly ModelTurn[];
  /** The shape of the answer. Every field is required; what may be missing is nullable. */
  readonly schema: z.ZodType<T>;
  readonly maxOutputTokens: number;
  /** For the call, its one retry included. */
  readonly timeoutMs: number;
  /** Fires when nobody waits for the answer any more. */
  readonly cancelled?: AbortSignal | undefined;
  /** Where given, the answer is streamed and this gets it as far as it has come, unvalidated; `attempt` counts from 1, a new one begins anew. */
  readonly onPartial?: ((value: unknown, attempt: number) => void) | undefined;
  /** Called once for each request that was sent, failed ones included. */
  readonly onUsage: (usage: TokenUsage) => void;
}

export type ModelReply<T> =
  | { readonly ok: true; readonly value: T }
  /** The model answered, but not in the shape; `error` says what is wrong in words that it can act on. */
  | { readonly ok: false; readonly error: string; readonly text: string };

export interface LanguageModel {
  /** As configured: `anthropic:claude-haiku-4-5`. */
  readonly name: string;
  /** @throws DependencyError of the system `model`; `refused` also when the model declines to answer */
  ask<T>(request: ModelRequest<T>): Promise<ModelReply<T>>;
}

/** Tokens that a text takes, where nobody counted them: four characters a token, the common rule of thumb. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Control characters but for line breaks and tabs, and marks that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The value with texts that can be stored and shown: what a model writes crosses a border like any other input.
 * Postgres keeps no NUL, and a terminal would obey some others. Each is replaced and none removed, so that a text that
 * is being written never stands still.
 */
export function storable(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\r", "\n").replace(CONTROL, "\ufffd");
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, storable(item)]));
}

/** Reads an answer out of a model's text: the JSON object in it, held against the schema. */
export function readAnswer<T>(schema: z.ZodType<T>, text: string): ModelReply<T> {
  const unusable = (error: string) => ({ ok: false, error, text }) as const;
  if (text.trim() === "") return unusable("The answer is empty.");
  // Models without a guaranteed output format put the object in a fence or between sentences.
  const object = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  let value: unknown;
  try {
    value = storable(JSON.parse(object));
  } catch {
    return unusable("The answer is not one complete JSON object.");
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  return unusable(`The answer has another shape. ${z.prettifyError(parsed.error)}`);
}
