/**
 * One part as a supervised process: started in its own process group with its output in a log, watched until healthy,
 * stopped, killed, paused and started again. What a part is and when it is healthy comes from parts/.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { openLog, tailOf } from "../log-file.ts";
import type { PartHandle } from "../stack.ts";
import { StackError } from "../system/errors.ts";
import type { Roster } from "../system/process-registry.ts";
import { familyOf, type Identity, killFamily, type ProcessRow, signalAll, stopFamily } from "../system/process-tree.ts";
import { describeExit, type PartExit, type PartSpec } from "./service.ts";

export interface PartDependencies {
  roster: Roster;
  logPath: string;
  /** Aborted when the start is given up. Only asked while starting. */
  signal: AbortSignal;
  /** Called before every spawn, to let go of the port. */
  releasePort(): Promise<void>;
  onUnexpectedExit(exit: PartExit): void;
  onPidChange(): void;
  /** After every start, once healthy. */
  onStarted(): void;
}

export interface ProcessPart extends PartHandle {
  /** SIGKILL without waiting: for a second Ctrl-C. */
  killNow(): void;
}

const HEALTH_POLL_MS = 25;

/** Extra looks at a family that may be forking while it is being stopped. */
const PAUSE_PASSES = 3;

/** One life of the part, from spawn to exit. */
interface Life {
  child: ChildProcess;
  identity: Identity;
  exit: PartExit | undefined;
  /** Set when somebody asked for the end, or when the start itself will tell of it. */
  isEndExpected: boolean;
  /** Settles when the leader and all that it left behind are gone. */
  over: Promise<void>;
}

export function createProcessPart(spec: PartSpec, dependencies: PartDependencies): ProcessPart {
  const { roster, logPath, signal } = dependencies;
  let life: Life | undefined;
  let paused: ProcessRow[] = [];

  const living = (): Life | undefined => (life?.exit ? undefined : life);

  async function launch(): Promise<{ life: Life; logOffset: number }> {
    await dependencies.releasePort();
    signal.throwIfAborted();
    const log = openLog(logPath);
    const child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, ...roster.mark },
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      ...(spec.runAs ? { uid: spec.runAs.uid, gid: spec.runAs.gid } : {}),
    });
    closeSync(log.fd);
    if (child.pid === undefined) {
      const cause = await new Promise<Error>((resolve) => child.once("error", resolve));
      throw new StackError(`${spec.name} could not be started: ${cause.message}`, { cause });
    }
    const { name, stopSignal, graceMs } = spec;
    const identity = roster.add({ name, pid: child.pid, stopSignal, graceMs });
    // A script that forgets to stop the stack may still end; the reaper then stops it.
    child.unref();
    const started: Life = { child, identity, exit: undefined, isEndExpected: true, over: Promise.resolve() };
    started.over = new Promise((resolve, reject) => {
      child.once("exit", (exitCode, exitSignal) => {
        started.exit = { exitCode, exitSignal };
        dependencies.onPidChange();
        if (!started.isEndExpected) dependencies.onUnexpectedExit(started.exit);
        // A leader that was killed leaves the rest of its group.
        killFamily(identity, paused)
          .finally(() => roster.remove(identity.pid))
          .then(resolve, reject);
      });
    });
    started.over.catch(() => {});
    life = started;
    dependencies.onPidChange();
    return { life: started, logOffset: log.offset };
  }

  async function waitUntilHealthy({ life: started, logOffset }: { life: Life; logOffset: number }): Promise<void> {
    const deadline = Date.now() + spec.startTimeoutMs;
    const where = { logPath, logOffset };
    for (;;) {
      signal.throwIfAborted();
      const isUp = await spec.isHealthy().catch(() => false);
      const { exit } = started;
      if (exit) throw new StackError(`${spec.name} ended during its start (${describeExit(exit)}).`, where);
      if (isUp) return;
      const failure = spec.failureInLog;
      if (failure?.pattern.test(tailOf(logPath, { fromOffset: logOffset })))
        throw new StackError(failure.meaning, where);
      if (Date.now() > deadline) {
        throw new StackError(`${spec.name} is not healthy after ${spec.startTimeoutMs / 1_000} s.`, where);
      }
      await delay(HEALTH_POLL_MS);
    }
  }

  const kill = async (): Promise<void> => {
    if (!life) return;
    life.isEndExpected = true;
    await killFamily(life.identity, paused);
    await untilOver(life);
    paused = [];
  };

  return {
    name: spec.name,
    port: spec.port,
    get pid() {
      return living()?.identity.pid;
    },
    async start() {
      if (living()) return;
      if (life) await untilOver(life);
      await spec.prepare?.();
      const launched = await launch();
      try {
        await waitUntilHealthy(launched);
      } catch (error) {
        await kill();
        throw error;
      }
      launched.life.isEndExpected = false;
      dependencies.onStarted();
    },
    async stop() {
      const current = living();
      if (current) {
        current.isEndExpected = true;
        await stopFamily(current.identity, spec.stopSignal, spec.graceMs);
      }
      if (life) await untilOver(life);
      paused = [];
    },
    kill,
    killNow() {
      if (life) signalAll([...familyOf(life.identity), ...paused], "SIGKILL");
    },
    pause() {
      const current = living();
      if (!current) throw new Error(`${spec.name} is not running.`);
      for (let pass = 0; pass < PAUSE_PASSES; pass += 1) {
        paused = familyOf(current.identity);
        signalAll(paused, "SIGSTOP");
      }
    },
    resume() {
      signalAll(paused, "SIGCONT");
      paused = [];
    },
  };
}

/** The child keeps no process alive while it runs; whoever waits for its end does. */
function untilOver({ child, over }: Life): Promise<void> {
  child.ref();
  return over;
}
