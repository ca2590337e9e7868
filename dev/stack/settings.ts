/** Derived facts of one stack: addresses and what the Worker is told. Pure. */

import type { Secrets } from "./secrets.ts";
import type { StackInfo } from "./stack-info.ts";
import type { Ports } from "./system/ports.ts";

const EMBEDDING_MODEL = "openai-compatible:universal-sentence-encoder-lite-windows";
const EMBEDDING_DIMENSIONS = 512;
/** Long chunks take the sidecar about half a second each: so many stay far within a caller's time-out. */
const EMBEDDING_BATCH_SIZE = 8;

export function urlsOf(ports: Ports, secrets: Secrets): StackInfo["urls"] {
  return {
    worker: `http://127.0.0.1:${ports.worker}`,
    supabase: `http://127.0.0.1:${ports.gateway}`,
    chroma: `http://127.0.0.1:${ports.chroma}`,
    embeddings: `http://127.0.0.1:${ports.embeddings}/v1`,
    collector: `http://127.0.0.1:${ports.collector}`,
    postgres: databaseUrl(ports, "postgres", secrets.postgresPassword),
  };
}

export function databaseUrl(ports: Ports, user: string, password: string): string {
  return `postgresql://${user}:${password}@127.0.0.1:${ports.postgres}/postgres`;
}

/** The Worker's variables, the caller's own last. */
export function workerEnvOf(
  urls: StackInfo["urls"],
  secrets: Pick<Secrets, "token" | "serviceRoleKey">,
  extra: Record<string, string>,
): Record<string, string> {
  return {
    DEJAVU_TOKEN: secrets.token,
    SUPABASE_URL: urls.supabase,
    SUPABASE_SERVICE_ROLE_KEY: secrets.serviceRoleKey,
    CHROMA_URL: urls.chroma,
    EMBEDDINGS_URL: urls.embeddings,
    EMBEDDING_MODEL,
    EMBEDDING_DIMENSIONS: String(EMBEDDING_DIMENSIONS),
    EMBEDDING_BATCH_SIZE: String(EMBEDDING_BATCH_SIZE),
    ...extra,
  };
}
