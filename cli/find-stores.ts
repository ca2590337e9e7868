// Finds the stores that a command uses: those that the environment names, or those of the running local stack.

import { fileURLToPath } from "node:url";
import { readStackInfo, type StackInfo, workerEnvOf } from "../dev/stack/stack-info.ts";
import type { Streams } from "./service/invocation.ts";
import type { Environment } from "./service/private-file.ts";

const DATA_DIRECTORY = fileURLToPath(new URL("../.dejavu", import.meta.url));

/** The stack that "npm start" runs in this checkout, or null. */
export function runningStack(): StackInfo | null {
  const reading = readStackInfo(DATA_DIRECTORY);
  return reading.state === "running" ? reading.info : null;
}

/** The environment of the stores. @param env of the program @throws Error that says how to configure them */
export function findStores(env: Environment): Environment {
  if (env.SUPABASE_URL) return env;
  const info = runningStack();
  if (info) return workerEnvOf(info.urls, info, {});
  throw new Error(
    'No local stack is running and SUPABASE_URL is not set. Run "npm start" in another terminal, or see --help.',
  );
}

/** Shows progress: one line that is overwritten on a terminal, a new line each time elsewhere. */
export function showProgress({ stderr }: Pick<Streams, "stderr">, text: string): void {
  if (stderr.isTTY) stderr.write(`\r\x1b[2K${text}`);
  else if (text !== "") stderr.write(`${text}\n`);
}
