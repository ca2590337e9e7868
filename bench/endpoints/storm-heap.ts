// Heap of the app after each round of a storm: the alert endpoint in this process, measured after a garbage collection.

import type { Stack } from "../../dev/stack/stack.ts";
import { createApp } from "../../functions/app.ts";
import { createServices } from "../../functions/services.ts";
import { alertWebhook } from "./storm.ts";

const ALERTS = 500;
const ROUNDS = 6;
const CONCURRENCY = 50;

/** Needs `node --expose-gc`: without a collection, the heap includes garbage. */
export async function measureStormHeap({ info, workerEnv }: Stack): Promise<void> {
  const app = createApp(createServices(workerEnv, { log: () => {} }));
  const headers = { authorization: `Bearer ${info.token}`, "content-type": "application/json" };
  const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
  const heap: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let next = 0;
    const work = async () => {
      for (let i = next++; i < ALERTS; i = next++) {
        const body = JSON.stringify(alertWebhook(`heap-${round}-${i}`, i));
        const response = await app.fetch(
          new Request("http://bench/v1/alerts/alertmanager", { method: "POST", headers, body }),
          {},
          context,
        );
        await response.text();
        if (response.status !== 202) throw new Error(`The alert endpoint returned ${response.status}, not 202.`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    globalThis.gc?.();
    heap.push(Math.round(process.memoryUsage().heapUsed / 1_048_576));
  }
  const note = globalThis.gc === undefined ? " (without garbage collection: run node --expose-gc)" : "";
  console.log(`Heap of the app in this process after each ${ALERTS} alerts: ${heap.join(", ")} MB${note}`);
}
