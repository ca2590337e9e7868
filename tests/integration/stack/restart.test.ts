// One service that is killed, restarted and stopped. tests/extended/stack restarts each service of a whole stack, and
// has Ctrl-C at other moments.

import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { killProcessesUsing, processesUsing } from "./support/processes.ts";
import { runSupervisor } from "./support/run-supervisor.ts";
import { scratchDir } from "./support/scratch.ts";

test.runIf(process.platform === "linux")(
  "a killed service is restarted, and Ctrl-C leaves no process",
  { timeout: 300_000 },
  async () => {
    const scratch = scratchDir();
    onTestFinished(() => killProcessesUsing(scratch));
    const options = { dir: join(scratch, "data"), services: ["chroma" as const], restart: true };
    const supervisor = runSupervisor({ scratch, options });
    const { info } = await supervisor.waitFor((message) => message.type === "ready");
    const pid = info?.pids.chroma;
    if (pid === undefined) throw new Error("Chroma does not run.");
    process.kill(pid, "SIGKILL");
    await supervisor.waitFor((message) => message.type === "restarted");
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toEqual({ code: 130, signal: null });
    expect(processesUsing(scratch)).toEqual([]);
  },
);
