// Times as systems export them: ISO 8601, epochs, and the forms of a language or country. Pure functions.

/** Whether the day or the month comes first in dates such as 03/04/2025. */
export type DateOrder = "dmy" | "mdy";

const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ,](.*))?$/;
const NUMERIC = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?:[T ,](.*))?$/;
/** `11/May/24 3:26 PM`, `11 May 2024, 15:26`, `11. Mai 2024`. */
const NAMED =
  /^(\d{1,2})(?:st|nd|rd|th)?(?:[-/ ]|\. ?)(?:de )?(\p{L}{1,20})(?:[-/, ]|\. ?)(?:de )?(\d{4}|\d{2})(?:[T ,](.*))?$/u;
/** `May 11, 2024 3:26 PM`. */
const NAMED_FIRST = /^(\p{L}{1,20})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:[T ,](.*))?$/u;
const CLOCK =
  /^(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)? ?([ap]\.?m\.?)? ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

/** Languages whose names of months are read. */
const LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "cs"];

let monthNames: ReadonlyMap<string, number> | null = null;

/** The months by their names in these languages, in lower case, and by their first three letters in English. */
function months(): ReadonlyMap<string, number> {
  if (monthNames !== null) return monthNames;
  const names = new Map<string, number>();
  for (const language of LANGUAGES)
    for (const style of ["long", "short"] as const) {
      const format = new Intl.DateTimeFormat(language, { day: "numeric", month: style, timeZone: "UTC" });
      for (let month = 0; month < 12; month++) {
        const parts = format.formatToParts(Date.UTC(2024, month, 11));
        const name = parts.find(({ type }) => type === "month")?.value ?? "";
        const key = name.toLowerCase().replace(/\.$/, "");
        if (!names.has(key)) names.set(key, month + 1);
      }
    }
  monthNames = names.set("sept", 9);
  return monthNames;
}

/** A time without a zone is in UTC. Null for any other text, and for a date of which `order` would have to decide. */
export function readTime(text: string, order: DateOrder | null): Date | null {
  const value = text.replace(/\s+/g, " ").trim();
  if (/^\d{13}$/.test(value)) return new Date(Number(value));
  if (/^\d{10}$/.test(value)) return new Date(Number(value) * 1_000);
  const iso = ISO.exec(value);
  if (iso) return timeOf([iso[1], iso[2], iso[3]], iso[4]);
  const numeric = NUMERIC.exec(value);
  if (numeric) {
    const [, first, separator, second, year, clock] = numeric;
    const isDayFirst = separator !== "/" || Number(first) > 12 || (Number(second) <= 12 && order === "dmy");
    const isMonthFirst = separator === "/" && (Number(second) > 12 || order === "mdy");
    if (isDayFirst) return timeOf([year, second, first], clock);
    return isMonthFirst ? timeOf([year, first, second], clock) : null;
  }
  const named = NAMED.exec(value);
  if (named) return timeOf([named[3], monthOf(named[2]), named[1]], named[4]);
  const namedFirst = NAMED_FIRST.exec(value);
  if (namedFirst) return timeOf([namedFirst[3], monthOf(namedFirst[1]), namedFirst[2]], namedFirst[4]);
  return null;
}

/** Whether a text is a time in either order. */
export function isTime(text: string): boolean {
  return (readTime(text, "dmy") ?? readTime(text, "mdy")) !== null;
}

/** The order that dates of one file have, as far as one of them shows it: 13/04/2025. */
export function dateOrderOf(texts: readonly string[]): DateOrder | null {
  for (const text of texts) {
    const [, first, separator, second] = NUMERIC.exec(text.trim()) ?? [];
    if (separator !== "/") continue;
    if (Number(first) > 12) return "dmy";
    if (Number(second) > 12) return "mdy";
  }
  return null;
}

/** Whether a text is a date whose order nothing shows. */
export function isAmbiguousDate(text: string): boolean {
  return NUMERIC.test(text.trim()) && readTime(text, null) === null && readTime(text, "dmy") !== null;
}

function monthOf(name: string | undefined): string {
  const key = (name ?? "").toLowerCase();
  return String(months().get(key) ?? 0);
}

function timeOf(date: readonly (string | undefined)[], clock: string | undefined): Date | null {
  const [year = 0, month = 0, day = 0] = date.map(Number);
  const fullYear = year < 100 ? 2000 + year : year;
  const time =
    clock === undefined || clock.trim() === "" ? [0, 0, 0, 0, 0] : clockOf(clock.replace(/^(?: |,|at )*/, ""));
  if (time === null) return null;
  const [hours = 0, minutes = 0, seconds = 0, ms = 0, offsetMinutes = 0] = time;
  const start = new Date(Date.UTC(fullYear, month - 1, day, hours, minutes, seconds, ms));
  const isReal = start.getUTCMonth() === month - 1 && start.getUTCDate() === day && fullYear > 1990 && fullYear < 2100;
  return isReal ? new Date(start.getTime() - offsetMinutes * 60_000) : null;
}

function clockOf(text: string): number[] | null {
  const match = CLOCK.exec(text);
  if (!match) return null;
  const [, hour, minute, second = "0", fraction = "0", half, zone] = match;
  const isAfternoon = /^p/i.test(half ?? "");
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (isAfternoon ? 12 : 0);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const [, sign, zoneHours, zoneMinutes = "0"] = /^([+-])(\d{2})(?::?(\d{2}))?$/.exec(zone ?? "") ?? [];
  const offset = sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -1 : 1);
  return [hours, Number(minute), Number(second), Math.trunc(Number(`0.${fraction}`) * 1_000), offset];
}
