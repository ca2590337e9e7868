// A stand-in for Cloudflare's API: accounts, queues and secrets in its wire format. It can stall and refuse.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const ACCOUNT = { id: "0123456789abcdef0123456789abcdef", name: "Example" };
const PAGE_SIZE = 5;

export interface CloudflareApi extends AsyncDisposable {
  /** Variables that point wrangler at this server. */
  readonly environment: Record<string, string>;
  mode: "answers" | "stalls" | "refuses";
  /** Names of the account's queues, in the order of the API. */
  queues: string[];
  consumers: number;
  /** Names of the Worker's secrets; null while the Worker does not exist. */
  secrets: string[] | null;
}

export async function cloudflareApi(): Promise<CloudflareApi> {
  const server = createServer((request, response) => {
    if (api.mode === "stalls") return;
    const { status, body } = respond(api, new URL(request.url ?? "/", "http://api"));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const api: CloudflareApi = {
    environment: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: "cloudflare-api-token",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT.id,
    },
    mode: "answers",
    queues: [],
    consumers: 1,
    secrets: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return api;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const success = (result: unknown): Answer => ({
  status: 200,
  body: { success: true, errors: [], messages: [], result, result_info: { page: 1, per_page: 50, total_pages: 1 } },
});
const failure = (status: number, code: number, message: string): Answer => ({
  status,
  body: { success: false, errors: [{ code, message }], messages: [], result: null },
});

function respond(api: CloudflareApi, { pathname, searchParams }: URL): Answer {
  if (api.mode === "refuses") return failure(403, 9_109, "Invalid access token");
  const path = pathname.replace("/client/v4", "").replace(`/accounts/${ACCOUNT.id}`, "");
  const page = Number(searchParams.get("page") ?? 1);
  switch (true) {
    case path === "/user/tokens/verify":
      return success({ id: "token", status: "active" });
    case path === "/user":
      return success({ id: "user", email: "engineer@example.com" });
    case path === "/accounts":
      return success([ACCOUNT]);
    case path === "/memberships":
      return success([{ id: "membership", account: ACCOUNT, roles: [] }]);
    case path === "/queues":
      return success(
        api.queues.map((name, i) => queue(name, i, api.consumers)).slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
      );
    case /^\/workers\/scripts\/[^/]+\/secrets$/.test(path):
      return api.secrets === null
        ? failure(404, 10_007, "This Worker does not exist on your account.")
        : success(api.secrets.map((name) => ({ name, type: "secret_text" })));
    default:
      return failure(404, 7_000, `No route for ${path}`);
  }
}

function queue(queue_name: string, index: number, consumers_total_count: number) {
  const time = "2026-11-01T00:00:00.000000Z";
  return {
    queue_id: String(index).padStart(32, "0"),
    queue_name,
    created_on: time,
    modified_on: time,
    producers_total_count: 1,
    producers: [],
    consumers_total_count,
    consumers: [],
  };
}
