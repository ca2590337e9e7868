// Gateway: the part of Supabase's gateway that is needed, `/rest/v1/*` before PostgREST. Like Supabase it requires a
// key and leaves its check to PostgREST. It uses node:http because every request of the Worker passes through it: a
// fetch-based proxy took twice as long. This file is also the entry of its process.

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
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { nodeService, type ServiceSpec } from "./service.ts";

/** Where PostgREST listens: host and port, or a socket. */
export type Upstream = Pick<RequestOptions, "host" | "port" | "socketPath">;

const PREFIX = "/rest/v1";

/** Headers of one connection, which a proxy must not forward (RFC 9110, 7.6.1). */
const NOT_FORWARDED = new Set(["host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

const environmentSchema = z.object({ PORT: z.coerce.number(), POSTGREST_URL: z.url() });

/** Its health is its own and not PostgREST's: the gateway must be up to report that PostgREST is not. */
export function gatewayService({ port, postgrestPort }: { port: number; postgrestPort: number }): ServiceSpec {
  return nodeService("gateway", port, {
    script: fileURLToPath(import.meta.url),
    env: { POSTGREST_URL: `http://127.0.0.1:${postgrestPort}` },
  });
}

export function createGateway(upstream: Upstream): Server {
  // PostgREST closes idle connections after 30 s. Close them earlier, so that it closes none under a request.
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
  const headers = { ...forwardedHeaders(incoming), ...options.headers };
  const { method } = incoming;
  const path = incoming.url?.slice(PREFIX.length) ?? "/";
  const forwarded = request({ ...options, method, path, headers });
  forwarded.once("response", (response) => {
    outgoing.writeHead(response.statusCode ?? 502, forwardedHeaders(response));
    // When either side closes early, the pipeline closes the other.
    pipeline(response, outgoing, () => {});
  });
  forwarded.on("error", (error) => {
    if (outgoing.headersSent || outgoing.destroyed) {
      outgoing.destroy();
      return;
    }
    console.error(`${method} ${path}: ${error.message}`);
    answerUnavailable(outgoing);
  });
  outgoing.once("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
}

function forwardedHeaders({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_FORWARDED.has(name)));
}

function answerUnavailable(outgoing: ServerResponse): void {
  const detail = "PostgREST does not answer. Its log is postgrest.log in the stack's log folder.";
  const problem = { type: "about:blank", title: "Service Unavailable", status: 503, detail, message: detail };
  answer(outgoing, 503, problem, "application/problem+json");
}

function answer(outgoing: ServerResponse, status: number, body: object, type = "application/json"): void {
  outgoing.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
}

if (import.meta.main) {
  const { PORT, POSTGREST_URL } = environmentSchema.parse(process.env);
  const { hostname, port } = new URL(POSTGREST_URL);
  createGateway({ host: hostname, port }).listen(PORT, "127.0.0.1");
  process.on("SIGTERM", () => process.exit(0));
}
