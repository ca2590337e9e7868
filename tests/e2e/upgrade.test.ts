import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { recordedReleases } from "../../dev/release/recorded-releases.ts";
import { seedSomeRunbooks } from "../integration/support/inventory.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { type RunningStack, startWholeStack, startWorkerBeside } from "./support/stacks.ts";
import { writeCurrentProject, writeFormerProject } from "./support/upgrade/projects.ts";
import { type QueueBroker, startQueueBroker } from "./support/upgrade/queue-broker.ts";
import { failuresOf } from "./support/upgrade/worker-usage.ts";

describe.each(recordedReleases())("an upgrade from $version", (release) => {
  let broker: QueueBroker;
  let former: RunningStack;
  let current: RunningStack;
  beforeAll(async () => {
    const t = performance.now();
    const lap = (n: string) => console.log(n, Math.round(performance.now() - t));
    broker = await startQueueBroker();
    const dir = await scratchFolder("upgrade");
    const { variables } = broker;
    former = await startWholeStack({ variables, projectDir: writeFormerProject(join(dir, "former"), release) });
    lap("former");
    current = await startWorkerBeside(former, { projectDir: writeCurrentProject(join(dir, "current")) });
    lap("current");
    await seedSomeRunbooks(former.workerEnv);
    lap("seeded");
  }, 120_000);
  afterAll(async () => {
    await current?.[Symbol.asyncDispose]();
    await former?.[Symbol.asyncDispose]();
    await broker?.[Symbol.asyncDispose]();
  });
  const at = (s: RunningStack) => ({ url: s.info.urls.worker, token: s.info.token });
  it("x", { timeout: 120_000 }, async () => {
    let t = performance.now();
    console.log(await failuresOf(at(former), broker), performance.now() - t);
    t = performance.now();
    console.log(
      await failuresOf({ url: current.info.urls.worker, token: former.info.token }, broker),
      performance.now() - t,
    );
  });
});
