// One invocation of the Worker: a request, a batch of a queue or a cron. Code that runs for it finds it here, with the
// virtual timers and the simulated network. Code outside of an invocation keeps the real ones.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Pool } from "./resources.ts";
import type { Cancel, VirtualClock } from "./virtual-clock.ts";

export interface Invocation {
  /** The CPU of its isolate. */
  readonly cpu: Pool;
  /** Its connections to other systems at a time. */
  readonly connections: Pool;
  /** CPU time before each call to another system. */
  readonly cpuMsPerCall: number;
  /** Round trip from its region to that of the stores. */
  readonly roundTripMs: number;
  /** Names the trace of its calls; undefined if each message of a batch has its own. */
  readonly traceKey?: string | undefined;
}

/** Answers the requests of an invocation. */
export type Network = (request: Request, invocation: Invocation) => Promise<Response>;

const current = new AsyncLocalStorage<Invocation>();

export function runInvocation<T>(invocation: Invocation, work: () => Promise<T>): Promise<T> {
  return current.run(invocation, work);
}

export function currentInvocation(): Invocation | undefined {
  return current.getStore();
}

/** Runs work with the real timers and network. */
export function outsideInvocation<T>(work: () => T): T {
  return current.exit(work);
}

/** Charges CPU time to the isolate, which runs one thing at a time. */
export async function useCpu(clock: VirtualClock, cpu: Pool, ms: number): Promise<void> {
  const release = await cpu.acquire();
  await clock.sleep(ms);
  release();
}

/** One call to another system: CPU time, one of the connections, and the way there and back. */
export async function callOverNetwork(
  clock: VirtualClock,
  { cpu, connections, cpuMsPerCall, roundTripMs }: Invocation,
  serve: () => Promise<Response>,
  signal?: AbortSignal,
): Promise<Response> {
  if (cpuMsPerCall > 0) await useCpu(clock, cpu, cpuMsPerCall);
  const release = await connections.acquire();
  const answering = (async () => {
    await clock.sleep(roundTripMs / 2);
    const answer = await serve();
    await clock.sleep(roundTripMs / 2);
    return answer;
  })();
  // After an abort, what the server does goes on and its answer reaches nobody. The product would take an error of the
  // simulation for one of the store.
  clock.start(async () => void (await answering));
  try {
    return await (signal === undefined ? answering : Promise.race([answering, aborted(signal)]));
  } finally {
    release();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Replaces timers and `fetch` for the code of invocations. @returns puts the real ones back */
export function installPlatform(clock: VirtualClock, network: Network): () => void {
  const real = { setTimeout, clearTimeout, setInterval, clearInterval, fetch };
  const timers = new Map<number, Cancel>();
  let lastTimer = -1;
  const schedule = (work: () => void, ms: number, isRepeated: boolean): number => {
    // Negative, so that none has the number of a real timer.
    const id = lastTimer--;
    const fire = () => {
      if (isRepeated) timers.set(id, clock.after(ms, fire));
      else timers.delete(id);
      work();
    };
    timers.set(id, clock.after(ms, fire));
    return id;
  };
  const clear = (id: unknown): boolean => {
    if (typeof id !== "number" || id >= 0) return false;
    timers.get(id)?.();
    timers.delete(id);
    return true;
  };
  const virtual =
    (name: "setTimeout" | "setInterval") =>
    (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      currentInvocation() === undefined
        ? real[name](work, ms, ...args)
        : schedule(() => work(...args), ms, name === "setInterval");
  Object.assign(globalThis, {
    setTimeout: virtual("setTimeout"),
    setInterval: virtual("setInterval"),
    clearTimeout: (id: unknown) => (clear(id) ? undefined : Reflect.apply(real.clearTimeout, undefined, [id])),
    clearInterval: (id: unknown) => (clear(id) ? undefined : Reflect.apply(real.clearInterval, undefined, [id])),
    fetch: (input: string | URL | Request, init?: RequestInit) => {
      const invocation = currentInvocation();
      return invocation === undefined ? real.fetch(input, init) : network(new Request(input, init), invocation);
    },
  });
  return () => void Object.assign(globalThis, real);
}
