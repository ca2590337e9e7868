// Checks whether a service of a stack answers.

import { connect } from "node:net";
import type { ServiceName } from "../../../../dev/stack/services/service.ts";
import type { Stack } from "../../../../dev/stack/stack.ts";

/** A cheap request to each service. */
export const SERVICE_CHECKS: Record<ServiceName, (stack: Stack) => Promise<number>> = {
  postgres: (stack) => get(`${stack.info.urls.supabase}/rest/v1/left_open`, stack.info.serviceRoleKey),
  postgrest: (stack) => get(`http://127.0.0.1:${stack.info.ports.postgrest}/left_open`, stack.info.serviceRoleKey),
  gateway: (stack) => get(`${stack.info.urls.supabase}/health`),
  chroma: (stack) => get(`${stack.info.urls.chroma}/api/v2/heartbeat`),
  embeddings: (stack) => get(`http://127.0.0.1:${stack.info.ports.embeddings}/health`),
  collector: (stack) => get(`${stack.info.urls.collector}/health`),
  worker: (stack) => get(`${stack.info.urls.worker}/health`),
};

/** The status of a GET request. @throws when there is no response within 700 ms */
export async function get(url: string, key?: string): Promise<number> {
  const headers = key ? { apikey: key, authorization: `Bearer ${key}` } : {};
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(700) });
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
