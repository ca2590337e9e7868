// A fake HTTP server that fails, hangs or sends invalid responses on demand, or forwards requests and counts them.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";

import type { HungRequests } from "../../../support/test-timers.ts";
import { createHungRequests } from "./hung-requests.ts";

const DRIP_MS = 10;

export interface LyingServer extends AsyncDisposable {
  readonly url: string;
  /** "METHOD /path" of each request, in order. */
  readonly requests: string[];
  /** Begin and end of each request, in milliseconds of one clock. */
  readonly spans: { readonly begin: number; end: number }[];
  /** Those that get no answer, or one without an end. */
  readonly hung: HungRequests;
}

export type Answer =
  | { readonly status?: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  /** Sends a blank every few milliseconds, without an end. */
  | "drip"
  | "hang"
  | "cut";

export interface Behaviour {
  /** Forwards every request to this server. */
  readonly forwardTo?: string;
  /** Runs before a request is forwarded; "cut" closes the connection instead. */
  readonly before?: (path: string) => "cut" | undefined | Promise<"cut" | undefined>;
  /** Runs after the answer to a forwarded request was sent. */
  readonly after?: (path: string) => void;
  /** Accepts connections and never responds. */
  readonly hang?: boolean;
  /** The server's own response. */
  readonly answer?: (
    body: string,
    call: number,
    headers: IncomingHttpHeaders,
    path: string,
  ) => Answer | Promise<Answer>;
}

export async function lyingServer(behaviour: Behaviour): Promise<LyingServer> {
  const requests: string[] = [];
  const spans: { begin: number; end: number }[] = [];
  const hung = createHungRequests();
  const server = createServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    const span = { begin: performance.now(), end: Number.POSITIVE_INFINITY };
    spans.push(span);
    outgoing.once("finish", () => {
      span.end = performance.now();
    });
    if (behaviour.hang) return hung.add(outgoing);
    if (behaviour.forwardTo !== undefined) void forward(behaviour.forwardTo, behaviour, incoming, outgoing);
    else void reply(behaviour, incoming, outgoing, requests.length).then((isHung) => isHung && hung.add(outgoing));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    spans,
    hung,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @returns whether the request hangs */
async function reply(
  { answer }: Behaviour,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  call: number,
): Promise<boolean> {
  let body = "";
  for await (const chunk of incoming.setEncoding("utf8")) body += chunk;
  const result = (await answer?.(body, call, incoming.headers, incoming.url ?? "/")) ?? "cut";
  if (result === "hang") return true;
  if (result === "drip") {
    outgoing.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => outgoing.write(" "), DRIP_MS);
    outgoing.once("close", () => clearInterval(timer));
    return true;
  }
  if (result === "cut") {
    incoming.socket.destroy();
    return false;
  }
  outgoing.writeHead(result.status ?? 200, { "content-type": "application/json", ...result.headers }).end(result.body);
  return false;
}

async function forward(
  target: string,
  { before, after }: Behaviour,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  if ((await before?.(incoming.url ?? "/")) === "cut") {
    incoming.socket.destroy();
    return;
  }
  const upstream = request(
    new URL(incoming.url ?? "/", target),
    { method: incoming.method, headers: incoming.headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing).once("finish", () => after?.(incoming.url ?? "/"));
    },
  );
  upstream.on("error", () => outgoing.destroy());
  incoming.pipe(upstream);
}
