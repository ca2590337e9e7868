// One service that is killed, restarted and stopped. tests/extended/stack restarts each service of a whole stack.

import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { processesUsing } from "./support/processes.ts";
import { runSupervisor } from "./support/run-supervisor.ts";
import { scratchDir } from "./support/scratch.ts";

describe.runIf(process.platform === "linux")("Ctrl-C during a restart", { timeout: 300_000 }, () => {
  test.each(["exited", "restarting", "restarted"])("leaves no process after the event %s", async (type) => {
    const scratch = scratchDir();
    onTestFinished(() => {
      for (const line of processesUsing(scratch)) process.kill(Number(line.split(" ")[0]), "SIGKILL");
    });
    const options = { dir: join(scratch, "data"), services: ["chroma" as const], restart: true };
    const supervisor = runSupervisor({ scratch, options });
    const { info } = await supervisor.waitFor((message) => message.type === "ready");
    const pid = info?.pids.chroma;
    if (pid === undefined) throw new Error("Chroma does not run.");
    process.kill(pid, "SIGKILL");
    await supervisor.waitFor((message) => message.type === type);
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toEqual({ code: 130, signal: null });
    expect(processesUsing(scratch)).toEqual([]);
  });
});
