// Values of PostgreSQL, in its text format, as cells of a result.

import type { Cell } from "../../../lib/checks/scope/query.ts";

const BOOLEAN = 16;
/** int8, int2, int4, oid, float4, float8, numeric. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;

const MAX_CELL_LENGTH = 1_000;

/**
 * @param text with `datestyle` ISO and the time zone UTC
 * @param type its object id
 */
export function postgresCell(text: string, type: number): Cell {
  if (type === BOOLEAN) return text === "t";
  if (NUMBERS.has(type)) return asNumber(text) ?? text;
  if (type === TIMESTAMP || type === TIMESTAMPTZ) return asTime(text, type) ?? text;
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH - 1)}…` : text;
}

/** Undefined for NaN, infinite values and integers that a number cannot hold. */
function asNumber(text: string): number | undefined {
  const value = Number(text);
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
  return Number.isFinite(value) && isExact ? value : undefined;
}

/** Undefined for times before the year 0, after 9999, and infinite ones. */
function asTime(text: string, type: number): string | undefined {
  const [, day, time, fraction = ""] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?(?:\+00)?$/.exec(text) ?? [];
  if (day === undefined || time === undefined) return undefined;
  const milliseconds = fraction === "" ? "" : fraction.padEnd(4, "0").slice(0, 4);
  return `${day}T${time}${milliseconds}${type === TIMESTAMPTZ ? "Z" : ""}`;
}
