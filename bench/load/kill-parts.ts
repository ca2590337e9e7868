// Kills each part of the stack by its process id, twice in a row, while triages run. The stack starts it again.

import { setTimeout as delay } from "node:timers/promises";
import type { ServiceName } from "../../dev/stack/services/service.ts";
import type { Stack } from "../../dev/stack/stack.ts";
import { describeTriages, sendTriages } from "./triages.ts";

const TRIAGES_PER_PART = 80;
/** Reports of this part of the run have numbers of their own. */
const FIRST_REPORT = 1_000_000;
const POLL_MS = 200;
const RESTART_TIMEOUT_MS = 120_000;

export async function killEachPart(stack: Stack, { concurrency }: { readonly concurrency: number }): Promise<void> {
  const names = Object.keys(stack.info.pids).filter((name): name is ServiceName => name in stack.info.pids);
  for (const [i, name] of names.entries()) {
    console.log(`  ${name}`);
    const load = sendTriages(stack, {
      count: TRIAGES_PER_PART,
      concurrency,
      first: FIRST_REPORT + i * TRIAGES_PER_PART,
    });
    for (const _ of [1, 2]) {
      await delay(2_000);
      await killAndWait(stack, name);
    }
    console.log(describeTriages(await load));
  }
}

async function killAndWait(stack: Stack, name: ServiceName): Promise<void> {
  const service = stack.service(name);
  const { pid } = service;
  if (pid === undefined) throw new Error(`${name} does not run.`);
  process.kill(pid, "SIGKILL");
  const end = Date.now() + RESTART_TIMEOUT_MS;
  while (service.pid === pid || service.pid === undefined) {
    if (Date.now() > end) throw new Error(`${name} was not started again within two minutes.`);
    await delay(POLL_MS);
  }
}
