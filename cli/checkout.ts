// The parts that only a checkout has: the local stack, its traces, and the evaluation. A published build replaces this file
// by published.ts.

import { REPO_DIR } from "../dev/stack/paths.ts";
import { runningStack } from "./find-stores.ts";
import type { LocalService } from "./service/find-service.ts";

/** The stack that `npm start` runs in this checkout, or null. */
export function localService(): LocalService | null {
  const info = runningStack();
  return info && { url: info.urls.worker, token: info.token, folder: REPO_DIR };
}

export const loadTrace = () => import("./commands/trace.ts").then(({ run }) => run);
export const loadEval = () => import("./commands/eval.ts").then(({ run }) => run);
