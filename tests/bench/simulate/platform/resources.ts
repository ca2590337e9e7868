// Resources of a platform: places that are taken for a while, such as connections, and rates, such as messages a second.

import type { VirtualClock } from "./virtual-clock.ts";

/** Work that waits less is not noticed by anybody. Work that is refused counts at once. */
const NOTICEABLE_WAIT_MS = 250;

/** How much of a resource was used, for the report. */
export interface ResourceUse {
  readonly name: ResourceName;
  readonly limit: number;
  /** The most that was in use at one instant, or counted in one period. */
  readonly peak: number;
  /** Virtual milliseconds when work first waited for it noticeably, or was refused; null if it never was. */
  readonly reachedAt: number | null;
  /** Milliseconds that work waited for it, all of it together. */
  readonly waitedMs: number;
  /** Work that was refused. */
  readonly refused: number;
  /** The longest that one piece of work waited. */
  readonly longestWaitMs: number;
}

export const RESOURCE_NAMES = [
  "postgres_connections",
  "postgres_cpu",
  "postgres_locks",
  "worker_connections",
  "request_cpu",
  "triage_cpu",
  "triage_consumers",
  "queue_messages",
  "chroma_reads",
  "chroma_writes",
  "embedding_requests",
  "requests_of_a_token",
  "waiting_incidents_of_a_token",
] as const;
export type ResourceName = (typeof RESOURCE_NAMES)[number];

/** Sums over all resources of one name: each isolate has its own CPU, each collection its own writes. */
export interface UseRecorder {
  used(name: ResourceName, amount: number): void;
  waited(name: ResourceName, since: number, ms: number): void;
  refused(name: ResourceName, at: number): void;
  report(limits: Readonly<Record<ResourceName, number>>): ResourceUse[];
}

export function createUseRecorder(): UseRecorder {
  const empty = () => ({ peak: 0, reachedAt: null as number | null, waitedMs: 0, refused: 0, longestWaitMs: 0 });
  const uses = new Map(RESOURCE_NAMES.map((name) => [name, empty()]));
  const useOf = (name: ResourceName) => uses.get(name) ?? empty();
  return {
    used(name, amount) {
      const use = useOf(name);
      use.peak = Math.max(use.peak, amount);
    },
    waited(name, since, ms) {
      const use = useOf(name);
      use.waitedMs += ms;
      use.longestWaitMs = Math.max(use.longestWaitMs, ms);
      if (ms >= NOTICEABLE_WAIT_MS) use.reachedAt = Math.min(use.reachedAt ?? since, since);
    },
    refused(name, at) {
      const use = useOf(name);
      use.refused += 1;
      use.reachedAt = Math.min(use.reachedAt ?? at, at);
    },
    report: (limits) => RESOURCE_NAMES.map((name) => ({ name, limit: limits[name], ...useOf(name) })),
  };
}

export interface Pool {
  /** Waits for a place, in the order of arrival. @returns gives the place back */
  acquire(): Promise<() => void>;
  /** As `acquire`, but gives up after `maxWaitMs`: undefined. */
  acquireWithin(maxWaitMs: number): Promise<(() => void) | undefined>;
  readonly inUse: number;
}

export interface PoolOptions {
  readonly clock: VirtualClock;
  readonly recorder: UseRecorder;
  readonly name: ResourceName;
  readonly size: number;
}

export function createPool({ clock, recorder, name, size }: PoolOptions): Pool {
  const waiting: { grant: (() => void) | null }[] = [];
  let inUse = 0;
  const release = (): void => {
    inUse -= 1;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next.grant === null) continue;
      next.grant();
      return;
    }
  };
  const take = (): (() => void) => {
    inUse += 1;
    recorder.used(name, inUse);
    let isTaken = true;
    return () => {
      if (isTaken) release();
      isTaken = false;
    };
  };
  const acquireWithin = (maxWaitMs: number): Promise<(() => void) | undefined> => {
    if (inUse < size) return Promise.resolve(take());
    const since = clock.now();
    return new Promise((resolve) => {
      const entry: { grant: (() => void) | null } = { grant: null };
      const giveUp = () => {
        entry.grant = null;
        recorder.waited(name, since, clock.now() - since);
        recorder.refused(name, since);
        resolve(undefined);
      };
      const cancel = Number.isFinite(maxWaitMs) ? clock.after(maxWaitMs, giveUp) : () => {};
      entry.grant = () => {
        cancel();
        recorder.waited(name, since, clock.now() - since);
        resolve(take());
      };
      waiting.push(entry);
    });
  };
  return {
    acquireWithin,
    async acquire() {
      const free = await acquireWithin(Number.POSITIVE_INFINITY);
      return free ?? (() => {});
    },
    get inUse() {
      return inUse;
    },
  };
}

export interface Rate {
  /** Counts `amount` in the running period. @returns whether it is within the limit; what is not is not counted */
  take(amount?: number): boolean;
}

/** A limit for each period, which begins at a multiple of its length. */
export function createRate({ size, periodMs, ...options }: PoolOptions & { readonly periodMs: number }): Rate {
  const { clock, recorder, name } = options;
  let period = -1;
  let count = 0;
  return {
    take(amount = 1) {
      const current = Math.floor(clock.now() / periodMs);
      if (current !== period) {
        period = current;
        count = 0;
      }
      // What alone exceeds the limit passes alone: it would be refused for ever.
      if (count > 0 && count + amount > size) {
        recorder.refused(name, clock.now());
        return false;
      }
      count += amount;
      recorder.used(name, count);
      return true;
    },
  };
}
