// Owns the conversation with an agent: which method does what, for whom, and how a failure is told. Knows no HTTP.
//
// Built on the SDK's Protocol, not on its McpServer: that one brings a validator of JSON schemas (45 KB gzipped) for
// questions that we never ask a client, and shows the words of a bug to the model.

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

const TOOLS: readonly Tool[] = [
  searchDebuggingKnowledge,
  lookupPreviousFixes,
  vectorSearch,
  submitFeedback,
  ingestDebugDocument,
];

/** Resources show what `GET /v1/incidents` and its neighbours show. */
const RESOURCE_SCOPE: Scope = "read";
/** Their tools change what is on record; a triage has a timeline of its own. */
const CHANGING_SCOPES: ReadonlySet<Scope> = new Set(["feedback", "ingest", "admin"]);

/** Who talks, and about what. */
export interface Conversation {
  readonly services: Services;
  readonly caller: Caller;
  readonly requestId: string;
  /** Undefined where the client keeps no session. */
  readonly sessionId: string | undefined;
  /** Fires when the client has gone. */
  readonly gone: AbortSignal;
  readonly runInBackground: RunInBackground;
}

type Extra = RequestHandlerExtra<Request, Notification>;

/** Answers one request; connect it to a transport of its own. */
export function createMcpServer(conversation: Conversation): Protocol<Request, Notification, Result> {
  const server = new Server();
  server.fallbackRequestHandler = (request, extra) => answerSafely(conversation, request, extra);
  server.onerror = () => conversation.services.log("warn", "mcp.not_sent");
  return server;
}

class Server extends Protocol<Request, Notification, Result> {
  // What a client must be able to do for what we send him: we send answers and progress, which all of them take.
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
      return complete(parse(CompleteRequestSchema, request).params);
    default:
      throw new RpcError("methodNotFound", "This server knows no such method.");
  }
}

function initialize({ services, caller }: Conversation, asked: string): InitializeResult {
  return {
    protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION,
    // A client asks only for what is named here.
    capabilities: { tools: {}, ...(caller.scopes.includes(RESOURCE_SCOPE) ? { resources: {}, completions: {} } : {}) },
    serverInfo: { name: "dejavu", title: "Dejavu", version: services.version },
    instructions: instructionsFor(caller.scopes),
  };
}

async function callTool(
  { services, caller, requestId, sessionId, gone, runInBackground }: Conversation,
  { name, arguments: args }: { readonly name: string; readonly arguments?: unknown },
  { signal, _meta, sendNotification }: Extra,
): Promise<Result> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw new RpcError("invalidParams", "There is no such tool. tools/list names them.");
  if (!caller.scopes.includes(tool.scope)) return toolError(scopeText(tool.scope));
  if (tool.scope === "triage" && !(await services.limits.triages(caller.id))) {
    return toolError("This token asks for too many triages. Wait a minute; lookup_previous_fixes may help meanwhile.");
  }
  const token = _meta?.progressToken;
  let progress = 0;
  const report = (message: string) => {
    progress += 1;
    const params = { progressToken: token, progress, message };
    // Who cannot be told any more is told nothing.
    sendNotification({ method: "notifications/progress", params }).catch(() => {});
  };
  const cancelled = AbortSignal.any([signal, gone]);
  const call = { services, caller, sessionId, cancelled, runInBackground };
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
  return `This needs a token with the scope \`${scope}\`, which yours lacks.`;
}

/** @throws RpcError that names the first fault */
function parse<T>(schema: z.ZodType<T>, request: JSONRPCRequest): T {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  const [fault] = parsed.error.issues;
  throw new RpcError("invalidParams", `The request is not valid: ${fault?.path.join(".")}: ${fault?.message}.`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
