/**
 * Ctrl-C and its kin: the first signal stops every stack of this process and exits, the second kills at once.
 * Crashes and forgotten stops are not handled here: the reaper notices that the process is gone.
 */

export interface Stoppable {
  stop(): Promise<void>;
  killNow(): void;
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type HandledSignal = keyof typeof SIGNALS;

/** npm passes a Ctrl-C on that its child has had already: one key press arrives as two signals. */
const ECHO_MS = 300;

/** The stacks of this process; handlers are installed only while there is one. */
const stoppables = new Set<Stoppable>();
let shutDownAt: number | undefined;
let exitCodeOnSignal: number | undefined;

/** Registers a stack; the returned function takes it out again. */
export function stopOnExit(stoppable: Stoppable): () => void {
  if (stoppables.size === 0) for (const signal of Object.keys(SIGNALS)) process.on(signal, onSignal);
  stoppables.add(stoppable);
  return () => {
    stoppables.delete(stoppable);
    if (stoppables.size === 0 && shutDownAt === undefined) {
      for (const signal of Object.keys(SIGNALS)) process.off(signal, onSignal);
    }
  };
}

/** For a program for which being stopped is the normal end. Otherwise 128 + the signal's number. */
export function exitOnSignalWith(code: number): void {
  exitCodeOnSignal = code;
}

/** True once a signal has begun to stop everything: errors from then on are its echo. */
export function isStoppedBySignal(): boolean {
  return shutDownAt !== undefined;
}

function onSignal(signal: HandledSignal): void {
  const code = exitCodeOnSignal ?? 128 + SIGNALS[signal];
  if (shutDownAt !== undefined) {
    if (performance.now() - shutDownAt < ECHO_MS) return;
    for (const stoppable of stoppables) stoppable.killNow();
    process.exit(code);
  }
  shutDownAt = performance.now();
  void Promise.allSettled([...stoppables].map((stoppable) => stoppable.stop())).then(() => process.exit(code));
}
