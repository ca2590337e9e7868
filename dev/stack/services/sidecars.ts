// Services that are programs of this repository: the embedding sidecar and the trace collector.

import { fileURLToPath } from "node:url";
import { nodeService, type ServiceSpec } from "./service.ts";

export interface EmbeddingsOptions {
  port: number;
  /** File that keeps computed vectors (dev/embeddings/vector-cache.ts). Undefined: none are kept. */
  vectorCache: string | undefined;
}

export function embeddingsService({ port, vectorCache }: EmbeddingsOptions): ServiceSpec {
  return nodeService("embeddings", port, {
    script: fileURLToPath(new URL("../../embeddings/server.ts", import.meta.url)),
    env: vectorCache === undefined ? {} : { VECTOR_CACHE: vectorCache },
  });
}

/** @param folder keeps the traces */
export function collectorService({ port, folder }: { port: number; folder: string }): ServiceSpec {
  return nodeService("collector", port, {
    script: fileURLToPath(new URL("../../collector/server.ts", import.meta.url)),
    env: { TRACES: folder },
  });
}
