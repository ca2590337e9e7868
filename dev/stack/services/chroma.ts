/** The Chroma server (../chroma-server.ts). */
import { fileURLToPath } from "node:url";
import { baseEnvironment } from "../environment.ts";
import { respondsWith200 } from "./http-health.ts";
import type { PartSpec } from "./service.ts";

export function chromaSpec({ port, dataDir }: { port: number; dataDir: string }): PartSpec {
  return {
    name: "chroma",
    port,
    command: process.execPath,
    args: [fileURLToPath(new URL("../chroma-server.ts", import.meta.url))],
    cwd: "/",
    env: { ...baseEnvironment(), PORT: String(port), CHROMA_DATA_DIR: dataDir, ANONYMIZED_TELEMETRY: "false" },
    // It has no handler for SIGTERM and ends at once, its SQLite journal makes that safe; on SIGINT it spins for ever.
    stopSignal: "SIGTERM",
    graceMs: 5_000,
    startTimeoutMs: 30_000,
    isHealthy: () => respondsWith200(`http://127.0.0.1:${port}/api/v2/heartbeat`),
  };
}
