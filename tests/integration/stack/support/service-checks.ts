// Checks whether a service of a stack answers.

import { connect } from "node:net";
import type { ServiceName } from "../../../../dev/stack/services/service.ts";
import type { Stack } from "../../../../dev/stack/stack.ts";

/** A cheap request to each service. */
export const SERVICE_CHECKS: Record<ServiceName, (stack: Stack, timeoutMs?: number) => Promise<number>> = {
  postgres: ({ info }, ms) => get(`${info.urls.supabase}/rest/v1/left_open`, info.serviceRoleKey, ms),
  postgrest: ({ info }, ms) => get(`http://127.0.0.1:${info.ports.postgrest}/left_open`, info.serviceRoleKey, ms),
  gateway: ({ info }, ms) => get(`${info.urls.supabase}/health`, undefined, ms),
  chroma: ({ info }, ms) => get(`${info.urls.chroma}/api/v2/heartbeat`, undefined, ms),
  collector: ({ info }, ms) => get(`${info.urls.collector}/health`, undefined, ms),
  worker: ({ info }, ms) => get(`${info.urls.worker}/health`, undefined, ms),
};

/** The status of a GET request. @throws when there is no response in time */
export async function get(url: string, key?: string, timeoutMs = 20_000): Promise<number> {
  const headers = key ? { apikey: key, authorization: `Bearer ${key}` } : {};
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
  await response.body?.cancel();
  return response.status;
}

export function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
  });
}
