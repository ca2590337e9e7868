// The context of a request, a queue message or a job, carried by AsyncLocalStorage: the fields that its log lines and
// spans share. The result of a request must not depend on it.

import { AsyncLocalStorage } from "node:async_hooks";
import type { EvaluationCase } from "../schemas/evaluation-case.ts";
import type { Traffic } from "../schemas/traffic.ts";
import type { OpenSpan, PlatformTracing } from "./trace-types.ts";

export interface RequestContext {
  /** The request's id as the caller sees it; a queue message or a job has an id of its own. */
  readonly requestId?: string;
  readonly incidentId?: string;
  readonly traffic?: Traffic;
  /** Of evaluation traffic. */
  readonly evaluation?: EvaluationCase | undefined;
  /** The platform's tracing; undefined outside Workers. */
  readonly platform?: PlatformTracing | undefined;
  /** The open span, when spans are recorded. */
  readonly span?: OpenSpan;
  /** Ids that become known while the request runs, for log lines at its end. */
  readonly logContext?: LogContext;
}

/** Filled in by `setLogContext`. */
export interface LogContext {
  incidentId?: string | undefined;
  traceId?: string | undefined;
}

const EMPTY: RequestContext = {};
// No state across requests: a stored context ends with the work that it was stored for.
const storage = new AsyncLocalStorage<RequestContext>();

export function requestContext(): RequestContext {
  return storage.getStore() ?? EMPTY;
}

/** Adds ids to the log context of the request, which started before they were known. */
export function setLogContext(ids: LogContext): void {
  Object.assign(requestContext().logContext ?? {}, ids);
}

/** Runs work, and everything that it starts, with additional context. */
export function withContext<T>(more: RequestContext, work: () => T): T {
  return storage.run({ ...requestContext(), ...more }, work);
}
