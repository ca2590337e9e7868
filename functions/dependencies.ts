// Owns what every call to an outside system has in common: a deadline, a bounded retry, a typed failure.

export type Dependency =
  | "postgres"
  | "chroma"
  | "embeddings"
  | "reranker"
  | "model"
  | "slack"
  | "collector"
  | "phoenix";

/**
 * - `timeout`: no answer before the deadline
 * - `unreachable`: no connection, or it broke, or the system said that it cannot serve; worth another try
 * - `busy`: too many requests for now; worth another try after a while
 * - `refused`: it understood and said no; another try would end the same way
 * - `invalid_response`: it answered something that its contract does not allow
 * - `model_mismatch`: the vectors it holds were made by another embedding model or chunking
 * - `cancelled`: whoever asked has gone away
 */
export type DependencyFailure =
  | "timeout"
  | "unreachable"
  | "busy"
  | "refused"
  | "invalid_response"
  | "model_mismatch"
  | "cancelled";

const WORTH_ANOTHER_TRY: ReadonlySet<DependencyFailure> = new Set(["unreachable", "busy"]);

export interface DependencyErrorOptions extends ErrorOptions {
  /** How long the system asked to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** An expected failure of an outside system. The message is for the log and holds no content. */
export class DependencyError extends Error {
  override readonly name = "DependencyError";
  readonly system: Dependency;
  readonly failure: DependencyFailure;
  readonly retryAfterMs: number | undefined;

  constructor(system: Dependency, failure: DependencyFailure, detail: string, options: DependencyErrorOptions = {}) {
    super(`${system}: ${detail}`, options);
    this.system = system;
    this.failure = failure;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export interface DependencyCall {
  readonly system: Dependency;
  /** For the whole call, retries included. */
  readonly timeoutMs: number;
  /** Further tries after `unreachable` and `busy`; 0 for what must not be done twice. */
  readonly retries: number;
  /** Fires when nobody waits for the answer any more. */
  readonly cancelled?: AbortSignal | undefined;
}

/** Pause before a retry: long enough for a dropped connection, short enough for somebody who waits. */
const RETRY_PAUSE_MS = 50;
/** The share of a call's time that may be spent waiting because the system asked for it. */
const LONGEST_WAIT = 0.5;

/**
 * Runs one outside call under a deadline.
 *
 * `work` gets a signal that fires at the deadline or when the caller goes, and must hand it to its transport; the
 * returned promise settles then even if the transport does not. `work` throws DependencyError for what it recognises;
 * anything else that it throws is taken for a lost connection.
 *
 * @throws DependencyError
 */
export async function callDependency<T>(call: DependencyCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { system, timeoutMs, cancelled } = call;
  // Not AbortSignal.timeout: that one keeps all that it holds until the deadline, long after a quick answer.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const signal = cancelled ? AbortSignal.any([deadline.signal, cancelled]) : deadline.signal;
  const late = (cause?: unknown) =>
    cancelled?.aborted
      ? new DependencyError(system, "cancelled", "nobody waits any more", { cause })
      : new DependencyError(system, "timeout", `no answer within ${timeoutMs} ms`, { cause });
  const aborted = rejectOnAbort(signal, late);
  try {
    for (let retriesLeft = call.retries; ; retriesLeft--) {
      try {
        if (signal.aborted) throw late();
        return await Promise.race([work(signal), aborted]);
      } catch (error) {
        const failure = asDependencyError(system, error, signal, late);
        const isHopeless = (failure.retryAfterMs ?? 0) > timeoutMs * LONGEST_WAIT;
        if (!WORTH_ANOTHER_TRY.has(failure.failure) || isHopeless || retriesLeft <= 0) throw failure;
        await Promise.race([pause(failure.retryAfterMs ?? RETRY_PAUSE_MS), aborted]);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

function asDependencyError(
  system: Dependency,
  error: unknown,
  signal: AbortSignal,
  late: (cause: unknown) => DependencyError,
): DependencyError {
  if (error instanceof DependencyError) return error;
  if (signal.aborted) return late(error);
  return new DependencyError(system, "unreachable", "the connection failed", { cause: error });
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
