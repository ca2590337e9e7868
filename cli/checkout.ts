// The parts that only a checkout has: the local stack, and the commands that read files of the checkout. A published
// build replaces this file by published.ts.

import { REPO_DIR } from "../dev/stack/paths.ts";
import { runningStack } from "./find-stores.ts";
import type { Checkout } from "./program/command-builder.ts";
import type { LocalService } from "./service/find-service.ts";

/** The stack that `npm start` runs in this checkout, or null. */
export function localService(): LocalService | null {
  const info = runningStack();
  return info && { url: info.urls.worker, token: info.token, folder: REPO_DIR };
}

export const commands: Checkout["commands"] = {
  trace: () => import("./commands/trace.ts").then(({ run }) => run),
  eval: () => import("./commands/eval.ts").then(({ run }) => run),
  seed: () => import("./commands/stores/seed.ts").then(({ run }) => run),
  reindex: () => import("./commands/stores/reindex.ts").then(({ run }) => run),
  backup: () => import("./commands/stores/backup.ts").then(({ backup }) => backup),
  restore: () => import("./commands/stores/backup.ts").then(({ restore }) => restore),
};
