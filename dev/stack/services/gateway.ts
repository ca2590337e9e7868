/**
 * The one piece of Supabase's gateway that is needed, `/rest/v1/*` in front of PostgREST. It wants a key as Supabase
 * does, and leaves judging it to PostgREST. On bare node:http because every request of the Worker passes here: a
 * fetch-based proxy took twice as long.
 */
import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream";

/** Where PostgREST listens: host and port, or a socket. */
export type Upstream = Pick<RequestOptions, "host" | "port" | "socketPath">;

const PREFIX = "/rest/v1";

/** They speak of this connection, not of the next one (RFC 9110, 7.6.1). */
const NOT_PASSED_ON = new Set(["host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

export function createGateway(upstream: Upstream): Server {
  // Idle connections go before PostgREST, which gives them 30 s, closes them under a request.
  const agent = new Agent({ keepAlive: true, timeout: 15_000 });
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "/";
    if (path === "/health") return answer(outgoing, 200, { status: "ok" });
    if (!path.startsWith(`${PREFIX}/`)) return answer(outgoing, 404, { message: "no Route matched with those values" });
    const { apikey, authorization = apikey && `Bearer ${apikey}` } = incoming.headers;
    if (!authorization) {
      const hint = "No `apikey` request header or url param was found.";
      return answer(outgoing, 401, { message: "No API key found in request", hint });
    }
    forward(incoming, outgoing, { ...upstream, agent, headers: { authorization: String(authorization) } });
  });
  return server.once("close", () => agent.destroy());
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, options: RequestOptions): void {
  const headers = { ...passedOnHeaders(incoming), ...options.headers };
  const { method } = incoming;
  const path = incoming.url?.slice(PREFIX.length) ?? "/";
  const passedOn = request({ ...options, method, path, headers });
  passedOn.once("response", (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, passedOnHeaders(reply));
    // An end that comes early on either side ends the other.
    pipeline(reply, outgoing, () => {});
  });
  passedOn.on("error", (error) => {
    if (outgoing.headersSent || outgoing.destroyed) {
      outgoing.destroy();
      return;
    }
    console.error(`${method} ${path}: ${error.message}`);
    answerUnavailable(outgoing);
  });
  outgoing.once("close", () => passedOn.destroy());
  incoming.pipe(passedOn);
}

function passedOnHeaders({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name)));
}

function answerUnavailable(outgoing: ServerResponse): void {
  const detail = "PostgREST does not answer. Its log is postgrest.log in the stack's log folder.";
  const problem = { type: "about:blank", title: "Service Unavailable", status: 503, detail, message: detail };
  answer(outgoing, 503, problem, "application/problem+json");
}

function answer(outgoing: ServerResponse, status: number, body: object, type = "application/json"): void {
  outgoing.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
}
