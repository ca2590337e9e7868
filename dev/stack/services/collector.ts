// The trace collector, a program of this repository.

import { fileURLToPath } from "node:url";
import { nodeService, type ServiceSpec } from "./service.ts";

/** @param folder keeps the traces */
export function collectorService({ port, folder }: { port: number; folder: string }): ServiceSpec {
  return nodeService("collector", port, {
    script: fileURLToPath(new URL("../../collector/server.ts", import.meta.url)),
    env: { TRACES: folder },
  });
}
