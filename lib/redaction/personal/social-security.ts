// Redaction rules for numbers of the Social Security Administration, and ITINs of the same form.

import type { Rule } from "../rules/rule.ts";
import { REFERENCE_ANNOUNCED, SSN_ANNOUNCED } from "./announcements.ts";

export const SSN: Rule = {
  name: "SSN",
  pattern:
    /(?<![\w.-])(?:(?!000|666)[0-8]\d\d|9\d\d(?=-(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])))-(?!00)\d\d-(?!0000)\d{4}(?![\w-]|\.\d)/g,
  // Social Security Administration: area, group and serial are never zero, area is not 666; 9xx is an ITIN
  hint: "\\d-\\d\\d-\\d",
  measure: (number, before) => (REFERENCE_ANNOUNCED.test(before) ? 0 : number.length),
};

const NAMED = /(?:ssn|ss#|social[ _-]?(?:security|insurance)?|itin|tin|tax[ _-]?payer)[^\n]{0,24}$/i;

export const ANNOUNCED_SSN: Rule = {
  name: "SSN",
  pattern:
    /(?<![\w.-]|\d[ \t])(?!000|666)\d{3}(?<gap>[ .\u00a0\u2009\u202f]?)(?!00)\d\d\k<gap>(?!0000)\d{4}(?![\w-]|[. ]\d)/g,
  // the same with blanks; without separators only after its name
  hint: "\\d",
  measure: (number, before) =>
    SSN_ANNOUNCED.test(before) && (number.length > 9 || NAMED.test(before)) ? number.length : 0,
};
