// A stand-in for Cloudflare's API: accounts, queues, Workers with their versions and secrets, in its wire format. It can
// stall, refuse, and fail at one kind of request.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

const ACCOUNT = { id: "0123456789abcdef0123456789abcdef", name: "Example" };
const PAGE_SIZE = 5;

interface Version {
  readonly id: string;
  readonly annotations: Record<string, string>;
  /** Values of the secrets that came with it. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface CloudflareApi extends AsyncDisposable {
  /** Variables that point wrangler at this server. */
  readonly environment: Record<string, string>;
  mode: "answers" | "stalls" | "refuses";
  /** Requests of this form, such as `POST /queues`, end with a failure. */
  failing: RegExp | undefined;
  /** Of the login. */
  accounts: (typeof ACCOUNT)[];
  /** Names of the account's queues, in the order of the API. */
  queues: string[];
  consumers: number;
  /** Names of the Worker's secrets; null while the Worker does not exist. */
  secrets: string[] | null;
  /** Oldest first. */
  readonly versions: Version[];
  /** Ids of versions, in the order in which they were deployed. */
  readonly deployments: string[];
  /** Of the requests, in percent: what the newest deployment gives its version. The one before has the rest. */
  share: number;
  crons: unknown;
  /** Requests that change something, such as `POST /queues`. */
  readonly changes: string[];
}

export async function cloudflareApi(): Promise<CloudflareApi> {
  const server = createServer((request, response) => {
    if (api.mode === "stalls") return;
    void respond(api, request).then(({ status, body }) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
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
    failing: undefined,
    accounts: [ACCOUNT],
    queues: [],
    consumers: 1,
    secrets: [],
    versions: [],
    deployments: [],
    share: 100,
    crons: undefined,
    changes: [],
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
const NO_WORKER = failure(404, 10_007, "This Worker does not exist on your account.");
const TIME = "2026-11-01T00:00:00.000000Z";

async function respond(api: CloudflareApi, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://api");
  const body = await buffer(request);
  if (api.mode === "refuses") return failure(403, 9_109, "Invalid access token");
  const path = pathname.replace("/client/v4", "").replace(`/accounts/${ACCOUNT.id}`, "");
  const route = `${request.method} ${path.replace(/(?<=\/(?:scripts|services|workers)\/(?!(?:scripts|services|workers|subdomain)\b))[^/]+/, ":worker")}`;
  if (api.failing?.test(route)) return failure(500, 10_013, "An unknown error has occurred.");
  if (request.method !== "GET") api.changes.push(route);
  if (/\/queues/.test(path)) return respondAboutQueues(api, { route, searchParams, body });
  return respondAboutWorker(api, { route, searchParams, body, type: request.headers["content-type"] ?? "" });
}

interface Call {
  readonly route: string;
  readonly searchParams: URLSearchParams;
  readonly body: Buffer;
}

function respondAboutQueues(api: CloudflareApi, { route, searchParams, body }: Call): Answer {
  const all = api.queues.map((name, i) => queue(name, i, api.consumers));
  if (route === "POST /queues") {
    const { queue_name } = JSON.parse(body.toString());
    if (api.queues.includes(queue_name)) return failure(409, 11_009, `Queue name '${queue_name}' is already taken.`);
    api.queues.push(queue_name);
    return success(queue(queue_name, api.queues.length - 1, 0));
  }
  if (route === "GET /queues") {
    const names = searchParams.getAll("name");
    if (names.length > 0) return success(all.filter(({ queue_name }) => names.includes(queue_name)));
    const page = Number(searchParams.get("page") ?? 1);
    return success(all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE));
  }
  return /^(?:GET|POST|PUT) \/queues\/\w+\/consumers/.test(route)
    ? success([])
    : failure(404, 7_000, `No route for ${route}`);
}

function respondAboutWorker(api: CloudflareApi, { route, body, type }: Call & { readonly type: string }): Answer {
  const [, , versionId = ""] = /^GET \/workers\/scripts\/:worker\/(versions)\/([\w-]+)$/.exec(route) ?? [];
  const version = api.versions.find(({ id }) => id === versionId);
  if (version !== undefined) return success(detailOf(version));
  switch (route) {
    case "GET /user/tokens/verify":
      return success({ id: "token", status: "active" });
    case "GET /user":
      return success({ id: "user", email: "engineer@example.com" });
    case "GET /accounts":
      return success(api.accounts);
    case "GET /memberships":
      return success(api.accounts.map((account) => ({ id: `membership-${account.id}`, account, roles: [] })));
    case "GET /workers/subdomain":
      return success({ subdomain: "example" });
    case "GET /workers/services/:worker":
      return api.versions.length === 0
        ? NO_WORKER
        : success({ default_environment: { environment: "production", script: { last_deployed_from: "wrangler" } } });
    case "GET /workers/scripts/:worker/secrets":
      return api.secrets === null ? NO_WORKER : success(api.secrets.map((name) => ({ name, type: "secret_text" })));
    case "POST /workers/scripts/:worker/assets-upload-session":
      return success({ jwt: "session", buckets: [] });
    case "PUT /workers/scripts/:worker":
      return upload(api, body, type, true);
    case "POST /workers/scripts/:worker/versions":
      return upload(api, body, type, false);
    case "GET /workers/scripts/:worker/versions":
      return success({ items: api.versions.map(detailOf).reverse() });
    case "GET /workers/scripts/:worker/deployments":
      if (api.versions.length === 0) return NO_WORKER;
      return success({ deployments: api.deployments.map((id, i) => deployment(id, i, api)).reverse() });
    case "POST /workers/scripts/:worker/deployments": {
      const { versions } = JSON.parse(body.toString());
      api.deployments.push(versions[0].version_id);
      return success({ id: `deployment-${api.deployments.length}` });
    }
    case "PUT /workers/scripts/:worker/schedules":
      api.crons = JSON.parse(body.toString());
      return success({});
    case "GET /workers/workers/:worker":
      return success({ id: "worker", name: "dejavu", subdomain: { enabled: true, previews_enabled: true } });
    case "GET /workers/scripts/:worker/subdomain":
    case "POST /workers/scripts/:worker/subdomain":
      return success({ enabled: true, previews_enabled: true });
    case "PATCH /workers/scripts/:worker/script-settings":
    case "GET /workers/scripts/:worker/script-settings":
      return success({});
    default:
      return failure(404, 7_000, `No route for ${route}`);
  }
}

/** A new version from a multipart body, whose part `metadata` is JSON. */
function upload(api: CloudflareApi, body: Buffer, type: string, isDeployed: boolean): Answer {
  const [, boundary = ""] = /boundary=(.+)$/.exec(type) ?? [];
  const part = body
    .toString("latin1")
    .split(`--${boundary}`)
    .find((each) => each.includes('name="metadata"'));
  const metadata = JSON.parse(Buffer.from(part?.slice(part.indexOf("\r\n\r\n")) ?? "", "latin1").toString());
  const secrets: { type: string; name: string; text: string }[] = metadata.bindings.filter(
    (binding: { type: string }) => binding.type === "secret_text",
  );
  const version = {
    id: `00000000-0000-4000-8000-${String(api.versions.length).padStart(12, "0")}`,
    annotations: metadata.annotations ?? {},
    secrets: Object.fromEntries(secrets.map(({ name, text }) => [name, text])),
  };
  api.versions.push(version);
  api.secrets = [...new Set([...(api.secrets ?? []), ...Object.keys(version.secrets)])];
  if (isDeployed) api.deployments.push(version.id);
  return success({ ...detailOf(version), startup_time_ms: 100, pipeline_hash: "hash", deployment_id: version.id });
}

function detailOf({ id, annotations }: Version) {
  const metadata = {
    author_email: "engineer@example.com",
    author_id: "user",
    created_on: TIME,
    modified_on: TIME,
    source: "wrangler",
  };
  const resources = {
    script: { etag: "etag", handlers: ["fetch"], last_deployed_from: "wrangler" },
    script_runtime: {},
    bindings: [],
  };
  return { id, number: 1, annotations, metadata, resources };
}

function deployment(version_id: string, index: number, { deployments, share }: CloudflareApi) {
  const created_on = new Date(Date.parse(TIME) + index * 60_000).toISOString();
  const isSplit = share < 100 && index === deployments.length - 1;
  const rest = { version_id: deployments[index - 1] ?? version_id, percentage: 100 - share };
  const versions = isSplit ? [{ version_id, percentage: share }, rest] : [{ version_id, percentage: 100 }];
  return {
    id: `deployment-${index}`,
    source: "wrangler",
    author_email: "engineer@example.com",
    created_on,
    strategy: "percentage",
    annotations: {},
    versions,
  };
}

function queue(queue_name: string, index: number, consumers_total_count: number) {
  return {
    queue_id: String(index).padStart(32, "0"),
    queue_name,
    created_on: TIME,
    modified_on: TIME,
    producers_total_count: 1,
    producers: [],
    consumers_total_count,
    consumers: [],
  };
}
