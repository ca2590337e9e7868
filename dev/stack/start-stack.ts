/**
 * Starts and stops the local stack as a whole: opens the data folder, makes the parts, boots them (boot.ts), writes
 * `stack.json`, and takes everything down again in reverse, from whatever point it had got to.
 */
import { resolve } from "node:path";
import { bootParts } from "./boot-services.ts";
import { startCrons } from "./cron.ts";
import { withDependencies } from "./dependencies.ts";
import { logPathOf, REPO_DIR } from "./paths.ts";
import { createStepReporter } from "./progress.ts";
import { createSpec } from "./service-specs.ts";
import { createProcessPart, type ProcessPart } from "./services/managed-service.ts";
import { urlsOf, workerEnvOf } from "./settings.ts";
import {
  NEEDED_PARTS,
  type PartHandle,
  type PartName,
  type ProgressEvent,
  type Stack,
  type StackOptions,
} from "./stack.ts";
import { createStackInfo, type StackInfo, writeStackInfo } from "./stack-info.ts";
import { stopOnExit } from "./stop-on-signal.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

const PRACTICALLY_UNLIMITED = 1_000_000;

/** What a start has got to; a stop undoes just that. */
interface Progress {
  workspace: Workspace | undefined;
  parts: Map<PartName, ProcessPart>;
  info: StackInfo | undefined;
  stopCrons: () => void;
}

/**
 * Starts the parts, waits until all are healthy and writes `<dir>/stack.json`.
 * SIGINT, SIGTERM and SIGHUP stop the stack and end the process; if the process dies otherwise, the reaper stops it.
 * @throws StackAlreadyRunningError when the folder is in use, StackError when a part does not come up, and the
 *   reason of `options.signal` when that aborts; whatever had been started is stopped again first
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  if (process.platform === "win32") throw new Error("The local stack needs Linux or macOS; on Windows use WSL.");
  const report = (event: ProgressEvent): void => options.onProgress?.(event);
  const giveUp = new AbortController();
  const onAbort = (): void => giveUp.abort(options.signal?.reason);
  options.signal?.throwIfAborted();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  const progress: Progress = { workspace: undefined, parts: new Map(), info: undefined, stopCrons: () => {} };
  let stopping: Promise<void> | undefined;

  const starting = start(options, { progress, giveUp, report, isStopping: () => stopping !== undefined });
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      giveUp.abort(new Error("The stack was stopped while it started."));
      await starting.catch(() => {});
      report({ type: "stopping" });
      await undo(progress);
    })();
    return stopping;
  };
  const killNow = (): void => {
    for (const part of progress.parts.values()) part.killNow();
  };
  const forget = stopOnExit({ stop, killNow });
  const stopAndForget = (): Promise<void> => stop().finally(forget);
  try {
    const { info, workerEnv } = await starting;
    return createStack({ progress, info, workerEnv, stop: stopAndForget });
  } catch (error) {
    await stopAndForget();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
  }
}

interface StartContext {
  progress: Progress;
  giveUp: AbortController;
  report: (event: ProgressEvent) => void;
  isStopping: () => boolean;
}

interface Started {
  info: StackInfo;
  workerEnv: Record<string, string>;
}

async function start(options: StackOptions, context: StartContext): Promise<Started> {
  const { progress, giveUp, report } = context;
  const { signal } = giveUp;
  const isEphemeral = options.ephemeral ?? false;
  const projectDir = options.projectDir ?? REPO_DIR;
  const workspace = await openWorkspace({
    dir: resolve(options.dir),
    isEphemeral,
    onNote: (message) => report({ type: "note", message }),
    signal,
  });
  progress.workspace = workspace;
  signal.throwIfAborted();

  const { paths, secrets, reservation } = workspace;
  const urls = urlsOf(reservation.ports, secrets);
  const requestsPerMinute = options.requestsPerMinute ?? (isEphemeral ? PRACTICALLY_UNLIMITED : undefined);
  const parts = withDependencies(options.parts ?? NEEDED_PARTS, options.without);
  // Where there is a collector, traces and votes go to it; the caller's own address wins.
  const tracing = parts.includes("collector") ? { OTLP_ENDPOINT: urls.collector, PHOENIX_URL: urls.collector } : {};
  const workerEnv = workerEnvOf(urls, secrets, { ...tracing, ...options.extraWorkerVars });
  const { vectorCache } = options;
  const specOptions = { urls, workerEnv, projectDir, isEphemeral, requestsPerMinute, vectorCache, signal };
  for (const name of parts) {
    const spec = createSpec(name, workspace, specOptions);
    const part = createProcessPart(spec, {
      roster: workspace.roster,
      logPath: logPathOf(paths, name),
      signal,
      releasePort: () => releasePortsOf(name, workspace),
      onPidChange: () => refreshInfo(progress),
      onStarted: () => {
        if (name === "postgres") wakePostgrest(progress);
      },
      onUnexpectedExit: (exit) => {
        if (!context.isStopping()) report({ type: "exited", part: name, logPath: logPathOf(paths, name), ...exit });
      },
    });
    progress.parts.set(name, part);
  }
  const steps = createStepReporter(report, giveUp);
  await bootParts({ workspace, parts: progress.parts, superuserUrl: urls.postgres, projectDir, signal, steps });

  // Those of parts that were left out.
  await reservation.releaseAll();

  const info = createStackInfo({
    ports: reservation.ports,
    secrets,
    urls,
    workerEnv,
    parts: [...progress.parts.keys()],
    paths,
  });
  progress.info = info;
  refreshInfo(progress);
  if (!isEphemeral && progress.parts.has("worker"))
    progress.stopCrons = startCrons(urls.worker, logPathOf(paths, "cron"));
  return { info, workerEnv };
}

function createStack({
  progress,
  info,
  workerEnv,
  stop,
}: Started & { progress: Progress; stop(): Promise<void> }): Stack {
  return {
    get info() {
      return progress.info ?? info;
    },
    workerEnv,
    part(name): PartHandle {
      const part = progress.parts.get(name);
      if (!part) throw new Error(`This stack was started without ${name}.`);
      return part;
    },
    stop,
  };
}

/**
 * PostgREST serves again as soon as Postgres is back, but retries its listener for `notify pgrst` with a back-off of up
 * to 32 s. This signal makes it read the schema again at once.
 */
function wakePostgrest(progress: Progress): void {
  const pid = progress.parts.get("postgrest")?.pid;
  if (pid !== undefined) process.kill(pid, "SIGUSR1");
}

/** PostgREST has a second port, for its health. */
async function releasePortsOf(name: PartName, { reservation }: Workspace): Promise<void> {
  await reservation.release(name);
  if (name === "postgrest") await reservation.release("postgrestAdmin");
}

/** Keeps the process ids in `stack.json` true over restarts of single parts. */
function refreshInfo(progress: Progress): void {
  if (!progress.info || !progress.workspace) return;
  const running = [...progress.parts.values()].flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]]));
  progress.info = { ...progress.info, pids: Object.fromEntries(running) };
  writeStackInfo(progress.workspace.paths.info, progress.info);
}

async function undo(progress: Progress): Promise<void> {
  progress.stopCrons();
  progress.info = undefined;
  const failures: unknown[] = [];
  for (const part of [...progress.parts.values()].reverse()) {
    await part.stop().catch((error: unknown) => failures.push(error));
  }
  await progress.workspace?.close();
  if (failures.length > 0) throw new AggregateError(failures, "Some parts could not be stopped.");
}
