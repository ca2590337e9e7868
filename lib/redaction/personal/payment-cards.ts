// Redaction rule for numbers of payment cards: a known issuer and a valid check digit.

import type { Rule } from "../rules/rule.ts";
import { REFERENCE_ANNOUNCED } from "./announcements.ts";

export const CARD: Rule = {
  name: "CC",
  pattern:
    /(?:(?<![\w.+-])|(?<=%B))(?:\d{4}([ .\u00a0-])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ .\u00a0-])\d{6}\2\d{4,5}|\d{14,19})(?![\w]|[.-]\d)/g,
  // ISO/IEC 7812: 14 to 19 digits, plain or grouped as on the card
  hint: "\\d(?:\\d{13}|[ .\\u00a0-]\\d{4})",
  measure: (number, before) => {
    const digits = number.replace(/\D/g, "");
    if (digits === number && REFERENCE_ANNOUNCED.test(before)) return 0;
    return ISSUERS.test(digits) && hasLuhnCheckDigit(digits) ? number.length : 0;
  },
};

/** Major card schemes by prefix and length (ISO/IEC 7812 issuer ranges); epochs and byte counts begin with other digits. */
const ISSUERS =
  /^(?:4\d{15}|4\d{18}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17}|220[0-4]\d{12}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{10,15}|(?:60|81|82)\d{14})$/;

function hasLuhnCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.at(-1 - i));
    const value = i % 2 === 1 ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
