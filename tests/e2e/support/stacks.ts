// The real Worker under `wrangler dev`: on the servers of the run for tests that only use them, and with servers of its own
// for those that break them.

import { inject } from "vitest";
import { NEEDED_PARTS, type PartName, type Stack, startStack } from "../../../dev/stack/index.ts";
import { openFileStores } from "../../integration/support/file-stores.ts";
import { VECTOR_CACHE } from "../../integration/support/vector-cache.ts";
import { timed } from "../../support/file-times.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

export interface WorkerOptions {
  /** The stack's folder; a new one by default. Deleted at the end. */
  readonly dir?: string;
  /** Added to the Worker's variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Requests a minute that it lets through; practically unlimited by default. */
  readonly requestsPerMinute?: number;
  /** Whether a collector of traces runs beside it. */
  readonly withCollector?: boolean;
}

export type RunningStack = Stack & AsyncDisposable;

/** A Worker with a database and a vector store of its own on the servers that the whole run shares. */
export function startWorker(options: WorkerOptions = {}): Promise<RunningStack> {
  return timed("stack", () => startWorkerOnStores(options));
}

async function startWorkerOnStores(options: WorkerOptions): Promise<RunningStack> {
  const stores = await openFileStores(inject("stack"));
  const { DEJAVU_TOKEN: _, ...addresses } = stores.workerEnv;
  try {
    const stack = await start(options, ["worker"], {
      without: ["gateway", "chroma", "embeddings"],
      extraWorkerVars: { ...addresses, ...options.variables },
    });
    return { ...stack, [Symbol.asyncDispose]: () => stack.stop().finally(stores.close) };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

/** A Worker with servers that nobody else uses: they may be stopped, killed and paused. */
export async function startWholeStack(options: WorkerOptions = {}): Promise<RunningStack> {
  const own = { vectorCache: VECTOR_CACHE, extraWorkerVars: options.variables };
  const stack = await timed("stack", () => start(options, NEEDED_PARTS, own));
  return { ...stack, [Symbol.asyncDispose]: () => stack.stop() };
}

async function start(
  { dir, requestsPerMinute, withCollector = false }: WorkerOptions,
  parts: readonly PartName[],
  {
    extraWorkerVars = {},
    ...options
  }: Pick<Parameters<typeof startStack>[0], "without" | "vectorCache"> & {
    readonly extraWorkerVars?: Readonly<Record<string, string>> | undefined;
  },
): Promise<Stack> {
  return startStack({
    dir: dir ?? (await scratchFolder("e2e")),
    ephemeral: true,
    parts: withCollector ? [...parts, "collector"] : parts,
    extraWorkerVars: { ...extraWorkerVars },
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...options,
  });
}
