// Owns the measurement of Slack's receipt: signed commands to the real Worker, one after the other, while Chroma hangs.

import { setTimeout as pause } from "node:timers/promises";
import type { Stack } from "../../../dev/stack/stack.ts";
import { commandBody, signed } from "../../integration/support/slack-server.ts";
import { createTimings } from "../timings.ts";

const COMMANDS = 200;
const WARM_UP = 5;
/** Between two commands: a busy channel, and not a load test. */
const PAUSE_MS = 150;
const AIM_MS = 100;

/** @param responseUrl where the stand-in for Slack takes results */
export async function measureSlack(stack: Stack, responseUrl: string): Promise<void> {
  const { worker } = stack.info.urls;
  const timings = createTimings();
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${worker}${path}`, init);
    await response.text();
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}.`);
  };
  stack.service("chroma").pause();
  try {
    for (let i = 0; i < WARM_UP + COMMANDS; i++) {
      if (i === WARM_UP) timings.reset();
      const command = commandBody(`container-${i} exited with code 137`, responseUrl);
      await timings.time("Slack's receipt", () => ask("/slack", signed(command, new Date())));
      await timings.time("GET /health", () => ask("/health"));
      await pause(PAUSE_MS);
    }
  } finally {
    stack.service("chroma").resume();
  }
  timings.print();
  const p99 = timings.quantile("Slack's receipt", 0.99);
  const health = timings.quantile("GET /health", 0.99);
  console.log(
    `Slack's receipt while Chroma hangs, p99: ${p99.toFixed(0)} ms (aim: under ${AIM_MS}); /health: ${health.toFixed(0)} ms`,
  );
}
