/** The collector of traces (dev/collector/server.ts). */
import { fileURLToPath } from "node:url";
import { baseEnvironment } from "../environment.ts";
import { respondsWith200 } from "./http-health.ts";
import type { PartSpec } from "./service.ts";

export function collectorSpec({ port, folder }: { port: number; folder: string }): PartSpec {
  return {
    name: "collector",
    port,
    command: process.execPath,
    args: [fileURLToPath(new URL("../../collector/server.ts", import.meta.url))],
    cwd: "/",
    env: { ...baseEnvironment(), PORT: String(port), TRACES: folder },
    stopSignal: "SIGTERM",
    graceMs: 2_000,
    startTimeoutMs: 60_000,
    isHealthy: () => respondsWith200(`http://127.0.0.1:${port}/health`),
  };
}
