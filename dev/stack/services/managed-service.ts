// Supervisor of one service: starts its process with a log file, polls its health, and stops, kills, pauses and restarts
// it. A service's family is its process group with all descendants.

import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { describeExit, type ProcessExit, spawnLogged } from "../system/child-process.ts";
import { StackError, tailOf } from "../system/errors.ts";
import { isPortFree } from "../system/ports.ts";
import type { ProcessRegistry } from "../system/process-registry.ts";
import {
  familyOf,
  killFamily,
  type ProcessIdentity,
  type ProcessRow,
  signalAll,
  stopFamily,
} from "../system/process-tree.ts";
import type { ServiceHandle, ServiceName, ServiceSpec } from "./service.ts";
import type { Health, WatchedService } from "./watch-health.ts";

export interface ManagedServiceOptions {
  registry: ProcessRegistry;
  logPath: string;
  /** Aborts a start. */
  signal: AbortSignal;
  /** Called before every start. */
  releasePort(): Promise<void>;
  onUnexpectedExit(exit: ProcessExit): void;
  onPidChange(): void;
  /** Called after every start, once the service is healthy. */
  onStarted(): void;
}

export interface ManagedService extends ServiceHandle, WatchedService {
  readonly name: ServiceName;
  /** Sends SIGKILL and does not wait: for a second Ctrl-C. */
  killNow(): void;
}

/** Shortest pause between two checks during a start. */
const HEALTH_POLL_MS = 25;
/** Later checks pause for this share of the time so far: a slow start is not slowed further. */
const HEALTH_POLL_SHARE = 0.05;
/** The longest that one check takes. A busy machine answers late. */
const START_CHECK_MS = 10_000;
/** A running service that takes longer is slow. */
const HEALTH_TIMEOUT_MS = 2_000;

/** `pause` repeats, because a process may fork before it gets its SIGSTOP. */
const PAUSE_PASSES = 3;

/** One process of the service, from start to exit. */
interface ServiceProcess {
  child: ChildProcess;
  identity: ProcessIdentity;
  logOffset: number;
  exit: ProcessExit | undefined;
  /** Aborted when `exit` is set. */
  exited: AbortController;
  /** True during the start and after a stop or kill. */
  isExitExpected: boolean;
  /** Members of the family that `pause` has stopped. */
  paused: ProcessRow[];
  /** Settles when the leader and its whole family have exited. */
  familyExited: Promise<void>;
}

export function createManagedService(spec: ServiceSpec, options: ManagedServiceOptions): ManagedService {
  let current: ServiceProcess | undefined;

  const running = (): ServiceProcess | undefined => (current?.exit ? undefined : current);

  const kill = async (): Promise<void> => {
    if (!current) return;
    current.isExitExpected = true;
    await killFamily(current.identity, current.paused);
    await waitForFamilyExit(current);
  };

  return {
    name: spec.name,
    port: spec.port,
    get pid() {
      return running()?.identity.pid;
    },
    async start() {
      if (running()) return;
      if (current) await waitForFamilyExit(current);
      await spec.prepare?.();
      await options.releasePort();
      options.signal.throwIfAborted();
      current = await launch(spec, options);
      options.onPidChange();
      try {
        await waitUntilHealthy(spec, current, options);
      } catch (error) {
        await kill();
        throw error;
      }
      current.isExitExpected = false;
      options.onStarted();
    },
    async stop() {
      const runningProcess = running();
      if (runningProcess) {
        runningProcess.isExitExpected = true;
        await stopFamily(runningProcess.identity, spec.stopSignal, spec.graceMs);
      }
      if (current) await waitForFamilyExit(current);
    },
    kill,
    checkHealth() {
      const runningProcess = running();
      return runningProcess && !runningProcess.isExitExpected ? healthOf(spec) : undefined;
    },
    killNow() {
      if (current) signalAll([...familyOf(current.identity), ...current.paused], "SIGKILL");
    },
    pause: () => pause(running(), spec.name),
    resume() {
      if (!current) return;
      signalAll(current.paused, "SIGCONT");
      current.paused = [];
    },
  };
}

async function launch(spec: ServiceSpec, options: ManagedServiceOptions): Promise<ServiceProcess> {
  const { registry, logPath } = options;
  const { command, args, cwd, runAs, name, stopSignal, graceMs } = spec;
  const env = { ...spec.env, ...registry.marker };
  const { child, logOffset } = spawnLogged({ command, args, cwd, env, runAs, logPath });
  if (child.pid === undefined) {
    const cause = await new Promise<Error>((resolve) => child.once("error", resolve));
    throw new StackError(`${name} could not be started: ${cause.message}`, { cause });
  }
  const identity = registry.add({ name, pid: child.pid, stopSignal, graceMs });
  // A script that does not stop the stack can still exit. The cleanup process then stops the service.
  child.unref();
  const familyExit = Promise.withResolvers<void>();
  const serviceProcess: ServiceProcess = {
    child,
    identity,
    logOffset,
    exit: undefined,
    exited: new AbortController(),
    isExitExpected: true,
    paused: [],
    familyExited: familyExit.promise,
  };
  child.once("exit", (exitCode, exitSignal) => {
    serviceProcess.exit = { exitCode, exitSignal };
    serviceProcess.exited.abort();
    options.onPidChange();
    if (!serviceProcess.isExitExpected) options.onUnexpectedExit(serviceProcess.exit);
    // The rest of the family can outlive its leader, which is the process that was started.
    killFamily(identity, serviceProcess.paused)
      .finally(() => registry.remove(identity.pid))
      .then(familyExit.resolve, familyExit.reject);
  });
  // Without a handler, a rejection that nobody awaits would end this process.
  serviceProcess.familyExited.catch(() => {});
  return serviceProcess;
}

/** Waits as long as the process runs and reports no failure: on a busy machine a start takes minutes. */
async function waitUntilHealthy(
  spec: ServiceSpec,
  serviceProcess: ServiceProcess,
  { logPath, signal }: ManagedServiceOptions,
): Promise<void> {
  const { failureInLog = [] } = spec;
  const { logOffset, exited } = serviceProcess;
  const log = { logPath, logOffset };
  const startedAt = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const check = AbortSignal.any([signal, exited.signal, AbortSignal.timeout(START_CHECK_MS)]);
    const isHealthy = await spec.isHealthy(check).catch(() => false);
    const { exit } = serviceProcess;
    if (exit) throw new StackError(await describeFailedStart(spec, exit), log);
    if (isHealthy) return;
    const written = failureInLog.length === 0 ? "" : tailOf(logPath, { fromOffset: logOffset });
    for (const { pattern, message } of failureInLog) {
      const match = pattern.exec(written);
      if (match !== null) throw new StackError(message(match), log);
    }
    await delay(Math.max(HEALTH_POLL_MS, HEALTH_POLL_SHARE * (performance.now() - startedAt)));
  }
}

/** Its port was free when the stack claimed it, and another program may have taken it since. */
async function describeFailedStart({ name, port }: ServiceSpec, exit: ProcessExit): Promise<string> {
  if (await isPortFree(port)) return `${name} exited during its start (${describeExit(exit)}).`;
  return `${name} cannot use port ${port}: another program has taken it. Start again: Dejavu then uses another port.`;
}

/** One check. No answer in time means that the service is busy, or that it waits for a process that has died. */
async function healthOf(spec: ServiceSpec): Promise<Health> {
  try {
    return (await spec.isHealthy(AbortSignal.timeout(HEALTH_TIMEOUT_MS))) ? "healthy" : "refused";
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError" ? "slow" : "refused";
  }
}

function pause(serviceProcess: ServiceProcess | undefined, name: ServiceName): void {
  if (!serviceProcess) throw new Error(`${name} is not running.`);
  for (let pass = 0; pass < PAUSE_PASSES; pass += 1) {
    serviceProcess.paused = familyOf(serviceProcess.identity);
    signalAll(serviceProcess.paused, "SIGSTOP");
  }
}

/** References the child, which `launch` has unreferenced: otherwise Node.js could exit before the family. */
function waitForFamilyExit({ child, familyExited }: ServiceProcess): Promise<void> {
  child.ref();
  return familyExited;
}
