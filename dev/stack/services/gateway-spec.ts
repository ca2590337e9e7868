/** The gateway process (../gateway-server.ts): Supabase's door, `/rest/v1`, in front of PostgREST. */
import { fileURLToPath } from "node:url";
import { baseEnvironment } from "../environment.ts";
import { respondsWith200 } from "./http-health.ts";
import type { PartSpec } from "./service.ts";

export function gatewaySpec({ port, postgrestPort }: { port: number; postgrestPort: number }): PartSpec {
  return {
    name: "gateway",
    port,
    command: process.execPath,
    args: [fileURLToPath(new URL("../gateway-server.ts", import.meta.url))],
    cwd: "/",
    env: { ...baseEnvironment(), PORT: String(port), POSTGREST_URL: `http://127.0.0.1:${postgrestPort}` },
    stopSignal: "SIGTERM",
    graceMs: 2_000,
    startTimeoutMs: 30_000,
    // Its own health, not PostgREST's: the gateway must be up to say that PostgREST is not.
    isHealthy: () => respondsWith200(`http://127.0.0.1:${port}/health`),
  };
}
