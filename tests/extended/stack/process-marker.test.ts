// Processes that tests start with a stack's process marker.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { processMarker } from "../../../dev/stack/system/process-tree.ts";
import { removeDir, scratchDir } from "../../integration/stack/support/scratch.ts";

test("a stack that stops kills the processes with its marker and no others", async () => {
  const scratch = scratchDir({ keep: true });
  const dir = join(scratch, "data");
  const stack = await startStack({ dir, ephemeral: true, services: ["collector"] });
  const wait = ["-e", "setInterval(() => {}, 1000)"];
  const [marked, other] = [processMarker(dir), processMarker(`${dir}-of-another-stack`)].map((marker) =>
    spawn(process.execPath, wait, { env: { ...process.env, ...marker }, stdio: "ignore" }),
  );
  try {
    const ended = marked && once(marked, "exit");
    await stack.stop();
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect([other?.exitCode, other?.signalCode]).toEqual([null, null]);
  } finally {
    other?.kill("SIGKILL");
    removeDir(scratch);
  }
});
