// Starts and stops a local stack: opens the data folder, starts the services and writes `stack.json`. A stop, also of a
// start that fails halfway, stops in reverse order all that was started.

import { resolve } from "node:path";
import { bootServices } from "./boot-services.ts";
import { logPathOf, REPO_DIR } from "./paths.ts";
import { createRestarter, type Restarter } from "./restart-services.ts";
import { createServiceSpec, type SpecOptions } from "./service-specs.ts";
import { createManagedService, type ManagedService } from "./services/managed-service.ts";
import { REQUIRED_SERVICES, type ServiceHandle, type ServiceName, withDependencies } from "./services/service.ts";
import { type HealthWatch, watchHealth } from "./services/watch-health.ts";
import { startCrons } from "./services/worker.ts";
import type { ProgressEvent, Stack, StackOptions } from "./stack.ts";
import { createStackInfo, type StackInfo, urlsOf, workerEnvOf, writeStackInfo } from "./stack-info.ts";
import { stopOnSignal } from "./stop-on-signal.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

const PRACTICALLY_UNLIMITED = 1_000_000;

/** What has been started so far, for a stop at any time. */
interface StartState {
  workspace: Workspace | undefined;
  services: Map<ServiceName, ManagedService>;
  info: StackInfo | undefined;
  stopCrons: () => void;
  /** Undefined until all services have started, and if the stack does not restart them. */
  restarter: Restarter | undefined;
  healthWatch: HealthWatch | undefined;
  isStopping: boolean;
}

/**
 * Starts the services, waits until all are healthy and writes `<dir>/stack.json`. SIGINT, SIGTERM and SIGHUP stop the
 * stack and exit this process. If this process dies otherwise, the cleanup process stops the stack.
 * @throws StackAlreadyRunningError when the folder is in use, StackError when a service does not start, and the reason
 *   of `options.signal` when that is aborted. All that was started is stopped first.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  if (process.platform === "win32") throw new Error("The local stack needs Linux or macOS; on Windows use WSL.");
  const report = (event: ProgressEvent): void => options.onProgress?.(event);
  const abort = new AbortController();
  const onAbort = (): void => abort.abort(options.signal?.reason);
  options.signal?.throwIfAborted();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  const state: StartState = {
    workspace: undefined,
    services: new Map(),
    info: undefined,
    stopCrons: () => {},
    restarter: undefined,
    healthWatch: undefined,
    isStopping: false,
  };
  let stopping: Promise<void> | undefined;

  const starting = start(options, { state, abort, report });
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      state.isStopping = true;
      abort.abort(new Error("The stack was stopped while it started."));
      await starting.catch(() => {});
      report({ type: "stopping" });
      state.healthWatch?.stop();
      await state.restarter?.close();
      await stopAll(state);
    })();
    return stopping;
  };
  const killNow = (): void => {
    for (const service of state.services.values()) service.killNow();
  };
  const unregister = stopOnSignal({ stop, killNow });
  const stopAndUnregister = (): Promise<void> => stop().finally(unregister);
  try {
    const { info, workerEnv } = await starting;
    return {
      get info() {
        return state.info ?? info;
      },
      workerEnv,
      service: (name) => serviceNamed(name, state),
      stop: stopAndUnregister,
    };
  } catch (error) {
    await stopAndUnregister();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
  }
}

interface StartContext {
  state: StartState;
  abort: AbortController;
  report(event: ProgressEvent): void;
}

interface Started {
  info: StackInfo;
  workerEnv: Record<string, string>;
}

async function start(options: StackOptions, { state, abort, report }: StartContext): Promise<Started> {
  const { signal } = abort;
  const isEphemeral = options.ephemeral ?? false;
  const projectDir = options.projectDir ?? REPO_DIR;
  const workspace = await openWorkspace({
    dir: resolve(options.dir),
    isEphemeral,
    onNote: (message) => report({ type: "note", message }),
    signal,
  });
  state.workspace = workspace;
  signal.throwIfAborted();

  const { paths, secrets, reservation } = workspace;
  const { ports } = reservation;
  const urls = urlsOf(ports, secrets);
  const requestsPerMinute = options.requestsPerMinute ?? (isEphemeral ? PRACTICALLY_UNLIMITED : undefined);
  const services = withDependencies(options.services ?? REQUIRED_SERVICES, options.without);
  // A running collector receives traces and ratings, unless the caller names another address.
  const tracing = services.includes("collector") ? { OTLP_ENDPOINT: urls.collector, PHOENIX_URL: urls.collector } : {};
  const workerEnv = workerEnvOf(urls, secrets, { ...tracing, ...options.extraWorkerVars });
  const specOptions = { urls, workerEnv, projectDir, isEphemeral, requestsPerMinute, signal };
  for (const name of services) {
    state.services.set(name, createService(name, { workspace, state, report, specOptions }));
  }
  await bootServices({
    workspace,
    services: state.services,
    superuserUrl: urls.postgres,
    projectDir,
    report,
    abort,
  });
  if (options.restart ?? !isEphemeral) restartServices(workspace, { state, report }, options.healthIntervalMs);
  // Ports of services that do not run.
  await reservation.releaseAll();

  const info = createStackInfo({ ports, secrets, urls, workerEnv, services, paths });
  state.info = info;
  refreshInfo(state);
  if (!isEphemeral && services.includes("worker")) state.stopCrons = startCrons(urls.worker, logPathOf(paths, "cron"));
  return { info, workerEnv };
}

interface ServiceContext extends Pick<StartContext, "state" | "report"> {
  workspace: Workspace;
  specOptions: SpecOptions;
}

function createService(name: ServiceName, context: ServiceContext): ManagedService {
  const { workspace, state, report, specOptions } = context;
  const logPath = logPathOf(workspace.paths, name);
  return createManagedService(createServiceSpec(name, workspace, specOptions), {
    registry: workspace.registry,
    logPath,
    signal: specOptions.signal,
    releasePort: () => releasePortsOf(name, workspace),
    onPidChange: () => refreshInfo(state),
    onStarted: () => {
      if (name === "postgres") reloadPostgrest(state);
    },
    onUnexpectedExit: (exit) => {
      if (state.isStopping) return;
      report({ type: "exited", service: name, logPath, ...exit });
      state.restarter?.exited(name);
    },
  });
}

/** From now on, a service that exits by itself or does not serve any more is started again. */
function restartServices(
  { paths }: Workspace,
  { state, report }: Pick<StartContext, "state" | "report">,
  healthIntervalMs: number | undefined,
): void {
  const service = (name: ServiceName): ServiceHandle => serviceNamed(name, state);
  const restarter = createRestarter({ service, report, logPathOf: (name) => logPathOf(paths, name) });
  state.restarter = restarter;
  const services = [...state.services.values()];
  // One may have exited while the others started.
  for (const { name, pid } of services) if (pid === undefined) restarter.exited(name);
  // The others are one process, or restart their own. The health of PostgREST is that of Postgres, too.
  const watched = services.filter(({ name }) => name === "worker");
  const replace = async (name: ServiceName): Promise<void> => {
    if (state.isStopping) return;
    report({ type: "exited", service: name, logPath: logPathOf(paths, name), exitCode: null, exitSignal: null });
    await service(name)
      .kill()
      .catch((error: unknown) => report({ type: "note", message: `${name} could not be stopped: ${error}` }));
    restarter.exited(name);
  };
  state.healthWatch = watchHealth(watched, (name) => void replace(name), healthIntervalMs);
}

function serviceNamed(name: ServiceName, { services }: StartState): ServiceHandle {
  const service = services.get(name);
  if (!service) throw new Error(`This stack was started without ${name}.`);
  return service;
}

/**
 * After a restart of Postgres, PostgREST serves at once, but retries its listener for `notify pgrst` with a back-off of
 * up to 32 s. This signal makes it reload the schema at once.
 */
function reloadPostgrest({ services }: StartState): void {
  const pid = services.get("postgrest")?.pid;
  if (pid !== undefined) process.kill(pid, "SIGUSR1");
}

/** PostgREST has a second port, for its health. */
async function releasePortsOf(name: ServiceName, { reservation }: Workspace): Promise<void> {
  await reservation.release(name);
  if (name === "postgrest") await reservation.release("postgrestAdmin");
}

/** Writes the current process ids to `stack.json`. They change when a single service is restarted. */
function refreshInfo(state: StartState): void {
  if (!state.info || !state.workspace) return;
  const running = [...state.services.values()].flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]]));
  state.info = { ...state.info, pids: Object.fromEntries(running) };
  writeStackInfo(state.workspace.paths.info, state.info);
}

async function stopAll(state: StartState): Promise<void> {
  state.stopCrons();
  state.info = undefined;
  const failures: unknown[] = [];
  for (const service of [...state.services.values()].reverse()) {
    await service.stop().catch((error: unknown) => failures.push(error));
  }
  await state.workspace?.close();
  if (failures.length > 0) throw new AggregateError(failures, "Some services could not be stopped.");
}
