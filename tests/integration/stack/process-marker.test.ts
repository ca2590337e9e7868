// Stopping processes that tests started with a stack's mark.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startStack } from "../../../dev/stack/index.ts";
import { markOf } from "../../../dev/stack/process-marker.ts";
import { removeDir, scratchDir } from "./support/scratch.ts";

test("a process that carries a stack's mark is ended when the stack stops, and no other", async () => {
  const scratch = scratchDir({ keep: true });
  const dir = join(scratch, "data");
  const stack = await startStack({ dir, ephemeral: true, parts: ["collector"] });
  const wait = ["-e", "setInterval(() => {}, 1000)"];
  const [marked, other] = [markOf(dir), markOf(`${dir}-of-somebody-else`)].map((mark) =>
    spawn(process.execPath, wait, { env: { ...process.env, ...mark }, stdio: "ignore" }),
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
