// When an incident started, and the threshold of its alert, for its plot. Pure functions.

interface Started {
  readonly created_at: string;
  readonly alerts: { readonly latest: readonly { readonly starts_at: string | null }[] };
}

/** The earliest start of its alerts, else its report. @returns seconds since 1970 */
export function startOf({ created_at, alerts }: Started): number {
  const starts = alerts.latest.flatMap(({ starts_at }) => (starts_at === null ? [] : [Date.parse(starts_at)]));
  return Math.min(...(starts.length > 0 ? starts : [Date.parse(created_at)])) / 1_000;
}

/** What a comparison may hide in: matchers, ranges and texts. */
const HIDDEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\{[^{}]*\}|\[[^[\]]*\]/g;
const COMPARISON = /[<>]=?|[=!]=/g;
const AT_THE_END = /[<>]=?\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/i;
const SET_OPERATOR = /\b(?:and|or|unless)\b/i;

/** Such as 0.9 of `used_ratio > 0.9`. Null without one, and where several parts have their own. */
export function thresholdOf(expression: string | null): number | null {
  if (expression === null) return null;
  const bare = expression.replace(HIDDEN, "");
  if ((bare.match(COMPARISON) ?? []).length !== 1 || SET_OPERATOR.test(bare)) return null;
  const value = AT_THE_END.exec(bare)?.[1];
  return value === undefined ? null : Number(value);
}
