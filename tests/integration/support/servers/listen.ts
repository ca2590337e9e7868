// Serves the application on a real port.

import { serve } from "@hono/node-server";
import { createApp } from "../../../../functions/app.ts";
import type { Services } from "../../../../functions/services.ts";
import { createExecutionContext, type TestContext } from "../execution-context.ts";

const contexts = new Set<TestContext>();

/** Resolves when the background tasks of all requests to servers of this file have ended. */
export async function servedRequestsSettled(): Promise<void> {
  for (const context of contexts) await context.settled();
}

/**
 * Its disposal waits for background tasks and for clients to close their connections.
 * @param withoutApp answers what the platform serves without the Worker
 */
export async function listen(
  services: Services,
  withoutApp: (request: Request) => Promise<Response> | undefined = () => undefined,
): Promise<{ readonly host: string; readonly url: string } & AsyncDisposable> {
  const app = createApp(services);
  const context = createExecutionContext();
  contexts.add(context);
  const server = serve({
    fetch: (request) => withoutApp(request) ?? app.fetch(request, {}, context),
    hostname: "127.0.0.1",
    port: 0,
  });
  await new Promise<void>((resolve) => server.once("listening", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const host = `127.0.0.1:${address.port}`;
  return {
    host,
    url: `http://${host}`,
    async [Symbol.asyncDispose]() {
      await context.settled();
      contexts.delete(context);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
