// Handlers for SIGINT, SIGTERM and SIGHUP: the first signal stops every stack of this process and exits, the second
// kills at once. Crashes, and scripts that end without a stop, are left to the cleanup process.

export interface Stoppable {
  stop(): Promise<void>;
  killNow(): void;
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type HandledSignal = keyof typeof SIGNALS;

/** npm forwards a Ctrl-C that its child has received, too: one key press arrives as two signals. */
const REPEATED_SIGNAL_MS = 300;

/** The stacks of this process. Handlers are installed only while there is one. */
const stoppables = new Set<Stoppable>();
let shutdownStartedAt: number | undefined;
let exitCodeOnSignal: number | undefined;

/** Registers a stack. The returned function unregisters it. */
export function stopOnSignal(stoppable: Stoppable): () => void {
  if (stoppables.size === 0) for (const signal of Object.keys(SIGNALS)) process.on(signal, onSignal);
  stoppables.add(stoppable);
  return () => {
    stoppables.delete(stoppable);
    if (stoppables.size === 0 && shutdownStartedAt === undefined) {
      for (const signal of Object.keys(SIGNALS)) process.off(signal, onSignal);
    }
  };
}

/** Sets the exit code after a signal, for programs whose normal end is a signal. Default: 128 + the signal's number. */
export function exitOnSignalWith(code: number): void {
  exitCodeOnSignal = code;
}

/** True once a signal has begun to stop everything. Errors from then on are consequences of the stop. */
export function isStoppedBySignal(): boolean {
  return shutdownStartedAt !== undefined;
}

function onSignal(signal: HandledSignal): void {
  const code = exitCodeOnSignal ?? 128 + SIGNALS[signal];
  if (shutdownStartedAt !== undefined) {
    if (performance.now() - shutdownStartedAt < REPEATED_SIGNAL_MS) return;
    for (const stoppable of stoppables) stoppable.killNow();
    process.exit(code);
  }
  shutdownStartedAt = performance.now();
  void Promise.allSettled([...stoppables].map((stoppable) => stoppable.stop())).then(() => process.exit(code));
}
