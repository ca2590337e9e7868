// A fake server for the paid model APIs. It speaks Anthropic Messages and OpenAI chat completions, in one body or
// streamed, sends the replies of the test and fails on demand.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { HungRequests } from "../../../support/test-timers.ts";
import { createHungRequests } from "./hung-requests.ts";
import {
  type EncodedAnswer,
  encodeAnthropic,
  encodeOpenai,
  errorBody,
  event,
  findJsonTool,
  type ModelRequest,
  OVERLOADED_STATUS,
  parseJson,
  requestSchema,
  type Stop,
  type Usage,
  type Wire,
} from "./model-wires.ts";

export type { Wire } from "./model-wires.ts";

/** A request to the model. */
export interface ModelCall {
  readonly wire: Wire;
  readonly streams: boolean;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  /** The JSON schema of the answer, from the output format or from a tool; undefined without one. */
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
  /** "refusal": the model declines; the text is sent when the wire has a field for it. "filtered": a filter ends the text. */
  readonly stop?: Stop;
  /** Waits before the piece with that index; without such a piece, and without streaming, before the end. */
  readonly gate?: { readonly beforePiece: number; readonly until: Promise<void> };
  /** Milliseconds before each piece. An answer in one body takes as long as all of its pieces. */
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
  /** Accepts the request and never responds. */
  | { readonly kind: "hang" }
  /** Destroys the socket without a response. */
  | { readonly kind: "drop" }
  /**
   * Streams some pieces and then fails. "stall" sends nothing more, "cut" destroys the socket, "truncated" ends without
   * the last events, "overloaded" ends with an error event. Without streaming: half of the body, or the error's status.
   */
  | {
      readonly kind: "stall" | "cut" | "truncated" | "overloaded";
      readonly text: string;
      readonly afterPieces: number;
      readonly pieces?: number;
    }
  /** Status 200 with a body of another format: by default the HTML page of a proxy. */
  | { readonly kind: "garbage"; readonly body?: string };

export interface ModelServer extends AsyncDisposable {
  /** The origin; both wires' base URL is `${url}/v1`. */
  readonly url: string;
  readonly calls: readonly ModelCall[];
  /** Begin and end of each call, in milliseconds of one clock; same order as `calls`. */
  readonly spans: readonly { readonly begin: number; readonly end: number }[];
  /** Calls whose answer never comes or stalls. */
  readonly hung: HungRequests;
}

const WIRES: Readonly<Record<string, Wire>> = { "/v1/messages": "anthropic", "/v1/chat/completions": "openai" };
const PIECE_LENGTH = 12;
const PROXY_PAGE = "<html><body><h1>200 OK</h1></body></html>";

/** Listens on 127.0.0.1. When `reply` throws, responds with 400 and its message; clients do not retry a 400. */
export async function startModelServer(
  reply: (call: ModelCall, index: number) => ModelReply | Promise<ModelReply>,
): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  const spans: { begin: number; end: number }[] = [];
  const hung = createHungRequests();
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
      const modelReply = await reply(call, index);
      await perform(modelReply, { line, call, request: request.data, id: String(index) });
      if (modelReply.kind === "hang" || modelReply.kind === "stall") hung.add(outgoing);
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
    hung,
    async [Symbol.asyncDispose]() {
      isClosing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The connection of one answer. Every wait on it ends when it closes. */
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
    /** Waits until the bytes are written, so that a later cut comes after them. */
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
type Failure = Extract<ModelReply, { readonly afterPieces: number }>;

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
  const encoded = call.wire === "anthropic" ? encodeAnthropic(request, answer) : encodeOpenai(request, answer);
  const failure = "afterPieces" in reply ? reply : undefined;
  const delivery = { encoded, pieces: cutIntoPieces(encoded.text, pieces), timing, failure };
  if (call.streams) await stream(line, call.wire, delivery);
  else await sendWhole(line, call.wire, delivery);
}

interface Delivery {
  readonly encoded: EncodedAnswer;
  readonly pieces: readonly string[];
  readonly timing: Pick<AnswerOptions, "gate" | "paceMs">;
  readonly failure: Failure | undefined;
}

async function sendWhole(
  line: Scene["line"],
  wire: Wire,
  { encoded, pieces, timing, failure }: Delivery,
): Promise<void> {
  const { outgoing } = line;
  if (failure?.kind === "overloaded") return sendError(outgoing, wire, { status: OVERLOADED_STATUS[wire] });
  await line.pause((timing.paceMs ?? 0) * pieces.length);
  if (timing.gate) await line.until(timing.gate.until);
  if (outgoing.destroyed) return;
  const body = JSON.stringify(encoded.whole);
  outgoing.writeHead(200, { "content-type": "application/json" });
  if (!failure) outgoing.end(body);
  else {
    await line.send(body.slice(0, body.length / 2));
    failAfterPieces(failure.kind, line, wire);
  }
}

async function stream(line: Scene["line"], wire: Wire, { encoded, pieces, timing, failure }: Delivery): Promise<void> {
  const { outgoing } = line;
  const { gate, paceMs = 0 } = timing;
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  await line.send(encoded.opening);
  const sent = failure ? pieces.slice(0, failure.afterPieces) : pieces;
  for (const [index, piece] of sent.entries()) {
    await line.pause(paceMs);
    if (gate?.beforePiece === index) await line.until(gate.until);
    if (outgoing.destroyed) return;
    await line.send(encoded.piece(piece));
  }
  if (gate && gate.beforePiece >= sent.length) await line.until(gate.until);
  if (outgoing.destroyed) return;
  if (failure) failAfterPieces(failure.kind, line, wire);
  else outgoing.end(encoded.closing);
}

/** Ends an answer that has begun with the failure. */
function failAfterPieces(kind: Failure["kind"], line: Scene["line"], wire: Wire): void {
  if (kind === "cut") line.cut();
  else if (kind === "truncated") line.outgoing.end();
  else if (kind === "overloaded") line.outgoing.end(event(wire, errorBody(wire, OVERLOADED_STATUS[wire])));
}

function sendError(
  outgoing: ServerResponse,
  wire: Wire,
  { status, headers, message }: { status: number; headers?: Readonly<Record<string, string>>; message?: string },
): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(JSON.stringify(errorBody(wire, status, message)));
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

function estimateUsage(call: ModelCall, text: string, overrides: Partial<Usage> = {}): Usage {
  const prompt = call.system.length + call.messages.reduce((length, message) => length + message.text.length, 0);
  return { input: Math.ceil(prompt / 4), cachedInput: 0, output: Math.ceil(text.length / 4), ...overrides };
}

/** Splits between characters: no model API cuts one in half. */
function cutIntoPieces(text: string, length: number): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += length)
    pieces.push(characters.slice(start, start + length).join(""));
  return pieces;
}
