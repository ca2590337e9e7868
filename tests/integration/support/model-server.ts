// An HTTP server that stands for the paid model APIs: it speaks Anthropic Messages and OpenAI chat completions, whole or
// streamed, answers as the test says and misbehaves on demand.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

export type Wire = "anthropic" | "openai";

/** What a request asks for. */
export interface ModelCall {
  readonly wire: Wire;
  readonly streams: boolean;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  /** The JSON schema the answer must fit, whichever way it was asked for; undefined where there is none. */
  readonly schema: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The client closed the connection before the answer was complete. */
  aborted: boolean;
  /** Resolves when the answer is complete or its connection closed; `aborted` is settled by then. */
  readonly ended: Promise<void>;
}

export interface AnswerOptions {
  /** Tokens; `input` includes `cachedInput`. By default a quarter of the characters, none of them cached. */
  readonly usage?: Partial<Usage>;
  /** Characters in one streamed delta; 12 by default. */
  readonly pieces?: number;
  /** "refusal": the model declines, with the text where the wire has room for it. "filtered": a filter ends the text. */
  readonly stop?: "end" | "length" | "refusal" | "filtered";
  /** Waits before the piece with that index; where there is none, and in a whole answer, before the end. */
  readonly gate?: { readonly beforePiece: number; readonly until: Promise<void> };
  /** Milliseconds before each piece; a whole answer takes as long as its pieces would. */
  readonly paceMs?: number;
}

export type ModelReply =
  | ({ readonly kind: "text"; readonly text: string } & AnswerOptions)
  | ({ readonly kind: "json"; readonly value: unknown } & AnswerOptions)
  /** An error body of the wire. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
    }
  /** Accepts and never answers. */
  | { readonly kind: "hang" }
  /** Destroys the socket without an answer. */
  | { readonly kind: "drop" }
  /**
   * Streams some pieces, then: nothing for ever; destroys the socket; ends as if all were said; ends with an error
   * event. Of an answer that is not streamed it sends half, or the status of the error.
   */
  | {
      readonly kind: "stall" | "cut" | "truncated" | "overloaded";
      readonly text: string;
      readonly afterPieces: number;
      readonly pieces?: number;
    }
  /** Status 200 with a body that is not of the wire: by default the page of a proxy. */
  | { readonly kind: "garbage"; readonly body?: string };

export interface ModelServer extends AsyncDisposable {
  /** The origin; both wires' base URL is `${url}/v1`. */
  readonly url: string;
  readonly calls: readonly ModelCall[];
  /** When each call arrived and ended, in milliseconds of one clock; same order as `calls`. */
  readonly spans: readonly { readonly begin: number; readonly end: number }[];
}

interface Usage {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}
interface Answer {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly usage: Usage;
  readonly stop: NonNullable<AnswerOptions["stop"]>;
}
/** An answer in the words of a wire: events around pieces, or one body. */
interface Spoken {
  readonly opening: string;
  readonly piece: (text: string) => string;
  readonly closing: string;
  /** What is streamed piece by piece: nothing where the wire has no room for the text. */
  readonly text: string;
  readonly whole: unknown;
}

const WIRES: Readonly<Record<string, Wire>> = { "/v1/messages": "anthropic", "/v1/chat/completions": "openai" };
const PIECE_LENGTH = 12;
const PROXY_PAGE = "<html><body><h1>200 OK</h1></body></html>";

const contentSchema = z
  .union([z.string(), z.array(z.looseObject({ text: z.string().default("") }))])
  .nullish()
  .transform((content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("")));
const requestSchema = z.object({
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
type ModelRequest = z.infer<typeof requestSchema>;

/** Listens on 127.0.0.1. A `reply` that throws answers 400 with its message, which no client retries. */
export async function startModelServer(
  reply: (call: ModelCall, index: number) => ModelReply | Promise<ModelReply>,
): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  const spans: { begin: number; end: number }[] = [];
  let isClosing = false;
  const server = createServer((incoming, outgoing) => {
    void receive(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const begin = performance.now();
    const wire = WIRES[incoming.url ?? ""];
    if (wire === undefined || incoming.method !== "POST") {
      outgoing.writeHead(404).end();
      return;
    }
    const line = createLine(outgoing);
    let text = "";
    for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
    const body = z.record(z.string(), z.unknown()).safeParse(parseJson(text));
    const request = requestSchema.safeParse(body.data);
    if (!request.success) return sendError(outgoing, wire, { status: 400, message: z.prettifyError(request.error) });
    const call: ModelCall = {
      ...describeRequest(request.data),
      wire,
      headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
      body: body.data ?? {},
      aborted: false,
      ended: line.closed,
    };
    const span = { begin, end: Number.POSITIVE_INFINITY };
    outgoing.once("close", () => {
      span.end = performance.now();
      call.aborted = !isClosing && !line.isCut && !outgoing.writableFinished;
    });
    const index = calls.push(call) - 1;
    spans.push(span);
    try {
      const told = await reply(call, index);
      await perform(told, { line, call, request: request.data, id: String(index) });
    } catch (cause) {
      if (!outgoing.headersSent) sendError(outgoing, wire, { status: 400, message: `The reply failed: ${cause}` });
      else throw cause;
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    spans,
    async [Symbol.asyncDispose]() {
      isClosing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** One answer's connection: every wait on it ends when it closes. */
function createLine(outgoing: ServerResponse) {
  const controller = new AbortController();
  const closed = new Promise<void>((resolve) => outgoing.once("close", resolve));
  outgoing.once("close", () => controller.abort());
  let isCut = false;
  return {
    outgoing,
    closed,
    get isCut() {
      return isCut;
    },
    /** Waits for the bytes to leave, so that a later cut comes after them. */
    send: (text: string) =>
      Promise.race([closed, new Promise<void>((resolve) => outgoing.write(text, () => resolve()))]),
    cut() {
      isCut = true;
      outgoing.destroy();
    },
    until: (gate: Promise<void>) => Promise.race([closed, gate]),
    pause: (milliseconds: number) =>
      milliseconds === 0 ? undefined : sleep(milliseconds, undefined, { signal: controller.signal }).catch(() => {}),
  };
}

interface Scene {
  readonly line: ReturnType<typeof createLine>;
  readonly call: ModelCall;
  readonly request: ModelRequest;
  readonly id: string;
}
type Spoiled = Extract<ModelReply, { readonly afterPieces: number }>;

async function perform(reply: ModelReply, { line, call, request, id }: Scene): Promise<void> {
  const { outgoing } = line;
  if (reply.kind === "hang" || outgoing.destroyed) return;
  if (reply.kind === "drop") return line.cut();
  if (reply.kind === "status") return sendError(outgoing, call.wire, reply);
  if (reply.kind === "garbage") {
    outgoing.writeHead(200, { "content-type": "text/html" }).end(reply.body ?? PROXY_PAGE);
    return;
  }
  const text = reply.kind === "json" ? JSON.stringify(reply.value) : reply.text;
  const { pieces = PIECE_LENGTH, usage, stop = "end", ...timing }: AnswerOptions = reply;
  const answer = { id, model: call.model, text, usage: estimateUsage(call, text, usage), stop };
  const spoken = call.wire === "anthropic" ? speakAnthropic(request, answer) : speakOpenai(request, answer);
  const failure = "afterPieces" in reply ? reply : undefined;
  const told = { spoken, pieces: cutIntoPieces(spoken.text, pieces), timing, failure };
  if (call.streams) await stream(line, call.wire, told);
  else await sendWhole(line, call.wire, told);
}

interface Told {
  readonly spoken: Spoken;
  readonly pieces: readonly string[];
  readonly timing: Pick<AnswerOptions, "gate" | "paceMs">;
  readonly failure: Spoiled | undefined;
}

async function sendWhole(line: Scene["line"], wire: Wire, { spoken, pieces, timing, failure }: Told): Promise<void> {
  const { outgoing } = line;
  if (failure?.kind === "overloaded") return sendError(outgoing, wire, { status: OVERLOADED_STATUS[wire] });
  await line.pause((timing.paceMs ?? 0) * pieces.length);
  if (timing.gate) await line.until(timing.gate.until);
  if (outgoing.destroyed) return;
  const body = JSON.stringify(spoken.whole);
  outgoing.writeHead(200, { "content-type": "application/json" });
  if (!failure) outgoing.end(body);
  else {
    await line.send(body.slice(0, body.length / 2));
    leave(failure.kind, line, wire);
  }
}

async function stream(line: Scene["line"], wire: Wire, { spoken, pieces, timing, failure }: Told): Promise<void> {
  const { outgoing } = line;
  const { gate, paceMs = 0 } = timing;
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  await line.send(spoken.opening);
  const sent = failure ? pieces.slice(0, failure.afterPieces) : pieces;
  for (const [index, piece] of sent.entries()) {
    await line.pause(paceMs);
    if (gate?.beforePiece === index) await line.until(gate.until);
    if (outgoing.destroyed) return;
    await line.send(spoken.piece(piece));
  }
  if (gate && gate.beforePiece >= sent.length) await line.until(gate.until);
  if (outgoing.destroyed) return;
  if (failure) leave(failure.kind, line, wire);
  else outgoing.end(spoken.closing);
}

/** How an answer that was begun goes wrong. */
function leave(kind: Spoiled["kind"], line: Scene["line"], wire: Wire): void {
  if (kind === "cut") line.cut();
  else if (kind === "truncated") line.outgoing.end();
  else if (kind === "overloaded") line.outgoing.end(event(wire, errorBody(wire, OVERLOADED_STATUS[wire])));
}

const OVERLOADED_STATUS: Readonly<Record<Wire, number>> = { anthropic: 529, openai: 503 };
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

function errorBody(wire: Wire, status: number, message = `The model API answers ${status}.`) {
  const type = ERROR_TYPES[wire][status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return wire === "anthropic"
    ? { type: "error", error: { type, message } }
    : { error: { message, type, param: null, code: null } };
}

function sendError(
  outgoing: ServerResponse,
  wire: Wire,
  { status, headers, message }: { status: number; headers?: Readonly<Record<string, string>>; message?: string },
): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(JSON.stringify(errorBody(wire, status, message)));
}

function event(wire: Wire, data: { readonly type?: unknown; readonly [field: string]: unknown }): string {
  return `${wire === "anthropic" ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
}

function speakAnthropic(request: ModelRequest, { id, model, text: told, usage, stop }: Answer): Spoken {
  const text = stop === "refusal" ? "" : told;
  // A model that is given the json tool may still answer in prose.
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
  const say = (...events: { type: string; [field: string]: unknown }[]) =>
    events.map((data) => event("anthropic", data)).join("");

  const start = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const opening = say({ type: "message_start", message: { ...start, usage: { ...counts, output_tokens: 1 } } });
  const opened = say({ type: "content_block_start", index: 0, content_block: blockStart }, { type: "ping" });
  const closed = say({ type: "content_block_stop", index: 0 });
  const closing = say({ type: "message_delta", delta: ending, usage: counts }, { type: "message_stop" });
  return {
    opening: text === "" ? opening : opening + opened,
    piece: (piece) => {
      const delta = usesTool ? { type: "input_json_delta", partial_json: piece } : { type: "text_delta", text: piece };
      return say({ type: "content_block_delta", index: 0, delta });
    },
    closing: text === "" ? closing : closed + closing,
    text,
    whole: { ...message, content: text === "" ? [] : [block], ...ending, usage: counts },
  };
}

function speakOpenai(request: ModelRequest, { id, model, text, usage, stop }: Answer): Spoken {
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
  const say = (delta: object, finish: string | null = null) => chunk([{ index: 0, delta, finish_reason: finish }]);
  const put = (said: string) => (stop === "refusal" ? { refusal: said } : { content: said });
  const message = { role: "assistant", content: null, refusal: null, ...put(text) };
  return {
    opening: say({ role: "assistant", ...put("") }),
    piece: (piece) => say(put(piece)),
    closing: `${say({}, finish_reason)}${countsAreWanted ? chunk([], { usage: counts }) : ""}data: [DONE]\n\n`,
    text,
    whole: { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage: counts },
  };
}

function describeRequest(
  request: ModelRequest,
): Pick<ModelCall, "streams" | "model" | "system" | "messages" | "schema"> {
  const isInstruction = ({ role }: { role: string }) => role === "system" || role === "developer";
  const instructions = request.messages.filter(isInstruction).map(({ content }) => content);
  const turns = request.messages.filter((message) => !isInstruction(message));
  const format = request.output_config?.format ?? request.output_format ?? request.response_format?.json_schema;
  return {
    streams: request.stream,
    model: request.model,
    system: [request.system, ...instructions].filter((text) => text !== "").join("\n"),
    messages: turns.map(({ role, content }) => ({ role, text: content })),
    schema: format ? format.schema : findJsonTool(request)?.input_schema,
  };
}

function findJsonTool({ tools }: ModelRequest) {
  return tools.find(({ name }) => name === "json");
}

function estimateUsage(call: ModelCall, text: string, told: Partial<Usage> = {}): Usage {
  const prompt = call.system.length + call.messages.reduce((length, message) => length + message.text.length, 0);
  return { input: Math.ceil(prompt / 4), cachedInput: 0, output: Math.ceil(text.length / 4), ...told };
}

/** By characters, since no model API cuts one in half. */
function cutIntoPieces(text: string, length: number): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += length)
    pieces.push(characters.slice(start, start + length).join(""));
  return pieces;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
