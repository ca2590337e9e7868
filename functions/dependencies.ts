// Failures of the systems that Dejavu depends on: one error type, and one wrapper with a timeout and retries.

import type { Dependency } from "./schemas/dependency.ts";
import { pause, type StartTimer } from "./timers.ts";

/**
 * - `timeout`: no answer before the deadline
 * - `unreachable`: no connection, a broken one, or a reply that says "unavailable"; worth a retry
 * - `busy`: rate limited or overloaded; worth a retry after a pause
 * - `refused`: the request was rejected; a retry would be rejected too
 * - `invalid_response`: the response breaks the contract
 * - `schema_outdated`: the database lacks migrations of this version
 * - `model_mismatch`: the stored vectors were made by another embedding model or chunking
 * - `cancelled`: the caller disconnected
 */
export type DependencyFailure =
  | "timeout"
  | "unreachable"
  | "busy"
  | "refused"
  | "invalid_response"
  | "schema_outdated"
  | "model_mismatch"
  | "cancelled";

const RETRYABLE: ReadonlySet<DependencyFailure> = new Set(["unreachable", "busy"]);

export interface DependencyErrorOptions extends ErrorOptions {
  /** Milliseconds that the dependency asks to wait (`Retry-After`). */
  readonly retryAfterMs?: number | undefined;
}

/** An expected failure of a dependency. The message is for the log; it never holds content of a request. */
export class DependencyError extends Error {
  override readonly name = "DependencyError";
  readonly dependency: Dependency;
  readonly failure: DependencyFailure;
  readonly retryAfterMs: number | undefined;

  constructor(
    dependency: Dependency,
    failure: DependencyFailure,
    detail: string,
    options: DependencyErrorOptions = {},
  ) {
    super(`${dependency}: ${detail}`, options);
    this.dependency = dependency;
    this.failure = failure;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export interface DependencyCall {
  readonly dependency: Dependency;
  /** For the whole call, retries included. */
  readonly timeoutMs: number;
  /** Retries after `unreachable` and `busy`; 0 for calls that are not idempotent. */
  readonly retries: number;
  readonly startTimer: StartTimer;
  /** Fires when the caller disconnects. */
  readonly cancelled?: AbortSignal | undefined;
}

const FIRST_RETRY_PAUSE_MS = 50;
/** Share of `timeoutMs` that one pause may take; a longer `Retry-After` fails at once. */
const MAX_PAUSE_SHARE = 0.5;

/**
 * Runs one call to a dependency under a deadline.
 *
 * `work` gets a signal that fires at the deadline or when the caller disconnects, and must pass it to its transport.
 * The returned promise settles at that moment even if the transport does not. `work` throws DependencyError for
 * failures that it recognises; any other error counts as a lost connection.
 *
 * @throws DependencyError @throws RestrictionError as `work` does
 */
export async function callDependency<T>(call: DependencyCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { dependency, timeoutMs, startTimer, cancelled } = call;
  const deadline = new AbortController();
  const stop = startTimer(dependency, timeoutMs, () => deadline.abort());
  const signal = cancelled ? AbortSignal.any([deadline.signal, cancelled]) : deadline.signal;
  const late = (cause?: unknown) =>
    cancelled?.aborted
      ? new DependencyError(dependency, "cancelled", "the caller disconnected", { cause })
      : new DependencyError(dependency, "timeout", `no answer within ${timeoutMs} ms`, { cause });
  const aborted = rejectOnAbort(signal, late);
  try {
    for (let retry = 0; ; retry++) {
      try {
        if (signal.aborted) throw late();
        return await Promise.race([work(signal), aborted]);
      } catch (error) {
        if (error instanceof RestrictionError) throw error;
        const failure = asDependencyError(dependency, error, signal, late);
        const isPauseTooLong = (failure.retryAfterMs ?? 0) > timeoutMs * MAX_PAUSE_SHARE;
        if (!RETRYABLE.has(failure.failure) || isPauseTooLong || retry >= call.retries) throw failure;
        const pauseMs = failure.retryAfterMs ?? retryPauseMs(retry);
        await Promise.race([pause(startTimer, "retry_pause", pauseMs), aborted]);
      }
    }
  } finally {
    stop();
  }
}

/** Milliseconds before a retry when the dependency names no pause: they double with each. @param retry from 0 */
function retryPauseMs(retry: number): number {
  return FIRST_RETRY_PAUSE_MS * 2 ** retry;
}

function asDependencyError(
  dependency: Dependency,
  error: unknown,
  signal: AbortSignal,
  late: (cause: unknown) => DependencyError,
): DependencyError {
  if (error instanceof DependencyError) return error;
  if (signal.aborted) return late(error);
  return new DependencyError(dependency, "unreachable", "the connection failed", { cause: error });
}

function rejectOnAbort(signal: AbortSignal, reason: () => Error): Promise<never> {
  const promise = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(reason()), { once: true });
  });
  promise.catch(() => {}); // The race may end before the deadline; the late rejection must not count as unhandled.
  return promise;
}

/** The database refused a call because it concerns rows outside the domains of the caller's token. */
export class RestrictionError extends Error {
  override readonly name = "RestrictionError";
}

/** The result of work that may fail at a dependency. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: DependencyError };

/**
 * Returns a DependencyError as a value instead of throwing it.
 * @throws every other error: those are bugs
 */
export async function settle<T>(work: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (error instanceof DependencyError) return { ok: false, error };
    throw error;
  }
}
