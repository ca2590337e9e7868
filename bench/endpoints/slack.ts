// Times the acknowledgement of Slack commands: signed commands to the real Worker, one after another, while Chroma hangs.

import { setTimeout as pause } from "node:timers/promises";
import type { Stack } from "../../dev/stack/stack.ts";
import { commandBody, signed } from "../../tests/integration/support/servers/slack-server.ts";
import { createTimings } from "../support/timings.ts";

const COMMANDS = 200;
const WARM_UP = 5;
/** Pause between two commands: a busy channel, not a load test. */
const PAUSE_MS = 150;
/** Target of the p99. */
const TARGET_MS = 100;

/** @param responseUrl URL of the fake Slack server that receives results */
export async function measureSlack(stack: Stack, responseUrl: string): Promise<void> {
  const { worker } = stack.info.urls;
  const timings = createTimings();
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${worker}${path}`, init);
    await response.text();
    if (!response.ok) throw new Error(`${path} returned ${response.status}.`);
  };
  stack.service("chroma").pause();
  try {
    for (let i = 0; i < WARM_UP + COMMANDS; i++) {
      if (i === WARM_UP) timings.reset();
      const command = commandBody(`container-${i} exited with code 137`, responseUrl);
      await timings.time("Slack acknowledgement", () => ask("/slack", signed(command, new Date())));
      await timings.time("GET /health", () => ask("/health"));
      await pause(PAUSE_MS);
    }
  } finally {
    stack.service("chroma").resume();
  }
  timings.print();
  const p99 = timings.quantile("Slack acknowledgement", 0.99);
  const health = timings.quantile("GET /health", 0.99);
  console.log(
    `Slack acknowledgement while Chroma hangs, p99: ${p99.toFixed(0)} ms (target: under ${TARGET_MS}); /health: ${health.toFixed(0)} ms`,
  );
}
