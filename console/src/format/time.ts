// Times for people. Pure functions.

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** Such as `3 h 5 min`, `12 days`, `40 s`. @param ms not negative */
export function durationOf(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  if (days >= 2) return `${days} days`;
  const parts: string[] = [];
  let rest = ms;
  for (const [name, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ") || "0 s";
}

/** Such as `3 min ago`, `in 2 h 5 min`; `just now` within 10 seconds. @param at ISO 8601 @param now milliseconds since 1970 */
export function ageOf(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (Number.isNaN(ms)) return at;
  const size = Math.abs(ms);
  if (size < 10_000) return "just now";
  const duration = durationOf(size < 60_000 ? size : size - (size % 60_000));
  return ms < 0 ? `in ${duration}` : `${duration} ago`;
}

/** Such as `35m`, `3h`, `12d`; `now` below a minute and for the future. @param at ISO 8601 @param now milliseconds since 1970 */
export function shortAgeOf(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000);
  if (Number.isNaN(minutes)) return at;
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes}m`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1_440)}d`;
}

/** In the reader's time zone, such as `2026-03-01 04:00:02 GMT+1`. */
export function exactTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const text = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", options).format(date);
  const [day, month, year] = text({ year: "numeric", month: "2-digit", day: "2-digit" }).split("/");
  return `${year}-${month}-${day} ${text({ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" })}`;
}
