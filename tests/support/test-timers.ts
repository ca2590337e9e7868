// Timers whose time is up when a test says so: a slow machine ends none, and a test of a timeout waits for none.

import type { StartTimer, TimerName } from "../../functions/timers.ts";

/** Open requests that a fake server has received and leaves without an answer. */
export interface HungRequests {
  readonly count: number;
  onChange(listener: () => void): void;
  /** Forgets the present ones: the time of their calls is up. */
  clear(): void;
}

export interface TestTimers {
  readonly startTimer: StartTimer;
  /**
   * Ends the time of the running timers of these names. Waits for one to be started if none runs. Moves the clock forward
   * to their end.
   */
  expire(...names: readonly TimerName[]): Promise<void>;
  /** The names of the running timers. */
  running(): TimerName[];
  /** Resolves when no call to a dependency is under way, also of work that nobody waits for. */
  idle(): Promise<void>;
  /** Ends the time of all calls of these names whenever a request hangs at the server. */
  expireHung(server: { readonly hung: HungRequests }, ...names: readonly TimerName[]): void;
  /** Ends it once the hung requests are the only ones left: the server answers others. */
  expireHungAmongOthers(server: { readonly hung: HungRequests }, name: TimerName): void;
}

interface RunningTimer {
  readonly name: TimerName;
  /** Milliseconds of the clock. */
  readonly end: number;
  readonly action: () => void;
}

interface Clock {
  now(): Date;
  advance(ms: number): void;
}

/** They pass by themselves: no test needs to wait for them. */
const PAUSES: ReadonlySet<TimerName> = new Set(["retry_pause", "trace_export"]);

/** They run as long as their work. */
const INTERVALS: ReadonlySet<TimerName> = new Set(["heartbeat", "idempotency_lease"]);

const STOPPED_CLOCK: Clock = { now: () => new Date(0), advance: () => {} };

export function createTestTimers(clock: Clock = STOPPED_CLOCK): TestTimers {
  const running = new Set<RunningTimer>();
  const listeners = new Set<() => void>();
  // Later, so that what started or stopped a timer has run to its next pause.
  const notify = () => setImmediate(() => [...listeners].forEach((listener) => void listener()));
  const runningOf = (names: readonly TimerName[]) => [...running].filter(({ name }) => names.includes(name));
  const end = (timers: readonly RunningTimer[]) => {
    const last = Math.max(...timers.map((timer) => timer.end));
    clock.advance(Math.max(0, last - clock.now().getTime()));
    for (const timer of timers) if (running.delete(timer)) timer.action();
    notify();
  };
  const expireAtHang = (hung: HungRequests, names: readonly TimerName[], isTimeUp: (timers: number) => boolean) => {
    listeners.add(() => {
      const timers = runningOf(names);
      if (timers.length === 0 || !isTimeUp(timers.length)) return;
      hung.clear();
      end(timers);
    });
    hung.onChange(notify);
    notify();
  };
  return {
    startTimer(name, ms, action) {
      const timer = { name, end: clock.now().getTime() + ms, action };
      running.add(timer);
      if (PAUSES.has(name)) setImmediate(() => running.delete(timer) && action());
      notify();
      return () => {
        running.delete(timer);
        notify();
      };
    },
    running: () => [...running].map(({ name }) => name),
    async idle() {
      // Between two calls of the same work, no timer runs for some promises.
      for (let quietTurns = 0; quietTurns < 2; ) {
        await new Promise((resolve) => setImmediate(resolve));
        quietTurns = [...running].some(({ name }) => !INTERVALS.has(name)) ? 0 : quietTurns + 1;
      }
    },
    expire: (...names) =>
      new Promise((resolve) => {
        const check = () => {
          const timers = runningOf(names);
          if (timers.length === 0) return;
          listeners.delete(check);
          end(timers);
          resolve();
        };
        listeners.add(check);
        check();
      }),
    expireHung: ({ hung }, ...names) => expireAtHang(hung, names, () => hung.count > 0),
    // With more timers than hung requests, one is on its way to the server or gets an answer.
    expireHungAmongOthers: ({ hung }, name) => expireAtHang(hung, [name], (timers) => timers <= hung.count),
  };
}
