// Owns the log: one line of JSON an event. Fields are ids, codes and figures; never a body, a text or a secret.

import { requestContext } from "./request-context.ts";

/** In the order of their weight. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
/** Of an Error that is a bug, name and place are written: its words may hold what somebody sent. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined | Error>>;

/** @param event `area.what`; docs/reference/log-events.md tells each */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/** No id and no code is as long; what is, is a mistake, and must not fill the log. */
const MAX_FIELD_LENGTH = 500;
/** Enough of a stack to find the place. */
const MAX_FRAMES = 20;

/**
 * Writes to the console, where the platform collects it.
 * @param least what weighs less is not written
 */
export function createConsoleLog(now: () => Date, least: LogLevel): Log {
  return (level, event, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    const head = { at: now().toISOString(), level, event };
    // Named once more, a field cannot take the place of what every line has.
    console[level](JSON.stringify({ ...head, ...writtenFields(fields), ...head }));
  };
}

/** The fields as they are written, with the ids of the request, the incident and the trace that they belong to, where there are any. */
export function writtenFields(fields: LogFields): Record<string, string | number | boolean | null | undefined> {
  const { requestId, incidentId, span, about } = requestContext();
  const written: Record<string, string | number | boolean | null | undefined> = {
    request_id: requestId,
    incident_id: incidentId ?? about?.incidentId,
    trace_id: span?.root.traceId ?? about?.traceId,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (value instanceof Error) Object.assign(written, { [name]: nameOf(value), stack: framesOf(value) });
    else written[name] = typeof value === "string" ? shortened(value) : value;
  }
  return written;
}

function shortened(text: string): string {
  return text.length <= MAX_FIELD_LENGTH ? text : `${text.slice(0, MAX_FIELD_LENGTH)}…`;
}

/** A library may have put anything there. */
function nameOf({ name }: Error): string {
  return /^\w{1,60}$/.test(name) ? name : "Error";
}

/** Where it happened. The words come before it, and hold anything, lines that look like places too. */
function framesOf({ message, stack }: Error): string | undefined {
  const end = stack?.indexOf(message) ?? -1;
  if (stack === undefined || end < 0) return undefined;
  const lines = stack.slice(end + message.length).split("\n");
  const frames = lines.filter((line) => /^\s+at /.test(line)).slice(0, MAX_FRAMES);
  return frames.map((line) => shortened(line.trim())).join("\n");
}
