// Formats of figures, times and texts in the report. Pure functions.

const DAY_AND_TIME = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const DAY = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" });
const TIME = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** A share with the given decimals. Never rounds up to 1 or down to 0. */
export function share(value: number, decimals = 3): string {
  const step = 10 ** -decimals;
  const shown = value < 1 ? Math.min(value, 1 - step) : value;
  return (shown > 0 ? Math.max(shown, step) : shown).toFixed(decimals);
}

/** With its sign: "+0.032", "−0.010", "±0.000". */
export function difference(value: number): string {
  const digits = Math.abs(value).toFixed(3);
  if (Number(digits) === 0) return `±${digits}`;
  return `${value > 0 ? "+" : "−"}${digits}`;
}

export function duration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** "22 Nov 2026, 12:15 UTC" */
export function moment(iso: string): string {
  return `${DAY_AND_TIME.format(new Date(iso))} UTC`;
}

/** Short labels in UTC: the day ("22 Nov"), or the time ("12:15") when all are on the same day. */
export function moments(isos: readonly string[]): string[] {
  const dates = isos.map((iso) => new Date(iso));
  const days = new Set(isos.map((iso) => iso.slice(0, 10)));
  return dates.map((date) => (days.size > 1 ? DAY : TIME).format(date));
}

/** "1 case", "2 cases" */
export function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`;
}

/** "a, b and c" */
export function list(parts: readonly string[]): string {
  return new Intl.ListFormat("en-GB", { type: "conjunction" }).format(parts);
}

/** Control characters except line breaks, and bidirectional controls, which would reorder the text that follows. */
const NOT_DISPLAYABLE = /(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces the characters of a run file that a page cannot show. */
export function displayable(text: string): string {
  return text.replace(NOT_DISPLAYABLE, "\u{fffd}");
}
