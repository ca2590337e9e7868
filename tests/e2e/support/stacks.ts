// The real Worker under `wrangler dev`: on the shared servers of the run, or with servers of its own for tests that
// break them.

import { inject } from "vitest";
import { REQUIRED_SERVICES, type ServiceName } from "../../../dev/stack/services/service.ts";
import type { Stack } from "../../../dev/stack/stack.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { openFileStores } from "../../integration/support/file-stores.ts";
import { timed } from "../../support/file-times.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

export interface WorkerOptions {
  /** The stack's folder. Default: a new one. Deleted at the end. */
  readonly dir?: string;
  /** The checkout whose Worker runs. Default: this one. */
  readonly projectDir?: string;
  /** Added to the Worker's variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Requests a minute that it admits. Default: practically unlimited. */
  readonly requestsPerMinute?: number;
  /** Also runs the trace collector. */
  readonly withCollector?: boolean;
}

export type RunningStack = Stack & AsyncDisposable;

/** A Worker with a database and a vector store of its own on the shared servers of the run. */
export function startWorker(options: WorkerOptions = {}): Promise<RunningStack> {
  return timed("stack", () => startWorkerOnStores(options));
}

async function startWorkerOnStores(options: WorkerOptions): Promise<RunningStack> {
  const stores = await openFileStores(inject("stack"));
  const { DEJAVU_TOKEN: _, ...addresses } = stores.workerEnv;
  try {
    const stack = await start(options, ["worker"], {
      without: ["gateway", "chroma"],
      extraWorkerVars: { ...addresses, ...options.variables },
    });
    return { ...stack, [Symbol.asyncDispose]: () => stack.stop().finally(stores.close) };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

/** A Worker with servers of its own, which tests can stop, kill and pause. */
export async function startWholeStack(options: WorkerOptions = {}): Promise<RunningStack> {
  const own = { extraWorkerVars: options.variables };
  const stack = await timed("stack", () => start(options, REQUIRED_SERVICES, own));
  return { ...stack, [Symbol.asyncDispose]: () => stack.stop() };
}

/** Another Worker on the servers of this stack. */
export async function startWorkerBeside({ workerEnv }: Stack, options: WorkerOptions): Promise<RunningStack> {
  const stack = await timed("stack", () =>
    start(options, ["worker"], {
      without: ["gateway", "chroma"],
      extraWorkerVars: { ...workerEnv, ...options.variables },
    }),
  );
  return { ...stack, [Symbol.asyncDispose]: () => stack.stop() };
}

async function start(
  { dir, projectDir, requestsPerMinute, withCollector = false }: WorkerOptions,
  services: readonly ServiceName[],
  {
    extraWorkerVars = {},
    ...options
  }: Pick<Parameters<typeof startStack>[0], "without"> & {
    readonly extraWorkerVars?: Readonly<Record<string, string>> | undefined;
  },
): Promise<Stack> {
  return startStack({
    dir: dir ?? (await scratchFolder("e2e")),
    ephemeral: true,
    services: withCollector ? [...services, "collector"] : services,
    extraWorkerVars: { ...extraWorkerVars },
    ...(projectDir === undefined ? {} : { projectDir }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...options,
  });
}
