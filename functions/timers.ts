// Timers by name: deadlines, pauses and repetitions. The composition root passes the real ones; tests let a time end by its
// name.

import type { Dependency } from "./schemas/dependency.ts";

/**
 * The role of a dependency is the deadline of a call to it. The others:
 * - `heartbeat`: the interval between two heartbeats of a stream
 * - `idempotency_lease`: the interval between two renewals of a lease
 * - `memory_write`: the deadline of the copy of pending writes to the vector store
 * - `rate_limit`, `write_queue`: the deadline of a call to these bindings
 * - `request_body`: the deadline for a whole request body
 * - `response_stream`: the deadline for reading a streamed response
 * - `retry_pause`: the pause before a retry
 * - `shared_embedding`, `shared_listing`, `shared_query`: how long a caller waits for another caller's request
 * - `suggested_fix`: the deadline for reading the incident of a pressed button
 * - `trace_export`: the pause before spans are sent
 * - `triage_stream`: the deadline of a streamed triage
 */
export type TimerName =
  | Dependency
  | "heartbeat"
  | "idempotency_lease"
  | "memory_write"
  | "rate_limit"
  | "request_body"
  | "response_stream"
  | "retry_pause"
  | "shared_embedding"
  | "shared_listing"
  | "shared_query"
  | "suggested_fix"
  | "trace_export"
  | "triage_stream"
  | "write_queue";

/** Calls `action` once after `ms`. @returns stops the timer */
export type StartTimer = (name: TimerName, ms: number, action: () => void) => () => void;

export const startRealTimer: StartTimer = (_, ms, action) => {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
};

/** Waits for `ms`. */
export function pause(startTimer: StartTimer, name: TimerName, ms: number): Promise<void> {
  return new Promise((resolve) => void startTimer(name, ms, resolve));
}

/** Calls `action` every `ms`. @returns stops the repetition */
export function repeat(startTimer: StartTimer, name: TimerName, ms: number, action: () => void): () => void {
  let stop: () => void;
  const startNext = () => {
    stop = startTimer(name, ms, () => {
      startNext();
      action();
    });
  };
  startNext();
  return () => stop();
}

/** The result of `work`, or of `late` if the time is up first. The work then goes on, and its failure is ignored. */
export async function within<T>(
  { startTimer, name, ms }: { readonly startTimer: StartTimer; readonly name: TimerName; readonly ms: number },
  work: Promise<T>,
  late: () => T,
): Promise<T> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
  const stop = startTimer(name, ms, resolve);
  work.catch(() => {});
  try {
    return await Promise.race([work, timeIsUp.then(late)]);
  } finally {
    stop();
  }
}
