// Owns the log: one line of JSON an event. Fields are ids, codes and figures; never a body, a text or a secret.

export type LogLevel = "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/** Writes to the console, where the platform collects it. */
export function createConsoleLog(now: () => Date): Log {
  return (level, event, fields = {}) => {
    console[level](JSON.stringify({ at: now().toISOString(), level, event, ...fields }));
  };
}
