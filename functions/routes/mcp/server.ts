// The MCP server: dispatches methods, checks scopes and maps failures. Independent of HTTP.
//
// Built on the SDK's Protocol instead of its McpServer, which bundles a JSON schema validator (45 KB gzipped) for requests
// that this server never sends, and shows the message of an internal error to the model.

import { Protocol, type RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  InitializeRequestSchema,
  type InitializeResult,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  ListResourcesRequestSchema,
  type Notification,
  ReadResourceRequestSchema,
  type Request,
  type Result,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import type { Caller, Scope } from "../../access/caller.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import type { Services } from "../../services.ts";
import { describeInvalidFields, invalidFields } from "../http/invalid-fields.ts";
import { logBug, Problem } from "../http/problem.ts";
import { leaveAuditEvent } from "../middleware/audit.ts";
import { failureText, RpcError } from "./failure.ts";
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

type Extra = RequestHandlerExtra<Request, Notification>;

/** Creates a server for one request; connect it to its own transport. */
export function createMcpServer(conversation: Conversation): Protocol<Request, Notification, Result> {
  const server = new Server();
  server.fallbackRequestHandler = (request, extra) => answerSafely(conversation, request, extra);
  server.onerror = () => conversation.services.log("warn", "mcp.not_sent");
  return server;
}

class Server extends Protocol<Request, Notification, Result> {
  // The server sends only responses and progress, which every client supports, so no capability is checked.
  protected override assertCapabilityForMethod(): void {}
  protected override assertNotificationCapability(): void {}
  protected override assertRequestHandlerCapability(): void {}
  protected override assertTaskCapability(): void {}
  protected override assertTaskHandlerCapability(): void {}
}

async function answerSafely(conversation: Conversation, request: JSONRPCRequest, extra: Extra): Promise<Result> {
  const { services, requestId } = conversation;
  try {
    return await answer(conversation, request, extra);
  } catch (error) {
    if (error instanceof RpcError) throw error;
    const text = failureText(error);
    if (text === undefined) {
      logBug(error, services.log);
      throw new RpcError("internal", `Something went wrong. The log has the reason under request ${requestId}.`);
    }
    if (!(error instanceof Problem)) services.log("error", "mcp.dependency_failed", { error: messageOf(error) });
    if (request.method === "tools/call") return toolError(text);
    throw new RpcError("internal", text);
  }
}

function answer(conversation: Conversation, request: JSONRPCRequest, extra: Extra): Result | Promise<Result> {
  const { services, caller } = conversation;
  switch (request.method) {
    case "initialize":
      return initialize(conversation, parse(InitializeRequestSchema, request).params.protocolVersion);
    case "tools/list":
      return { tools: TOOLS.filter(({ scope }) => caller.scopes.includes(scope)).map((tool) => tool.list()) };
    case "tools/call":
      return callTool(conversation, parse(CallToolRequestSchema, request).params, extra);
    case "resources/list":
      requireScope(caller);
      return listResources(services, parse(ListResourcesRequestSchema, request).params?.cursor);
    case "resources/templates/list":
      requireScope(caller);
      return RESOURCE_TEMPLATES;
    case "resources/read":
      requireScope(caller);
      return readResource(services, parse(ReadResourceRequestSchema, request).params.uri);
    case "completion/complete":
      requireScope(caller);
      return complete(services, parse(CompleteRequestSchema, request).params);
    default:
      throw new RpcError(
        "methodNotFound",
        "This server does not have the method. It has tools and, for a token with the scope `read`, resources and completions.",
      );
  }
}

function initialize({ services, caller }: Conversation, requestedVersion: string): InitializeResult {
  return {
    protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(requestedVersion)
      ? requestedVersion
      : LATEST_PROTOCOL_VERSION,
    // Clients use only the capabilities listed here.
    capabilities: { tools: {}, ...(caller.scopes.includes(RESOURCE_SCOPE) ? { resources: {}, completions: {} } : {}) },
    serverInfo: { name: "dejavu", title: "Dejavu", version: services.version },
    instructions: instructionsFor(caller.scopes),
  };
}

async function callTool(
  { services, caller, requestId, sessionId, origin, disconnected, runInBackground }: Conversation,
  { name, arguments: args }: { readonly name: string; readonly arguments?: unknown },
  { signal, _meta, sendNotification }: Extra,
): Promise<Result> {
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
    sendNotification({ method: "notifications/progress", params }).catch(() => {});
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

/** @throws RpcError */
function requireScope({ scopes }: Caller): void {
  if (!scopes.includes(RESOURCE_SCOPE)) throw new RpcError("invalidParams", scopeText(RESOURCE_SCOPE));
}

function scopeText(scope: Scope): string {
  return `This operation needs a token with the scope \`${scope}\`.`;
}

/** @throws RpcError that names the invalid fields */
function parse<T>(schema: z.ZodType<T>, request: JSONRPCRequest): T {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  const faults = describeInvalidFields(invalidFields(parsed.error, "the request"));
  throw new RpcError("invalidParams", `The request is not valid: ${faults} Correct it and send it again.`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
