// `dejavu mcp`: a bridge from standard input and output to the MCP server of the service, for clients that start a program. Each line is
// a JSON-RPC message. The bridge reads of a message only what the HTTP headers need, so it serves every protocol version.

import { createInterface } from "node:readline";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import type { Service } from "../service/find-service.ts";
import type { Invocation } from "../service/invocation.ts";
import { unreachable } from "../service/problem-error.ts";

const requestId = z.union([z.string(), z.number()]);
const messageSchema = z.looseObject({
  id: requestId.optional(),
  method: z.string().optional(),
  params: z
    .looseObject({
      name: z.string().optional(),
      uri: z.string().optional(),
      requestId: requestId.optional(),
      _meta: z.looseObject({ "io.modelcontextprotocol/protocolVersion": z.string().optional() }).optional(),
    })
    .optional(),
});
type Message = z.infer<typeof messageSchema>;

const initializedSchema = z.looseObject({ result: z.looseObject({ protocolVersion: z.string() }) });

/** Above the time limit of a triage with a language model. */
const TIMEOUT_MS = 300_000;
const INTERNAL_ERROR = -32_603;
const PARSE_ERROR = -32_700;
/** Notifications that only the bridge acts on: it closes the connection. */
const CANCELLED = "notifications/cancelled";
const NAMED_METHODS: ReadonlySet<string | undefined> = new Set(["tools/call", "prompts/get", "resources/read"]);
/** The version and the session that the service chose at `initialize`. */
interface Negotiated {
  version?: string;
  session?: string;
}

/** Ends when standard input does and all responses are written. */
export async function bridge({ cli }: Invocation): Promise<void> {
  const service = await cli.service();
  const negotiated: Negotiated = {};
  const underWay = new Map<string | number, AbortController>();
  const pending = new Set<Promise<void>>();
  const write = (message: unknown) => cli.print(JSON.stringify(message));
  for await (const line of createInterface({ input: cli.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const message = readMessage(line);
    if (message === undefined) {
      write(errorOf(null, PARSE_ERROR, "The line is not a JSON-RPC message."));
      continue;
    }
    const { id, method, params } = message;
    if (method === CANCELLED) {
      if (params?.requestId !== undefined) underWay.get(params.requestId)?.abort();
      continue;
    }
    const aborter = new AbortController();
    if (id !== undefined) underWay.set(id, aborter);
    const work = exchange(service, { message, line, negotiated, signal: aborter.signal }, write)
      .catch((error: unknown) => {
        // A cancelled request gets no response.
        if (id !== undefined && !aborter.signal.aborted) write(errorOf(id, INTERNAL_ERROR, textOf(error, service)));
      })
      .finally(() => {
        if (id !== undefined) underWay.delete(id);
        pending.delete(work);
      });
    pending.add(work);
    // What follows `initialize` needs its version and session.
    if (method === "initialize") await work;
  }
  await Promise.all(pending);
}

interface Exchange {
  readonly message: Message;
  /** The message as it came. */
  readonly line: string;
  readonly negotiated: Negotiated;
  readonly signal: AbortSignal;
}

async function exchange(
  service: Service,
  { message, line, negotiated, signal }: Exchange,
  write: (message: unknown) => void,
): Promise<void> {
  const response = await fetch(`${service.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...headersOf(message, negotiated),
    },
    body: line,
    // A redirect to another origin would lose the token, or send it elsewhere.
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const isInitialize = message.method === "initialize";
  const session = response.headers.get("mcp-session-id");
  if (isInitialize && session !== null) negotiated.session = session;
  // Only a request gets a response.
  let isAnswered = message.id === undefined || message.method === undefined;
  for await (const reply of repliesOf(response)) {
    if (!isMessage(reply)) throw new Error(`${service.url} answered ${response.status}: ${detailOf(reply)}`);
    const initialized = isInitialize ? initializedSchema.safeParse(reply) : undefined;
    if (initialized?.success) negotiated.version = initialized.data.result.protocolVersion;
    if ("result" in reply || "error" in reply) isAnswered = true;
    // An error about a request that could not be read has no id.
    write(message.id !== undefined && "error" in reply ? { ...reply, id: message.id } : reply);
  }
  if (!isAnswered) throw new Error(`${service.url} answered ${response.status} without a response.`);
}

function headersOf({ method, params }: Message, { version, session }: Negotiated): Record<string, string> {
  const own = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  const name = NAMED_METHODS.has(method) ? (params?.name ?? params?.uri) : undefined;
  return {
    ...(own === undefined
      ? { ...(version ? { "mcp-protocol-version": version } : {}), ...(session ? { "mcp-session-id": session } : {}) }
      : {
          "mcp-protocol-version": own,
          ...(method === undefined ? {} : { "mcp-method": method }),
          ...(name === undefined ? {} : { "mcp-name": headerValue(name) }),
        }),
  };
}

/** As the protocol encodes a name that a header cannot hold. */
function headerValue(name: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name)
    ? name
    : `=?base64?${Buffer.from(name).toString("base64")}?=`;
}

async function* repliesOf(response: Response): AsyncGenerator<unknown> {
  if (response.body === null || response.status === 202) return;
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    if (text !== "") yield parseJson(text);
    return;
  }
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) if (data !== "") yield parseJson(data);
}

function readMessage(line: string): Message | undefined {
  return messageSchema.safeParse(parseJson(line)).data;
}

function isMessage(value: unknown): value is object {
  return typeof value === "object" && value !== null && "jsonrpc" in value;
}

/** The detail of a problem document, which has no secrets. */
function detailOf(value: unknown): string {
  const problem = z.object({ detail: z.string() }).safeParse(value);
  return problem.success ? problem.data.detail : "no MCP server answers there. Check the address.";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(id: string | number | null, code: number, message: string) {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** A failed fetch says only that it failed. */
function textOf(error: unknown, service: Service): string {
  if (error instanceof Error && error.message.startsWith(service.url)) return error.message;
  return unreachable(error, service, TIMEOUT_MS).message;
}
