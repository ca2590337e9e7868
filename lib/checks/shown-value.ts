// Values of checks as people read them: `0.97 (instance=db-1)`.

import { holdsForNumber, type Operator } from "./condition.ts";
import type { Measured } from "./measured-values.ts";

const DIGITS = 4;
const MAX_DIGITS = 17;
const MAX_LABELS = 3;
const MAX_LENGTH = 200;
const MAX_PART_LENGTH = 80;

/** The value with at most three labels, in at most 200 characters, on one line. */
export function showMeasured({ value, labels }: Measured): string {
  const shown = typeof value === "number" ? showNumber(value) : short(String(value));
  const names = labels.slice(0, MAX_LABELS).map(([name, text]) => `${short(name)}=${short(text)}`);
  return truncated(names.length === 0 ? shown : `${shown} (${names.join(", ")})`, MAX_LENGTH);
}

/** A number with 4 significant digits; with more if a limit would else seem to be on its other side. */
export function showNumber(value: number, limit?: { readonly operator: Operator; readonly value: number }): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  let digits = DIGITS;
  const rounded = () => Number(value.toPrecision(digits));
  while (
    digits < MAX_DIGITS &&
    limit !== undefined &&
    holdsForNumber(rounded(), limit) !== holdsForNumber(value, limit)
  )
    digits += 1;
  return String(rounded());
}

function short(text: string): string {
  return truncated(text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim(), MAX_PART_LENGTH);
}

function truncated(text: string, length: number): string {
  return text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;
}
