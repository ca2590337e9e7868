// Stores of one test file on the servers of the run: a database with a gateway, and a database in Chroma. Test files
// therefore run in parallel, each with empty stores.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import { createGateway } from "../../../dev/stack/services/gateway.ts";
import type { StackInfo } from "../../../dev/stack/stack-info.ts";
import type { SharedStack } from "./shared-stack.ts";
import { keepForNextFile, takeDatabase } from "./test-databases.ts";

export interface FileStores {
  readonly info: StackInfo;
  /** The Worker's variables. */
  readonly workerEnv: Record<string, string>;
  /** Databases in Chroma; collections are below `/{name}/collections`. */
  readonly chroma: { readonly databases: string; readonly name: string };
  close(): Promise<void>;
}

/** @throws Error when PostgREST ends during its start */
export async function openFileStores(shared: SharedStack): Promise<FileStores> {
  const name = `file_${randomUUID().replaceAll("-", "")}`;
  const databases = `${shared.info.urls.chroma}/api/v2/tenants/${shared.info.workerEnv.CHROMA_TENANT}/databases`;
  const [database] = await Promise.all([takeDatabase(shared), createChromaDatabase(databases, name)]);
  // One for each file: what an ended file still sends reaches no other.
  const gateway = createGateway({ socketPath: database.socketPath });
  gateway.listen(0, "127.0.0.1");
  await once(gateway, "listening");
  const urls = {
    ...shared.info.urls,
    supabase: `http://127.0.0.1:${portOf(gateway)}`,
    postgres: database.url,
  };
  const workerEnv = { ...shared.info.workerEnv, SUPABASE_URL: urls.supabase, CHROMA_DATABASE: name };
  return {
    info: { ...shared.info, urls, workerEnv },
    workerEnv,
    chroma: { databases, name },
    async close() {
      gateway.closeAllConnections();
      await closed(gateway);
      await keepForNextFile(shared, database);
    },
  };
}

async function createChromaDatabase(databases: string, name: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(databases, { method: "POST", headers, body: JSON.stringify({ name }) });
  if (!response.ok) throw new Error(`Chroma did not create the database: ${response.status} ${await response.text()}`);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The gateway has no port.");
  return address.port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
