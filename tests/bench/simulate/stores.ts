// The real database of a simulation: a copy of the migrated one, with a PostgREST and a gateway.

import postgres from "postgres";
import { stackPaths } from "../../../dev/stack/paths.ts";
import { loadSecrets } from "../../../dev/stack/secrets.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { createServices, type Services } from "../../../functions/services.ts";
import { type FileStores, openFileStores } from "../../integration/support/file-stores.ts";
import { MAINTENANCE_DATABASE } from "../../integration/support/shared-stack.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

export interface Stores {
  /** Of the gateway before PostgREST. */
  readonly gatewayUrl: string;
  /** As the superuser. */
  readonly postgresUrl: string;
  readonly serviceRoleKey: string;
  readonly workerEnv: Readonly<Record<string, string>>;
}

export function storesOf({ info, workerEnv }: Pick<FileStores, "info" | "workerEnv">): Stores {
  return {
    gatewayUrl: info.urls.supabase,
    postgresUrl: info.urls.postgres,
    serviceRoleKey: info.serviceRoleKey,
    workerEnv,
  };
}

/** Services on the real database, to store teams and tokens. */
export function createServicesForSetup({ workerEnv }: Stores, newId: () => string): Services {
  return createServices({ ...workerEnv }, { log: () => {}, newId });
}

export interface Servers extends AsyncDisposable {
  /** Runs work on an empty database, which is dropped afterwards. */
  withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
}

export async function startServers(): Promise<Servers> {
  const dir = await scratchFolder("simulate");
  const stack = await startStack({ dir, ephemeral: true, services: ["postgres", "chroma"] });
  const { secrets, postgres: postgresDir } = stackPaths(dir);
  const shared = { dir, info: stack.info, ...(await loadSecrets(secrets, postgresDir)), emptyTables: [] };
  const admin = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${MAINTENANCE_DATABASE}`);
  await admin.end();
  return {
    async withStores(work) {
      const stores = await openFileStores(shared);
      try {
        return await work(storesOf(stores));
      } finally {
        await stores.close();
      }
    },
    [Symbol.asyncDispose]: () => stack.stop(),
  };
}
