// An agent with the official MCP client, connected to the app in this process.

import { OpenAPIHono } from "@hono/zod-openapi";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Scope } from "../../../functions/access/caller.ts";
import type { AppEnv } from "../../../functions/routes/http/app-env.ts";
import { mcpRoutes } from "../../../functions/routes/mcp/index.ts";
import type { Services } from "../../../functions/services.ts";
import { withContext } from "../../../functions/telemetry/request-context.ts";
import { createExecutionContext, type TestContext } from "./execution-context.ts";
import type { Harness } from "./harness.ts";

type Open = Harness["open"];

export interface Agent extends AsyncDisposable {
  readonly client: Client;
  /** The server's responses, in order. */
  readonly responses: Response[];
  /** Calls a tool and waits for its background tasks. */
  call(name: string, args?: Record<string, unknown>, onProgress?: (message: string) => void): Promise<ToolAnswer>;
  /** Waits for the background tasks of all calls. */
  settled(): Promise<void>;
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly data: unknown;
  /** URIs of the linked resources. */
  readonly links: readonly string[];
}

/** The newest version of each protocol era. */
export const ERAS = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];

/** Connects and lists the tools, so that the client validates results against their schemas. */
export async function connectAgent(open: Open, era: Era = "2025-11-25"): Promise<Agent> {
  const contexts: TestContext[] = [];
  const responses: Response[] = [];
  const transport = new StreamableHTTPClientTransport(new URL("http://dejavu.test/mcp"), {
    async fetch(url, init) {
      const { response, context } = await open(new URL(url).pathname, init);
      contexts.push(context);
      responses.push(response);
      return response;
    },
  });
  const mode = era === "2025-11-25" ? "legacy" : { pin: era };
  const client = new Client({ name: "a-test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  await client.listTools();
  const settled = async () => {
    for (const context of contexts.splice(0)) await context.settled();
  };
  return {
    client,
    responses,
    settled,
    async call(name, args = {}, onProgress) {
      const progress: number[] = [];
      const onprogress = (step: { readonly progress: number; readonly message?: string | undefined }) => {
        if (step.progress <= (progress.at(-1) ?? 0)) throw new Error("The progress decreased.");
        progress.push(step.progress);
        onProgress?.(step.message ?? "");
      };
      const reply = await client.callTool({ name, arguments: args }, onProgress ? { onprogress } : {});
      await settled();
      return answerOf(reply);
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await settled();
    },
  };
}

const resultSchema = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional(), uri: z.string().optional() })),
  isError: z.boolean().optional(),
  structuredContent: z.unknown().optional(),
});

export function answerOf(reply: unknown): ToolAnswer {
  const { content, isError, structuredContent } = resultSchema.parse(reply);
  const text = content.flatMap((part) => part.text ?? []).join("\n");
  return { text, isError: isError === true, data: structuredContent, links: content.flatMap(({ uri }) => uri ?? []) };
}

/** Opens the MCP endpoint for a caller with only these scopes. */
export function openAs(services: Services, scopes: readonly Scope[], callerId = "a-token"): Open {
  const app = new OpenAPIHono<AppEnv>();
  app.use(async (c, next) => {
    c.set("services", services);
    const requestId = services.newId();
    c.set("requestId", requestId);
    c.set("caller", {
      id: callerId,
      owner: callerId,
      name: callerId,
      scopes,
      expiresAt: null,
      domains: null,
      person: null,
    });
    c.set("runInBackground", (work) => c.executionCtx.waitUntil(work));
    await withContext({ requestId }, next);
  });
  app.route("/", mcpRoutes);
  return async (path, init) => {
    const context = createExecutionContext();
    return { response: await app.fetch(new Request(`http://dejavu.test${path}`, init), {}, context), context };
  };
}
