// Owns what every call to an outside system has in common: a deadline, a bounded retry, a typed failure.

export type OutsideSystem = "postgres" | "chroma" | "embeddings";

/**
 * - `timeout`: no answer before the deadline
 * - `unreachable`: no connection, or the system said that it cannot serve now; worth another try
 * - `refused`: it understood and said no; another try would end the same way
 * - `invalid_reply`: it answered something that its contract does not allow
 * - `model_mismatch`: the vectors it holds were made by another embedding model or chunking
 */
export type OutsideFailure = "timeout" | "unreachable" | "refused" | "invalid_reply" | "model_mismatch";

/** An expected failure of an outside system. The message is for the log and holds no content. */
export class OutsideError extends Error {
  override readonly name = "OutsideError";
  readonly system: OutsideSystem;
  readonly failure: OutsideFailure;

  constructor(system: OutsideSystem, failure: OutsideFailure, detail: string, options?: ErrorOptions) {
    super(`${system}: ${detail}`, options);
    this.system = system;
    this.failure = failure;
  }
}

export interface OutsideCall {
  readonly system: OutsideSystem;
  /** For the whole call, retries included. */
  readonly timeoutMs: number;
  /** Further tries after `unreachable`; 0 for what must not be done twice. */
  readonly retries: number;
}

/** Pause before a retry: long enough for a dropped connection, short enough for somebody who waits. */
const RETRY_PAUSE_MS = 50;

/**
 * Runs one outside call under a deadline.
 *
 * `work` gets a signal that fires at the deadline and must hand it to its transport; the returned promise settles at
 * the deadline even if the transport does not. `work` throws OutsideError for what it recognises; anything else
 * that it throws is taken for a lost connection.
 *
 * @throws OutsideError
 */
export async function callOutside<T>(call: OutsideCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { system, timeoutMs } = call;
  const signal = AbortSignal.timeout(timeoutMs);
  const deadline = rejectOnAbort(signal, () => new OutsideError(system, "timeout", `no answer within ${timeoutMs} ms`));
  for (let retriesLeft = call.retries; ; retriesLeft--) {
    try {
      return await Promise.race([work(signal), deadline]);
    } catch (error) {
      const failure = asOutsideError(system, error, signal);
      if (failure.failure !== "unreachable" || retriesLeft <= 0) throw failure;
      await Promise.race([pause(RETRY_PAUSE_MS), deadline]);
    }
  }
}

function asOutsideError(system: OutsideSystem, error: unknown, signal: AbortSignal): OutsideError {
  if (error instanceof OutsideError) return error;
  if (signal.aborted) return new OutsideError(system, "timeout", "no answer before the deadline", { cause: error });
  return new OutsideError(system, "unreachable", "the connection failed", { cause: error });
}

function rejectOnAbort(signal: AbortSignal, reason: () => Error): Promise<never> {
  const promise = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(reason()), { once: true });
  });
  promise.catch(() => {}); // The race may be over when the deadline comes; that is no unhandled rejection.
  return promise;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
