// Structured log: one line of JSON an event. Fields are ids, codes and figures, never bodies, texts or secrets.

import { requestContext } from "./request-context.ts";

/** By increasing severity. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
/** Of an Error, only name and stack frames are written: its message may hold content of a request. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined | Error>>;

/** @param event `area.what`; docs/reference/log-events.md lists all events */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/** No id or code is longer; a longer value is a mistake and must not fill the log. */
const MAX_FIELD_LENGTH = 500;
/** Stack frames that are written. */
const MAX_FRAMES = 20;

/**
 * Writes to the console; the platform collects it.
 * @param minLevel lines below it are not written
 */
export function createConsoleLog(now: () => Date, minLevel: LogLevel): Log {
  return (level, event, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(minLevel)) return;
    const head = { at: now().toISOString(), level, event };
    // The second `head` prevents a field from replacing the time, level or event.
    console[level](JSON.stringify({ ...head, ...writtenFields(fields), ...head }));
  };
}

/** The fields as written, with the ids of the request, the incident and the trace. */
export function writtenFields(fields: LogFields): Record<string, string | number | boolean | null | undefined> {
  const { requestId, incidentId, span, logContext } = requestContext();
  const written: Record<string, string | number | boolean | null | undefined> = {
    request_id: requestId,
    incident_id: incidentId ?? logContext?.incidentId,
    trace_id: span?.root.traceId ?? logContext?.traceId,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (value instanceof Error) Object.assign(written, { [name]: nameOf(value), stack: framesOf(value) });
    else written[name] = typeof value === "string" ? shorten(value) : value;
  }
  return written;
}

function shorten(text: string): string {
  return text.length <= MAX_FIELD_LENGTH ? text : `${text.slice(0, MAX_FIELD_LENGTH)}…`;
}

/** A library may set any name. */
function nameOf({ name }: Error): string {
  return /^\w{1,60}$/.test(name) ? name : "Error";
}

/** The stack frames only. The message precedes them and may contain lines that look like frames. */
function framesOf({ message, stack }: Error): string | undefined {
  const end = stack?.indexOf(message) ?? -1;
  if (stack === undefined || end < 0) return undefined;
  const lines = stack.slice(end + message.length).split("\n");
  const frames = lines.filter((line) => /^\s+at /.test(line)).slice(0, MAX_FRAMES);
  return frames.map((line) => shorten(line.trim())).join("\n");
}
