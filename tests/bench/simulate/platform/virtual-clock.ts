// Virtual time: events in the order of their time, run one after another. Time moves only from one event to the next,
// and only once all code that the last event woke has stopped to wait.

/** Cancels the event if it has not run. */
export type Cancel = () => void;

interface Event {
  readonly at: number;
  /** Events of one instant run in the order in which they were added. */
  readonly order: number;
  run: (() => void | Promise<void>) | null;
}

export interface VirtualClock {
  /** Milliseconds since the start of the simulation. */
  now(): number;
  /** Runs `work` after `ms`. The clock waits for its promise, so work on real servers takes no virtual time. */
  after(ms: number, work: () => void | Promise<void>): Cancel;
  sleep(ms: number): Promise<void>;
  /** Starts work that nobody waits for. Its error ends the run of the clock. */
  start(work: () => Promise<void>): void;
  /** Runs events until `isDone`, or until none is left. @throws Error when `maxMs` of virtual time have passed */
  run(isDone: () => boolean, maxMs: number): Promise<void>;
}

export function createVirtualClock(): VirtualClock {
  const events = createHeap();
  let now = 0;
  let order = 0;
  let failure: { readonly error: unknown } | undefined;
  const after = (ms: number, work: () => void | Promise<void>): Cancel => {
    const event: Event = { at: now + Math.max(0, ms), order: order++, run: work };
    events.push(event);
    return () => {
      event.run = null;
    };
  };
  return {
    now: () => now,
    after,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    start(work) {
      work().catch((error: unknown) => {
        failure ??= { error };
      });
    },
    async run(isDone, maxMs) {
      await settled(() => order);
      for (let event = events.pop(); event !== undefined; event = events.pop()) {
        if (event.run === null) continue;
        if (event.at > maxMs) throw new Error(`The simulation did not end within ${maxMs / 60_000} virtual minutes.`);
        now = event.at;
        await event.run();
        await settled(() => order);
        if (failure !== undefined) throw failure.error;
        if (isDone()) return;
      }
    },
  };
}

/** Rounds of the event loop without a new event after which all code counts as waiting: streams need several. */
const QUIET_ROUNDS = 2;

async function settled(progress: () => number): Promise<void> {
  let lastProgress = -1;
  for (let quiet = 0; quiet < QUIET_ROUNDS; ) {
    await new Promise(setImmediate);
    const current = progress();
    quiet = current === lastProgress ? quiet + 1 : 0;
    lastProgress = current;
  }
}

/** A binary heap: the earliest event first. */
function createHeap() {
  const items: Event[] = [];
  const isEarlier = (a: number, b: number): boolean => {
    const [first, second] = [items[a], items[b]];
    if (first === undefined || second === undefined) return false;
    return first.at < second.at || (first.at === second.at && first.order < second.order);
  };
  const swap = (a: number, b: number): void => {
    const [first, second] = [items[a], items[b]];
    if (first === undefined || second === undefined) return;
    items[a] = second;
    items[b] = first;
  };
  return {
    push(event: Event): void {
      items.push(event);
      for (let i = items.length - 1; i > 0; ) {
        const parent = (i - 1) >> 1;
        if (!isEarlier(i, parent)) return;
        swap(i, parent);
        i = parent;
      }
    },
    pop(): Event | undefined {
      const first = items[0];
      const last = items.pop();
      if (first === undefined || last === undefined || items.length === 0) return first;
      items[0] = last;
      for (let i = 0; ; ) {
        const [left, right] = [2 * i + 1, 2 * i + 2];
        const child = isEarlier(right, left) ? right : left;
        if (!isEarlier(child, i)) return first;
        swap(i, child);
        i = child;
      }
    },
  };
}
