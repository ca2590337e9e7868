// Redaction rules for phone numbers: international, in the national forms of a dozen countries, and announced.

import type { Rule } from "../rules/rule.ts";
import {
  CALL_ANNOUNCED,
  CALL_AT_ANNOUNCED,
  PHONE_ANNOUNCED,
  PHONE_MENTIONED,
  REFERENCE_ANNOUNCED,
} from "./announcements.ts";

const S = "[ \\u00a0\\u2009\\u202f]";
const H = "[-\\u2010-\\u2013]";
/** No digit, word or column of numbers before or after. */
const ALONE_BEFORE = `(?<![\\w.+:/@#${"\\u2010-\\u2013"}-]|[\\d%)]${S})`;
const ALONE_AFTER = `(?!\\w|[.:/${"\\u2010-\\u2013"}-]\\d|${S}\\d)`;

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

/**
 * National forms with the trunk prefix 0, by their groups: s is a blank or a hyphen. Three groups of three are left out:
 * they are columns of a table.
 */
const TRUNK_FORMS = [
  `0\\d{2,4}\\)?(?:${S}?/${S}?|${S}|${H})\\d{5,9}`, // DE, NL, IN, UK, IT: 030/12345678, 0171 2345678, 06-12345678
  `0\\d{1,4}\\)?(?:${S}?/${S}?|${S}|${H})\\d{3,4}(?:${S}|${H})\\d{4,5}`, // UK, DE, IT, AU, JP: 020 7946 0958, 03-1234-5678
  `0\\d{3,4}\\)?(?:${S}|${H})\\d{3}(?:${S}|${H})\\d{3}`, // UK, AU, JP: 07700 900 123, 0412 345 678, 0120-123-456
  `0\\d{2,3}\\)?(?:${S}?/${S}?|${S}|${H})\\d{3}(?:[ .-])\\d{2}(?:[ .-])\\d{2}`, // CH, DE: 044 668 18 00
  `0[1-9](?:(?<pair>[ .\\u00a0\\u2009\\u202f-])\\d{2})(?:\\k<pair>\\d{2}){3}`, // FR, NL: 06 12 34 56 78
  `0\\d(?:${S}|${H})\\d{8}`, // NL: 06 12345678
  `0\\d{2}${S}\\d{3}${S}\\d{4}`, // NL: 020 123 4567
].join("|");
const DATE = /^\(?0\d[ ./-]\d\d[ ./-](?:19|20)\d\d/;

const TRUNK: Rule = {
  name: "PHONE",
  pattern: new RegExp(`${ALONE_BEFORE}\\(?(?=0[1-9])(?:${TRUNK_FORMS})${ALONE_AFTER}`, "g"),
  // national forms of DE, FR, UK, IT, NL, IN, AU, JP and CH, which begin with 0
  hint: "\\d\\)?[ \\u00a0\\u2009\\u202f./\\u2010-\\u2013-]{1,3}\\d{2}",
  measure: (number, before) => {
    const { length } = digitsOf(number);
    const isPhone = length >= 9 && length <= 12 && !DATE.test(number) && !REFERENCE_ANNOUNCED.test(before);
    return isPhone ? number.length : 0;
  },
};

/**
 * Number of leading characters that are a phone number of `min` to 15 digits; 0 for none. Numbers of other columns may
 * follow it after a separator.
 */
function phoneLength(run: string, min: number): number {
  let digits = 0;
  let end = 0;
  for (const group of run.matchAll(/(?:^|(?<=\d|\)))[^\d]{0,24}\d+\)?/g)) {
    digits += digitsOf(group[0]).length;
    if (digits > 15) break;
    end = group.index + group[0].length;
  }
  return digitsOf(run.slice(0, end)).length >= min ? end : 0;
}

/** What a written phone number consists of. */
const RUN = "[\\d() \\u00a0\\u2009\\u202f./\\u2010-\\u2013-]";

const INTERNATIONAL: Rule = {
  name: "PHONE",
  pattern: new RegExp(`(?:(?<![\\w.+-])\\+|(?<![\\w.+]{2})%2B)${S}?\\(?[1-9]${RUN}{6,24}(?<=\\d)(?!\\w|[.:-]\\d)`, "g"),
  // ITU-T E.164 with the separators of E.123: at most 15 digits
  hint: "(?:\\+|%2B)[ \\u00a0]?\\(?\\d",
  measure: (run) => {
    const sign = run.startsWith("%") ? "%2B".length : 0;
    const number = phoneLength(run.slice(sign), 9);
    const length = number && number + sign;
    const digits = digitsOf(run.slice(sign, length));
    return digits.startsWith("1") && !/^1[2-9]\d\d[2-9]\d{6}$/.test(digits) ? 0 : length;
  },
};

/** 00 in place of the plus: 0049 30 123456. */
const DIALLED: Rule = {
  name: "PHONE",
  pattern: new RegExp(`${ALONE_BEFORE}00[1-9]\\d{0,2}(?:[ /-]\\(?\\d{1,8}\\)?){2,6}${ALONE_AFTER}`, "g"),
  // ITU-T E.123: international prefix 00
  hint: "\\d[ /-]\\(?\\d{1,8}\\)?[ /-]",
  measure: (number, before) => {
    const { length } = digitsOf(number);
    return length >= 11 && length <= 17 && !REFERENCE_ANNOUNCED.test(before) ? number.length : 0;
  },
};

const NORTH_AMERICAN: Rule = {
  name: "PHONE",
  pattern:
    /(?<![\w.+:/-])(?:1[ .-])?(?:\([2-9]\d\d\)[ \u00a0.-]?[2-9]\d\d[ .-]\d{4}|[2-9]\d\d([.-])[2-9]\d\d\1\d{4})(?![\w-]|[.:]\d)/g,
  // North American Numbering Plan: (415) 555-0100, 415-555-0100, 415.555.0100
  hint: "\\d[ .-]\\d{4}",
  measure: (number, before) => (REFERENCE_ANNOUNCED.test(before) ? 0 : number.length),
};

const BRAZILIAN: Rule = {
  name: "PHONE",
  pattern: new RegExp(
    `${ALONE_BEFORE}(?:\\([1-9]\\d\\)${S}?(?:9${S}?)?\\d{4}[- ]\\d{4}|[1-9]\\d${S}9\\d{4}-\\d{4})${ALONE_AFTER}`,
    "g",
  ),
  // Brazil: (11) 91234-5678, 11 91234-5678
  hint: "\\d[- ]\\d{4}",
  measure: (number, before) => (REFERENCE_ANNOUNCED.test(before) ? 0 : number.length),
};

export const PHONE_RULES: readonly Rule[] = [INTERNATIONAL, DIALLED, NORTH_AMERICAN, TRUNK, BRAZILIAN];

/** A date, a time or a position in the log of PostgreSQL (`0/3000148`) is no phone number. */
const TIME = /^[1-9]\d{0,2}\/\d|^\d\/\d|^\(?\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{4}|^\d\d:\d\d/;

/** `dial 192.0.2.0`, an address of a network. */
const ADDRESS = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})(?![\d.-])/;

/** Any number after an announcing word, for countries whose numbers have no prefix: ES, PL, IT, IN, US. */
export const ANNOUNCED_PHONE: Rule = {
  name: "PHONE",
  pattern: new RegExp(`(?<![\\w.-])\\+?\\(?\\d${RUN}{5,24}(?<=\\d)(?!\\w|[:.]\\d)`, "g"),
  // E.164: 7 to 15 digits
  hint: "\\d",
  measure: (run, before) => {
    if (TIME.test(run) || ADDRESS.test(run)) return 0;
    const length = phoneLength(run, 7);
    if (PHONE_ANNOUNCED.test(before) || CALL_AT_ANNOUNCED.test(before)) return length;
    const isGrouped = /\d[^\d]+\d/.test(run.slice(0, length));
    return isGrouped && (CALL_ANNOUNCED.test(before) || PHONE_MENTIONED.test(before)) ? length : 0;
  },
};
