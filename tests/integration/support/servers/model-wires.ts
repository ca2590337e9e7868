// The wire formats of the paid model APIs, Anthropic Messages and OpenAI chat completions: request schemas, and encoding of
// answers and errors in one body or in pieces.

import { z } from "zod";

export type Wire = "anthropic" | "openai";

export interface Usage {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** The reason why an answer ends; "filtered": a filter ends it. */
export type Stop = "end" | "length" | "refusal" | "filtered";

export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly usage: Usage;
  readonly stop: Stop;
}

/** An answer in the format of a wire: events around pieces, or one body. */
export interface EncodedAnswer {
  readonly opening: string;
  readonly piece: (text: string) => string;
  readonly closing: string;
  /** The text that is streamed in pieces; empty when the wire has no field for it. */
  readonly text: string;
  readonly whole: unknown;
}

const contentSchema = z
  .union([z.string(), z.array(z.looseObject({ text: z.string().default("") }))])
  .nullish()
  .transform((content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("")));

export const requestSchema = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: contentSchema })),
  system: contentSchema,
  tools: z.array(z.looseObject({ name: z.string().optional(), input_schema: z.unknown() })).default([]),
  output_config: z.looseObject({ format: z.looseObject({ schema: z.unknown() }).optional() }).optional(),
  output_format: z.looseObject({ schema: z.unknown() }).optional(),
  response_format: z.looseObject({ json_schema: z.looseObject({ schema: z.unknown() }).optional() }).optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().default(false) }).nullish(),
});

export type ModelRequest = z.infer<typeof requestSchema>;

export const OVERLOADED_STATUS: Readonly<Record<Wire, number>> = { anthropic: 529, openai: 503 };

const ERROR_TYPES: Readonly<Record<Wire, Readonly<Record<number, string>>>> = {
  anthropic: {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
  },
  openai: { 429: "rate_limit_exceeded", 500: "server_error", 503: "server_error" },
};

export function errorBody(wire: Wire, status: number, message = `The model API answers ${status}.`) {
  const type = ERROR_TYPES[wire][status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return wire === "anthropic"
    ? { type: "error", error: { type, message } }
    : { error: { message, type, param: null, code: null } };
}

export function event(wire: Wire, data: { readonly type?: unknown; readonly [field: string]: unknown }): string {
  return `${wire === "anthropic" ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
}

export function encodeAnthropic(
  request: ModelRequest,
  { id, model, text: answerText, usage, stop }: Answer,
): EncodedAnswer {
  const text = stop === "refusal" ? "" : answerText;
  // A model that receives the json tool may still answer in prose.
  const usesTool = findJsonTool(request) !== undefined && text.trimStart().startsWith("{");
  const finished = { end: usesTool ? "tool_use" : "end_turn", length: "max_tokens", refusal: "refusal" };
  const ending = { stop_reason: finished[stop === "filtered" ? "refusal" : stop], stop_sequence: null };
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model };
  const counts = {
    input_tokens: usage.input - usage.cachedInput,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedInput,
    output_tokens: usage.output,
  };
  const tool = { type: "tool_use", id: `toolu_${id}`, name: "json" };
  const block = usesTool ? { ...tool, input: parseJson(text) ?? {} } : { type: "text", text };
  const blockStart = usesTool ? { ...tool, input: {} } : { type: "text", text: "" };
  const encode = (...events: { type: string; [field: string]: unknown }[]) =>
    events.map((data) => event("anthropic", data)).join("");

  const start = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const opening = encode({ type: "message_start", message: { ...start, usage: { ...counts, output_tokens: 1 } } });
  const opened = encode({ type: "content_block_start", index: 0, content_block: blockStart }, { type: "ping" });
  const closed = encode({ type: "content_block_stop", index: 0 });
  const closing = encode({ type: "message_delta", delta: ending, usage: counts }, { type: "message_stop" });
  return {
    opening: text === "" ? opening : opening + opened,
    piece: (piece) => {
      const delta = usesTool ? { type: "input_json_delta", partial_json: piece } : { type: "text_delta", text: piece };
      return encode({ type: "content_block_delta", index: 0, delta });
    },
    closing: text === "" ? closing : closed + closing,
    text,
    whole: { ...message, content: text === "" ? [] : [block], ...ending, usage: counts },
  };
}

export function encodeOpenai(request: ModelRequest, { id, model, text, usage, stop }: Answer): EncodedAnswer {
  const finish_reason = { end: "stop", length: "length", refusal: "stop", filtered: "content_filter" }[stop];
  const head = { id: `chatcmpl-${id}`, created: 1_790_000_000, model };
  const counts = {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cachedInput },
  };
  const countsAreWanted = request.stream_options?.include_usage === true;
  const chunk = (choices: readonly unknown[], extra: object = countsAreWanted ? { usage: null } : {}) =>
    event("openai", { ...head, object: "chat.completion.chunk", choices, ...extra });
  const encode = (delta: object, finish: string | null = null) => chunk([{ index: 0, delta, finish_reason: finish }]);
  const put = (content: string) => (stop === "refusal" ? { refusal: content } : { content });
  const message = { role: "assistant", content: null, refusal: null, ...put(text) };
  return {
    opening: encode({ role: "assistant", ...put("") }),
    piece: (piece) => encode(put(piece)),
    closing: `${encode({}, finish_reason)}${countsAreWanted ? chunk([], { usage: counts }) : ""}data: [DONE]\n\n`,
    text,
    whole: { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage: counts },
  };
}

export function findJsonTool({ tools }: ModelRequest) {
  return tools.find(({ name }) => name === "json");
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
