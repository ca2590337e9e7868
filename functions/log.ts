// Owns the log: one line of JSON an event. Fields are ids, codes and figures; never a body, a text or a secret.

import { workContext } from "./work-context.ts";

/** In the order of their weight. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/**
 * Writes to the console, where the platform collects it. Each line has the ids of the request, the incident and
 * the trace that it was written for, where there are any.
 * @param least what weighs less is not written
 */
export function createConsoleLog(now: () => Date, least: LogLevel): Log {
  return (level, event, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    const { requestId, incidentId, span } = workContext();
    const ids = { request_id: requestId, incident_id: incidentId, trace_id: span?.root.traceId };
    console[level](JSON.stringify({ at: now().toISOString(), level, event, ...ids, ...fields }));
  };
}
