// The Chroma server of `chromadb-js-bindings-*`, the native package that chromadb installs for its CLI. This file is
// also the entry of its process. The CLI's own entry is not used: it ignores signals and calls the npm registry.

import { createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { nodeService, respondsWith200, type ServiceSpec } from "./service.ts";

const PACKAGES: Record<string, string> = {
  "linux-x64": "chromadb-js-bindings-linux-x64-gnu",
  "linux-arm64": "chromadb-js-bindings-linux-arm64-gnu",
  "darwin-x64": "chromadb-js-bindings-darwin-x64",
  "darwin-arm64": "chromadb-js-bindings-darwin-arm64",
};

const environmentSchema = z.object({ PORT: z.string(), CHROMA_DATA_DIR: z.string() });
const bindingsSchema = z.object({ cli: z.custom<(args: string[]) => void>((value) => typeof value === "function") });

export function chromaService({ port, dataDir }: { port: number; dataDir: string }): ServiceSpec {
  return {
    ...nodeService("chroma", port, {
      script: fileURLToPath(import.meta.url),
      env: { CHROMA_DATA_DIR: dataDir, ANONYMIZED_TELEMETRY: "false" },
    }),
    // It does not handle SIGTERM and exits at once, which its SQLite journal makes safe. On SIGINT it spins for ever.
    stopSignal: "SIGTERM",
    graceMs: 5_000,
    isHealthy: (signal) => respondsWith200(`http://127.0.0.1:${port}/api/v2/heartbeat`, signal),
  };
}

/**
 * The name of the tenant that holds the index. The server knows no password and answers every `Host` header, but it lists
 * no tenants: without this name, neither other users of the machine nor a web page find anything.
 */
export function chromaTenant({ serviceRoleKey }: { readonly serviceRoleKey: string }): string {
  return createHmac("sha256", serviceRoleKey).update("Chroma").digest("hex");
}

export const CHROMA_DATABASE = "dejavu";

/** Idempotent. @throws Error if the server refuses */
export async function createTenant(url: string, tenant: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  for (const [path, name] of [
    ["tenants", tenant],
    [`tenants/${tenant}/databases`, CHROMA_DATABASE],
  ]) {
    const response = await fetch(`${url}/api/v2/${path}`, { method: "POST", headers, body: JSON.stringify({ name }) });
    await response.body?.cancel();
    if (!response.ok && response.status !== 409)
      throw new Error(`Chroma answered ${response.status} to a new ${path}.`);
  }
}

function runServer(): void {
  const { PORT, CHROMA_DATA_DIR } = environmentSchema.parse(process.env);
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (!name) throw new Error(`There is no Chroma server for ${process.platform} on ${process.arch}.`);
  const bindings = bindingsSchema.parse(createRequire(import.meta.url)(name));
  bindings.cli(["chroma", "run", "--path", CHROMA_DATA_DIR, "--port", PORT, "--host", "127.0.0.1"]);
}

if (import.meta.main) runServer();
