// Owns what travels with one piece of work, a request, a queue's message or a job, without being handed from function to
// function: what its log lines and its spans have in common. Nothing may decide by it what is answered.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Traffic } from "../schemas/traffic.ts";
import type { OpenSpan, PlatformTracing } from "./trace-types.ts";

export interface RequestContext {
  /** Names the request to its caller; of a queue's message or a job, an id of its own. */
  readonly requestId?: string;
  readonly incidentId?: string;
  readonly traffic?: Traffic;
  /** The platform's own tracing, where there is one. */
  readonly platform?: PlatformTracing | undefined;
  /** What is being done, where somebody records it. */
  readonly span?: OpenSpan;
  /** Of a request or a message: what it turned out to be about, for those who wait for its end. */
  readonly about?: LogContext;
}

/** Filled in by whoever finds out. */
export interface LogContext {
  incidentId?: string | undefined;
  traceId?: string | undefined;
}

const NOTHING: RequestContext = {};
// Holds nothing itself: what was stored ends with the work that it was stored for.
const storage = new AsyncLocalStorage<RequestContext>();

export function requestContext(): RequestContext {
  return storage.getStore() ?? NOTHING;
}

/** Tells those outside what their request is about: they began it before anybody could know. */
export function setLogContext(found: LogContext): void {
  Object.assign(requestContext().about ?? {}, found);
}

/** Runs work, and all that it starts, with more known of it. */
export function withContext<T>(more: RequestContext, work: () => T): T {
  return storage.run({ ...requestContext(), ...more }, work);
}
