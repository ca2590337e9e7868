// The MCP server: dispatches methods, checks scopes and maps failures. Independent of HTTP.
//
// Both protocol eras use the same handlers. Requests and results are checked by schemas of the SDK; arguments and results of tools by
// their own.

import {
  type CacheHint,
  type CallToolResult,
  type Result,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Caller, Scope } from "../../access/caller.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import type { Services } from "../../services.ts";
import { logBug, Problem } from "../http/problem.ts";
import { leaveAuditEvent } from "../middleware/audit.ts";
import { expectedFailureText, RpcError } from "./failure.ts";
import { ingestDebugDocument } from "./ingest-debug-document.ts";
import { instructionsFor } from "./instructions.ts";
import { lookupPreviousFixes } from "./lookup-previous-fixes.ts";
import { complete, listResources, RESOURCE_TEMPLATES, readResource } from "./resources.ts";
import { searchDebuggingKnowledge } from "./search-debugging-knowledge.ts";
import { submitFeedback } from "./submit-feedback.ts";
import { type Tool, toolError } from "./tool.ts";
import { vectorSearch } from "./vector-search.ts";

export const TOOLS: readonly Tool[] = [
  searchDebuggingKnowledge,
  lookupPreviousFixes,
  vectorSearch,
  submitFeedback,
  ingestDebugDocument,
];

/** Resources show the same data as `GET /v1/incidents` and `GET /v1/runbooks`. */
const RESOURCE_SCOPE: Scope = "read";
/** Calls of tools with these scopes leave audit events. A triage is recorded on its incident's timeline instead. */
const CHANGING_SCOPES: ReadonlySet<Scope> = new Set(["feedback", "ingest", "admin"]);

/** The client and the context of one request. */
export interface Conversation {
  readonly services: Services;
  readonly caller: Caller;
  readonly requestId: string;
  /** Undefined if the client keeps no session. */
  readonly sessionId: string | undefined;
  /** The address of the console. */
  readonly origin: string;
  /** Fires when the client disconnects. */
  readonly disconnected: AbortSignal;
  readonly runInBackground: RunInBackground;
}

/** Clients may keep a result so long. It depends on the token, so shared caches may not. */
const kept = (ttlMs: number): CacheHint => ({ ttlMs, cacheScope: "private" });
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const CACHE_HINTS = {
  "server/discover": kept(HOUR_MS),
  "tools/list": kept(HOUR_MS),
  "resources/templates/list": kept(HOUR_MS),
  "resources/list": kept(MINUTE_MS),
  "resources/read": kept(MINUTE_MS),
} as const;

/** Creates a server for one request of either protocol era. */
export function createMcpServer(conversation: Conversation): Server {
  const { services, caller } = conversation;
  const hasResources = caller.scopes.includes(RESOURCE_SCOPE);
  const server = new ScopedServer(
    { name: "dejavu", title: "Dejavu", version: services.version },
    {
      // Clients use only the capabilities listed here.
      capabilities: { tools: {}, ...(hasResources ? { resources: {}, completions: {} } : {}) },
      instructions: instructionsFor(caller.scopes),
      cacheHints: CACHE_HINTS,
    },
  );
  const safely =
    <Request, R extends Result>(
      answer: (request: Request, context: ServerContext) => R | Promise<R>,
      failed = (text: string): R => {
        throw new RpcError("internal", text);
      },
    ) =>
    (request: Request, context: ServerContext): Promise<R> =>
      answerSafely(conversation, async () => answer(request, context), failed);
  server.setRequestHandler(
    "tools/list",
    safely(() => ({ tools: TOOLS.filter(({ scope }) => caller.scopes.includes(scope)).map((tool) => tool.list()) })),
  );
  server.setRequestHandler(
    "tools/call",
    safely(({ params }, context) => callTool(conversation, params, context), toolError),
  );
  if (hasResources) {
    server.setRequestHandler(
      "resources/list",
      safely(({ params }) => listResources(services, params?.cursor)),
    );
    server.setRequestHandler(
      "resources/templates/list",
      safely(() => RESOURCE_TEMPLATES),
    );
    server.setRequestHandler(
      "resources/read",
      safely(({ params }) => readResource(services, params.uri)),
    );
    server.setRequestHandler(
      "completion/complete",
      safely(({ params }) => complete(services, params)),
    );
  }
  server.fallbackRequestHandler = async () => {
    throw new RpcError(
      "methodNotFound",
      "This server does not have the method. It has tools and, for a token with the scope `read`, resources and completions.",
    );
  };
  server.onerror = () => services.log("warn", "mcp.not_sent");
  return server;
}

class ScopedServer extends Server {
  /** The handlers throw no other errors than RpcError: what else is thrown is the SDK's refusal of the parameters, which it calls internal. */
  protected override _wrapHandler(...args: Parameters<Server["_wrapHandler"]>): ReturnType<Server["_wrapHandler"]> {
    const handle = super._wrapHandler(...args);
    return (request, context) =>
      handle(request, context).catch((error: unknown) => {
        if (error instanceof Error && "code" in error) throw error;
        throw new RpcError("invalidParams", "The parameters are not valid. Correct them and send the request again.");
      });
  }
}

/** @param failed makes the answer of an expected failure */
async function answerSafely<R extends Result>(
  { services, requestId }: Conversation,
  answer: () => Promise<R>,
  failed: (text: string) => R,
): Promise<R> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof RpcError) throw error;
    const text = expectedFailureText(error);
    if (text === undefined) {
      logBug(error, services.log);
      throw new RpcError("internal", `Something went wrong. The log has the reason under request ${requestId}.`);
    }
    if (!(error instanceof Problem)) services.log("error", "mcp.dependency_failed", { error: messageOf(error) });
    return failed(text);
  }
}

async function callTool(
  { services, caller, requestId, sessionId, origin, disconnected, runInBackground }: Conversation,
  { name, arguments: args }: { readonly name: string; readonly arguments?: unknown },
  { mcpReq: { signal, _meta, notify } }: ServerContext,
): Promise<CallToolResult> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw new RpcError("invalidParams", "No tool has this name. List the tools with tools/list.");
  if (!caller.scopes.includes(tool.scope)) return toolError(scopeText(tool.scope));
  if (tool.scope === "triage" && !(await services.limits.triages(caller.id))) {
    return toolError("This token requested too many triages. Wait a minute; lookup_previous_fixes may help meanwhile.");
  }
  const token = _meta?.progressToken;
  let progress = 0;
  const report = (message: string) => {
    progress += 1;
    const params = { progressToken: token, progress, message };
    // A disconnected client needs no progress.
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
  const cancelled = AbortSignal.any([signal, disconnected]);
  const call = { services, caller, sessionId, origin, cancelled, runInBackground };
  const result = await tool.call(args, { ...call, report: token === undefined ? undefined : report });
  const isError = result.isError === true;
  services.log("info", "mcp.tool", { tool: name, is_error: isError });
  if (CHANGING_SCOPES.has(tool.scope) && !isError) {
    const by = { actor: caller.id, requestId };
    const change = { at: services.now(), by, method: "POST", route: "/mcp", status: 200, subject: name };
    runInBackground(leaveAuditEvent(services, change));
  }
  return result;
}

function scopeText(scope: Scope): string {
  return `This operation needs a token with the scope \`${scope}\`.`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
