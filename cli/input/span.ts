// Spans of time as people write them: `90m`, `12h`, `2d`. Pure functions.

import { CommandError } from "../service/command-error.ts";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNITS_MS;

/** The span in milliseconds. @param example for people @throws CommandError */
export function spanMs(option: string, text: string, example: string): number {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count === undefined || !isUnit(unit))
    throw new CommandError("usage", `${option} must be a span such as ${example}, not "${text}".`);
  return Number(count) * UNITS_MS[unit];
}

/** The span as a number of whole units. @throws CommandError for a part of one */
export function spanIn(unit: Unit, option: string, text: string, example: string): number {
  const count = spanMs(option, text, example) / UNITS_MS[unit];
  if (count >= 1 && Number.isInteger(count)) return count;
  throw new CommandError(
    "usage",
    `${option} must be at least one ${unit === "h" ? "hour" : "day"}, without a part of one, such as ${example}.`,
  );
}

function isUnit(text: string | undefined): text is Unit {
  return text !== undefined && Object.hasOwn(UNITS_MS, text);
}
