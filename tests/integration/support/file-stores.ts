// Stores of one test file on the servers of the run: a copy of the migrated database with a PostgREST and a gateway,
// and a database in Chroma. Test files therefore run in parallel, each with empty stores.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request, type Server } from "node:http";
import { join } from "node:path";
import postgres from "postgres";
import { createGateway } from "../../../dev/stack/services/gateway.ts";
import { postgrestService } from "../../../dev/stack/services/postgrest.ts";
import type { StackInfo } from "../../../dev/stack/stack-info.ts";
import { processMarker } from "../../../dev/stack/system/process-tree.ts";
import { MAINTENANCE_DATABASE, type SharedStack } from "./shared-stack.ts";

export interface FileStores {
  readonly info: StackInfo;
  /** The Worker's variables. */
  readonly workerEnv: Record<string, string>;
  /** Databases in Chroma; collections are below `/{name}/collections`. */
  readonly chroma: { readonly databases: string; readonly name: string };
  close(): Promise<void>;
}

/** The migrated database. */
const TEMPLATE = "postgres";

const POLL_MS = 5;

/** @throws Error when PostgREST ends during its start */
export async function openFileStores(shared: SharedStack): Promise<FileStores> {
  const name = `file_${randomUUID().replaceAll("-", "")}`;
  const admin = postgres(databaseUrl(shared.info.urls.postgres, MAINTENANCE_DATABASE), { max: 1, onnotice: () => {} });
  const chromaDatabases = `${shared.info.urls.chroma}/api/v2/tenants/default_tenant/databases`;
  const socket = join(shared.dir, `${name.slice(0, 16)}.sock`);
  await Promise.all([
    admin.unsafe(`create database ${name} template ${TEMPLATE} strategy file_copy`),
    createChromaDatabase(chromaDatabases, name),
  ]);
  const postgrest = startPostgrest(shared, name, socket);
  const gateway = createGateway({ socketPath: socket });
  const close = async () => {
    gateway.closeAllConnections();
    await Promise.all([closed(gateway), ended(postgrest)]);
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.end({ timeout: 1 });
  };
  try {
    await untilReady(postgrest, socket);
    gateway.listen(0, "127.0.0.1");
    await once(gateway, "listening");
  } catch (error) {
    await close();
    throw error;
  }
  const urls = {
    ...shared.info.urls,
    supabase: `http://127.0.0.1:${portOf(gateway)}`,
    postgres: databaseUrl(shared.info.urls.postgres, name),
  };
  const workerEnv = { ...shared.info.workerEnv, SUPABASE_URL: urls.supabase, CHROMA_DATABASE: name };
  return {
    info: { ...shared.info, urls, workerEnv },
    workerEnv,
    chroma: { databases: chromaDatabases, name },
    close,
  };
}

function databaseUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function createChromaDatabase(databases: string, name: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(databases, { method: "POST", headers, body: JSON.stringify({ name }) });
  if (!response.ok) throw new Error(`Chroma did not create the database: ${response.status} ${await response.text()}`);
}

/** Listens on a socket, so that no two files need the same port. The process marker ends it with the run. */
function startPostgrest({ dir, info, authenticatorPassword, jwtSecret }: SharedStack, name: string, socket: string) {
  const url = new URL(databaseUrl(info.urls.postgres, name));
  url.username = "authenticator";
  url.password = authenticatorPassword;
  const { command, env } = postgrestService({ port: 0, adminPort: 0, databaseUrl: url.href, jwtSecret });
  const { PGRST_SERVER_PORT: _, PGRST_ADMIN_SERVER_PORT: __, ...rest } = env;
  return spawn(command, [], {
    env: { ...rest, ...processMarker(dir), PGRST_SERVER_UNIX_SOCKET: socket, PGRST_DB_POOL: "10" },
    stdio: ["ignore", "ignore", "ignore"],
  });
}

/** PostgREST answers 503 until it has loaded the schema: within 100 ms, or much later on a busy machine. */
async function untilReady(postgrest: ChildProcess, socketPath: string): Promise<void> {
  while ((await statusOf(socketPath)) >= 503) {
    const end = postgrest.exitCode ?? postgrest.signalCode;
    if (end !== null) throw new Error(`PostgREST ended with ${end}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Returns 599 when nothing listens yet. */
function statusOf(socketPath: string): Promise<number> {
  return new Promise((resolve) => {
    request({ socketPath, path: "/" }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 599);
    })
      .once("error", () => resolve(599))
      .end();
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The gateway has no port.");
  return address.port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
