// Measured values beside their limit or baseline: "p99 120 ms (limit 500 ms)", "error rate 0.02 %, baseline 0.02 %".

const NUMBER = String.raw`(\d{1,12}(?:[.,]\d{1,9})?)\s?(%|[a-zA-Z]{1,3}\b)?`;
const BETWEEN = String.raw`[\s,;("'|/]{0,8}`;
/** A value, the name of its bound, and the bound. */
const BOUNDED = new RegExp(
  String.raw`${NUMBER}${BETWEEN}(?:\w{1,12}[_ ])?(limit|threshold|max|maximum|slo|objective|goal|allowed|budget|quota|baseline|usual|usually|normal|normally|before)(?:_\w{1,6})?["']?(?: (?:is|was|of))?[\s:=]{0,3}${NUMBER}`,
  "gi",
);
/** A used share: "41% used", "used 41 %", "usage: 41%". */
const USED =
  /\b(\d{1,3})(?:\.\d{1,4})? ?% (?:used|full|in use|utili[sz]ed|of (?:capacity|quota|limit))\b|\b(?:usage|used|utili[sz]ation)\b["':= ]{1,4}(\d{1,3})(?:\.\d{1,4})? ?%|\s(\d{1,3})% +\/\S*$/gi;
/** A bound of these is the least, not the most. */
const FREE = /\b(?:free|avail\w*|min\w*|least|remaining)\b/i;
const MAX_READ_LENGTH = 400;

/** Below this share something is far from full, and from the second on it is nearly full. Percent. */
const LOW_USE = 80;
const HIGH_USE = 90;
/** A value above its baseline by this factor is no longer normal. */
const NORMAL_FACTOR = 1.5;

const FACTORS: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, sec: 1, m: 60, min: 60, h: 3_600 };
const SIZES: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4 };

/** Whether the values of a line are within their bounds ("good") or one is not ("bad"); null without bounds. */
export function readMeasuredValues(line: string): "good" | "bad" | null {
  const text = line.slice(0, MAX_READ_LENGTH);
  if (!/\d/.test(text) || FREE.test(text)) return null;
  let isGood = false;
  for (const [, digits = "", unit = "", bound = "", boundDigits = "", boundUnit = ""] of text.matchAll(BOUNDED)) {
    const value = amountOf(digits, unit || boundUnit);
    const limit = amountOf(boundDigits, boundUnit || unit);
    if (value === null || limit === null || value.kind !== limit.kind) continue;
    const isBaseline = /^(?:baseline|usual|normal|before)/i.test(bound);
    if (value.amount > limit.amount * (isBaseline ? NORMAL_FACTOR : 1)) return "bad";
    isGood = true;
  }
  for (const [, before, after, column] of text.matchAll(USED)) {
    const percent = Number(before ?? after ?? column);
    if (percent >= HIGH_USE) return "bad";
    if (percent < LOW_USE) isGood = true;
  }
  return isGood ? "good" : null;
}

function amountOf(digits: string, unit: string): { readonly amount: number; readonly kind: string } | null {
  const number = Number(digits.replace(",", digits.includes(".") || /,\d{3}$/.test(digits) ? "" : "."));
  if (!Number.isFinite(number)) return null;
  const lower = unit.toLowerCase();
  const size = /^([kmgt])i?b?$/i.exec(unit);
  if (size && unit.length > 1)
    return { amount: number * 1_024 ** (SIZES[size[1]?.toLowerCase() ?? ""] ?? 0), kind: "size" };
  const factor = FACTORS[lower];
  if (factor !== undefined) return { amount: number * factor, kind: "time" };
  return { amount: number, kind: lower === "%" ? "percent" : "number" };
}
