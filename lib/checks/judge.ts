// Judges the result of a check by its rules. Missing, unusable and contradictory values are inconclusive: only a value decides.

import type { CheckDefinition, CheckRule, CheckVerdict } from "./check.ts";
import { type Condition, holdsForNumber, type Operator, parseCondition } from "./condition.ts";
import { type Measured, measure, sizeOf } from "./measured-values.ts";
import type { QueryResult } from "./scope/query.ts";

export interface Judgement {
  readonly verdict: Exclude<CheckVerdict, "not_run">;
  /** The meaning of the rule that holds; else the author's words and the reason. */
  readonly statement: string;
  /** The condition that holds, as the author wrote it. */
  readonly rule: string | null;
  /** The value that decided, or the nearest to it, with the labels of its series; null without a value. */
  readonly value: string | null;
}

/** What became of one rule. */
interface Outcome {
  readonly holds: boolean;
  readonly value: string | null;
  /** Why the rule could not hold for any value; null if it was compared. */
  readonly reason: string | null;
}

type Data = Exclude<QueryResult, { readonly kind: "too_large" }>;
type Judged = Pick<CheckDefinition, "confirms" | "refutes" | "otherwise">;

/** Judges a result by the rules of a check. */
export function judge(check: Judged, result: QueryResult): Judgement {
  if (result.kind === "too_large")
    return inconclusive(check, `The result is too large (${result.size}): ${result.hint}`);
  if (sizeOf(result).count === 0) return inconclusive(check, "The query returned no data.");
  const confirms = outcomeOf(check.confirms, result);
  const refutes = outcomeOf(check.refutes, result);
  const measured = confirms ?? refutes;
  if (confirms?.holds && refutes?.holds) {
    const values = [...new Set([confirms.value, refutes.value])].join(", ");
    return inconclusive(check, `Both rules hold: ${values}.`, confirms.value);
  }
  if (check.confirms && confirms?.holds) return decided("confirmed", check.confirms, confirms);
  if (check.refutes && refutes?.holds) return decided("refuted", check.refutes, refutes);
  const value = measured?.value ?? refutes?.value ?? null;
  const reason = confirms?.reason ?? refutes?.reason;
  if (reason !== null && reason !== undefined) return inconclusive(check, reason, value);
  const rules = confirms && refutes ? "Neither rule holds" : "The rule does not hold";
  return inconclusive(check, value === null ? `${rules}.` : `${rules}: ${value}.`, value);
}

function decided(verdict: "confirmed" | "refuted", { meaning, condition }: CheckRule, { value }: Outcome): Judgement {
  return { verdict, statement: meaning, rule: condition, value };
}

function inconclusive({ otherwise }: Judged, reason: string, value: string | null = null): Judgement {
  const words = otherwise === null ? "" : `${otherwise}${/[.!?…]$/.test(otherwise) ? "" : "."} `;
  return { verdict: "inconclusive", statement: `${words}${reason}`, rule: null, value };
}

function outcomeOf(rule: CheckRule | null, result: Data): Outcome | null {
  if (rule === null) return null;
  const parsed = parseCondition(rule.condition);
  if (!parsed.ok)
    return { holds: false, value: null, reason: `\`${rule.condition}\` cannot be read: ${parsed.message}` };
  const { condition } = parsed;
  return condition.quantifier === "count" ? countOutcome(result, condition) : valueOutcome(result, condition);
}

function countOutcome(result: Data, condition: Extract<Condition, { readonly quantifier: "count" }>): Outcome {
  const { count, noun } = sizeOf(result);
  const value = `${count} ${noun}`;
  const unusable = result.kind === "series" && result.series.some(({ points }) => !Number.isFinite(points.at(-1)?.[1]));
  return unusable
    ? { holds: false, value, reason: "A series has no finite value, so the number of series says nothing." }
    : { holds: holdsForNumber(count, condition), value, reason: null };
}

function valueOutcome(result: Data, condition: Exclude<Condition, { readonly quantifier: "count" }>): Outcome {
  const measured = measure(result, condition.field);
  if (!measured.ok) return { holds: false, value: null, reason: measured.reason };
  const { operator, quantifier } = condition;
  const compared = measured.values.map((each) => ({
    ...each,
    comparable: comparable(each.value, condition.value, result),
  }));
  const usable = compared.filter(({ comparable: value }) => value !== null);
  if (usable.length === 0) {
    const [first] = compared;
    const shown = first === undefined ? null : showMeasured(first);
    return { holds: false, value: shown, reason: unusableReason(shown, condition.value) };
  }
  const holding = usable.filter(({ comparable: value }) => holds(value, condition));
  const isComplete = usable.length === compared.length && measured.missing === 0;
  const allHold = isComplete && holding.length === usable.length;
  const deciding = extreme(holding.length > 0 && quantifier === "any" ? holding : usable, { operator, quantifier });
  const value = deciding === undefined ? null : showDeciding(deciding, condition);
  if (quantifier === "all" && !isComplete && holding.length === usable.length)
    return {
      holds: false,
      value,
      reason: `Not every result has a value that can be compared, so \`all\` does not hold: ${value}.`,
    };
  return { holds: quantifier === "any" ? holding.length > 0 : allHold, value, reason: null };
}

function unusableReason(shown: string | null, expected: Expected): string {
  if (shown === null) return "The query returned no value.";
  const kind = typeof expected === "number" ? "finite number" : typeof expected === "string" ? "text" : "truth value";
  return `The value is no ${kind}: ${shown}.`;
}

type Expected = number | string | boolean;
type Comparable = number | string | boolean;

/** The value in the type of the condition's; null if it does not fit. */
function comparable(actual: Measured["value"], expected: Expected, { kind }: Data): Comparable | null {
  if (typeof expected === "number") {
    const number = typeof actual === "string" ? numberOf(actual, kind === "objects") : actual;
    return typeof number === "number" && Number.isFinite(number) ? number : null;
  }
  if (typeof expected === "boolean") {
    if (typeof actual === "boolean") return actual;
    const text = typeof actual === "string" ? actual.toLowerCase() : "";
    return text === "true" ? true : text === "false" ? false : null;
  }
  return typeof actual === "string" ? actual : null;
}

const DECIMAL = /^[+-]?\d{1,40}(?:\.\d{1,40})?(?:e[+-]?\d{1,3})?$/i;
const QUANTITY = /^([+-]?\d{1,40}(?:\.\d{1,40})?)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)$/;
const QUANTITY_UNITS: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** A number that a source returns as text. Objects of a cluster have quantities, such as "512Mi" and "250m" (0.25). */
function numberOf(text: string, hasQuantities: boolean): number | null {
  if (DECIMAL.test(text)) return Number(text);
  const quantity = hasQuantities ? QUANTITY.exec(text) : null;
  return quantity ? Number(quantity[1]) * (QUANTITY_UNITS[quantity[2] ?? ""] ?? Number.NaN) : null;
}

function holds(
  value: Comparable | null,
  { operator, value: expected }: { operator: Operator; value: Expected },
): boolean {
  if (value === null) return false;
  if (typeof value === "number" && typeof expected === "number")
    return holdsForNumber(value, { operator, value: expected });
  return (value === expected) === (operator === "=");
}

type Compared = Measured & { readonly comparable: Comparable | null };

/** Of `any`, the value that goes farthest in the direction of the comparison; of `all`, the one that goes least far. */
function extreme(
  values: readonly Compared[],
  { operator, quantifier }: { operator: Operator; quantifier: "any" | "all" },
) {
  const [first, ...others] = values;
  if (first === undefined || operator === "=" || operator === "!=") return first;
  const wantsLargest = operator.startsWith(">") === (quantifier === "any");
  return others.reduce((best, each) => {
    const difference = Number(each.comparable) - Number(best.comparable);
    return (wantsLargest ? difference > 0 : difference < 0) ? each : best;
  }, first);
}

/** With as many digits as it takes to show on which side of the limit the value is. */
function showDeciding(deciding: Compared, condition: { operator: Operator; value: Expected }): string {
  const { comparable: number } = deciding;
  const { operator, value: limit } = condition;
  if (typeof number !== "number" || typeof limit !== "number" || typeof deciding.value !== "number")
    return showMeasured(deciding);
  return showMeasured({ ...deciding, value: showNumber(number, { operator, value: limit }) });
}

const DIGITS = 4;
const MAX_DIGITS = 17;
const MAX_LABELS = 3;
const MAX_LENGTH = 200;
const MAX_PART_LENGTH = 80;

/** The value with at most three labels, in at most 200 characters, on one line. */
function showMeasured({ value, labels }: Measured): string {
  const shown = typeof value === "number" ? showNumber(value) : short(String(value));
  const names = labels.slice(0, MAX_LABELS).map(([name, text]) => `${short(name)}=${short(text)}`);
  return truncated(names.length === 0 ? shown : `${shown} (${names.join(", ")})`, MAX_LENGTH);
}

/** A number with 4 significant digits; with more if a limit would else seem to be on its other side. */
function showNumber(value: number, limit?: { readonly operator: Operator; readonly value: number }): string {
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
