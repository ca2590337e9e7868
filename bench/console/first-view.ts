// `npm run bench -- console`: how long the console's first view takes on a phone with a cold cache. The real Worker on
// a throw-away stack; the network is Lighthouse's "slow 4G", with and without its slower processor. Prints paint times,
// layout shift and the bytes of each file. `--runs 9` measures more often.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { findProgram } from "../../tests/support/debian.ts";
import { fillIncidents } from "./fill-incidents.ts";
import { loadFirstView, type PageLoad } from "./page-load.ts";
import { describeLoads } from "./report.ts";

const { values } = parseArgs({ options: { runs: { type: "string", default: "5" } } });
const PROCESSORS = [
  { name: "processor as it is", slowdown: 1 },
  { name: "processor four times slower", slowdown: 4 },
] as const;

const executablePath = await findProgram("chromium");
if (executablePath === null) throw new Error("The console is measured in Chromium.");
console.log("Starting a throw-away stack and loading the runbooks (a minute) …");
const stack = await startStack({ dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")), ephemeral: true });
try {
  await seedRunbooks({ env: stack.workerEnv });
  await fillIncidents(stack);
  // Chromium's sandbox does not work for root.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    await loadFirstView(browser, stack.info, 1); // The first request to a Worker starts its isolate.
    for (const { name, slowdown } of PROCESSORS) {
      const loads: PageLoad[] = [];
      for (let i = 0; i < Number(values.runs); i++) loads.push(await loadFirstView(browser, stack.info, slowdown));
      console.log(`\nSlow 4G, ${name}\n${describeLoads(loads)}`);
    }
  } finally {
    await browser.close();
  }
} finally {
  await stack.stop();
}
