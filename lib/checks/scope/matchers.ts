// Label matchers of a selector, in one form for the query languages that have them.

import { factsOf } from "./label-pattern.ts";
import { quote } from "./string-literal.ts";

export interface Matcher {
  readonly label: string;
  /** `=`, `!=`, `=~` or `!~` */
  readonly operator: string;
  /** The value of its literal; null if the literal is wrong. */
  readonly value: string | null;
}

/** Whether a series without this label fails the matcher. False in case of doubt. */
export function needsLabel({ operator, value }: Matcher): boolean {
  if (value === null) return false;
  if (operator === "=") return value !== "";
  if (operator === "!=") return value === "";
  return operator === "=~" && !factsOf(value).matchesEmpty;
}

/** Whether it selects by certain characters, so not by the presence of the label alone. */
export function isSpecific({ operator, value }: Matcher): boolean {
  if (value === null) return false;
  return operator === "=" ? value !== "" : operator === "=~" && factsOf(value).hasLiteral;
}

/** The value or no label at all. */
export function orMissing(label: string, value: string): Matcher {
  return { label, operator: "=~", value: `${value.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&")}|` };
}

/** A label name of the older form, which needs no quotes. Prometheus 3 allows any other in quotes. */
const PLAIN_LABEL = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `a="1",b=~"2|","my.label"="3"` */
export function writeMatchers(matchers: readonly Matcher[]): string {
  return matchers
    .map(({ label, operator, value }) => {
      const name = PLAIN_LABEL.test(label) ? label : quote(label);
      return `${name}${operator}${quote(value ?? "")}`;
    })
    .join(",");
}

/** Whether the new matchers are exactly the old ones and the inserted ones, in any order. */
export function isExtension(
  before: readonly Matcher[],
  after: readonly Matcher[],
  inserted: readonly Matcher[],
): boolean {
  const written = inserted.map((matcher) => ({ ...matcher, value: matcher.value?.toWellFormed() ?? null }));
  return keyOf([...before, ...written]) === keyOf(after);
}

function keyOf(matchers: readonly Matcher[]): string {
  const keys = matchers.map(({ label, operator, value }) => JSON.stringify([label, operator, value]));
  return JSON.stringify(keys.sort());
}
