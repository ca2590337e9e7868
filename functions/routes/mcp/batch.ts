// JSON-RPC batches, which MCP had until 2025-03-26: the responses of the messages, as an array.

import { exchange } from "./exchange.ts";
import { RPC_CODES } from "./failure.ts";
import { messageSchema } from "./message.ts";
import { type Conversation, createMcpServer } from "./server.ts";

/** Each may run a triage, and the platform limits the time and the subrequests of one request. */
export const MAX_BATCH_MESSAGES = 10;
/** 2025-06-18 removed batches. */
const VERSIONS_WITH_BATCHES: readonly string[] = ["2024-10-07", "2024-11-05", "2025-03-26"];
/** The version of a client that sends no version header, which 2025-06-18 introduced. */
const VERSION_WITHOUT_HEADER = "2025-03-26";

/**
 * Answers the messages one after the other, each with its own scope check and rate limit: a later message may refer to
 * the result of an earlier one. Sends no progress.
 */
export async function answerBatch(
  conversation: Conversation,
  request: Request,
  messages: readonly unknown[],
): Promise<Response> {
  const refusal = refusalOf(messages, request.headers.get("mcp-protocol-version"));
  if (refusal !== undefined) return Response.json(invalidRequest(refusal), { status: 400 });
  const replies: unknown[] = [];
  for (const [position, message] of messages.entries()) {
    if (conversation.disconnected.aborted) break;
    const reply = await answerMessage(conversation, request, message, position);
    if (reply !== undefined) replies.push(reply);
  }
  return replies.length === 0 ? new Response(null, { status: 202 }) : Response.json(replies);
}

/** Why nothing of the batch is processed. */
function refusalOf(messages: readonly unknown[], version: string | null): string | undefined {
  if (!VERSIONS_WITH_BATCHES.includes(version ?? VERSION_WITHOUT_HEADER))
    return `MCP ${version} has no batches. Send each message in a request of its own.`;
  if (messages.length === 0) return "The batch is empty. Send at least one message.";
  if (messages.length > MAX_BATCH_MESSAGES)
    return `The batch has ${messages.length} messages. Send at most ${MAX_BATCH_MESSAGES} at once.`;
  const initializes = messages.some((message) => messageSchema.safeParse(message).data?.method === "initialize");
  return initializes ? "`initialize` must not be part of a batch. Send it in a request of its own." : undefined;
}

/** @returns the response; undefined for a notification */
async function answerMessage(
  conversation: Conversation,
  request: Request,
  message: unknown,
  position: number,
): Promise<unknown> {
  const parsed = messageSchema.safeParse(message);
  if (!parsed.success)
    return invalidRequest(`Message ${position + 1} of the batch is not a JSON-RPC 2.0 message. Correct it.`);
  const { services, caller } = conversation;
  const { id } = parsed.data;
  // The request itself counts as the first message.
  if (position > 0 && !(await services.limits.requests(caller.id))) {
    const text = "This token sent too many requests. Wait a minute, then send requests more slowly.";
    return id === undefined ? undefined : rpcError(id, RPC_CODES.rateLimited, text);
  }
  const response = await exchange(createMcpServer(conversation), { request, message: parsed.data }, null);
  return response.status === 202 ? undefined : response.json();
}

function invalidRequest(message: string) {
  return rpcError(null, RPC_CODES.invalidRequest, message);
}

function rpcError(id: string | number | null, code: number, message: string) {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
