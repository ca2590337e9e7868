/** The embedding sidecar (dev/embeddings/server.ts). */
import { fileURLToPath } from "node:url";
import { baseEnvironment } from "../environment.ts";
import { respondsWith200 } from "./http-health.ts";
import type { PartSpec } from "./service.ts";

export interface EmbeddingsOptions {
  port: number;
  /** File of vectors that were computed before (vector-cache.ts); none where it is undefined. */
  vectorCache: string | undefined;
}

export function embeddingsSpec({ port, vectorCache }: EmbeddingsOptions): PartSpec {
  return {
    name: "embeddings",
    port,
    command: process.execPath,
    args: [fileURLToPath(new URL("../../embeddings/server.ts", import.meta.url))],
    cwd: "/",
    env: {
      ...baseEnvironment(),
      PORT: String(port),
      ...(vectorCache === undefined ? {} : { VECTOR_CACHE: vectorCache }),
    },
    stopSignal: "SIGTERM",
    graceMs: 2_000,
    startTimeoutMs: 60_000,
    isHealthy: () => respondsWith200(`http://127.0.0.1:${port}/health`),
  };
}
