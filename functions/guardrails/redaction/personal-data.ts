// Redaction rules for personal data. Logs are full of numbers, so each rule requires the separators or check digits of
// real data.

import { identifyingIpv6Length, isIdentifyingIpv4 } from "./ip-addresses.ts";
import type { Rule } from "./redaction-rule.ts";

// Endings of names after an @ that are not domains: systemd units, files, image variants.
const NOT_TOP_LEVEL =
  /\.(?:service|socket|timer|target|mount|automount|slice|scope|device|swap|path|container|png|jpe?g|gif|svg|webp|js|mjs|ts|tsx|json|ya?ml|css|md|log|tgz|gz|zip|py|go|rs|java|conf|cfg)$/i;

const VERSION_BEFORE =
  "(?<!\\b(?:version|ver\\.?|release|build|v|Chrome|Chromium|HeadlessChrome|Edge?|EdgA|OPR|Firefox|Safari|CriOS)[\"']?(?:[ \\t]{1,8}|[ \\t]{0,2}[:=/][ \\t]{0,2})[\"']?v?)";

export const EMAIL: Rule = {
  name: "EMAIL",
  pattern:
    /(?<![\p{L}\p{N}._%+'-]|:\/\/)(?!git@)[\p{L}\p{N}._%+'-]+(?:@|%40)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}(?:[A-Za-z]{2,24}|xn--[A-Za-z0-9-]{2,59})(?![A-Za-z0-9])/gu,
  source: "RFC 5321 mailbox; the domain must end in letters only",
  hint: "@|%40",
  measure: (address) => (NOT_TOP_LEVEL.test(address) ? 0 : address.length),
};

export const IP_RULES: readonly Rule[] = [
  {
    name: "IP",
    pattern: /(?<![\w:.])(?:[0-9A-Fa-f]{1,4})?(?::[0-9A-Fa-f]{0,4}){2,8}(?:(?<=:\d{1,3})(?:\.\d{1,3}){3})?(?![\w.])/g,
    source: "RFC 4291 §2.2",
    hint: "::|(?::[0-9A-Fa-f]{1,4}){5}",
    measure: identifyingIpv6Length,
  },
  {
    name: "IP",
    pattern: new RegExp(`(?<![\\w.])${VERSION_BEFORE}\\d{1,3}(?:\\.\\d{1,3}){3}(?!\\w|\\.\\d)`, "gi"),
    source: "RFC 791 dotted quad",
    hint: "\\d\\.\\d{1,3}\\.\\d",
    measure: (address) => (isIdentifyingIpv4(address) ? address.length : 0),
  },
];

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

/** Major card schemes by prefix and length (ISO/IEC 7812 issuer ranges); epochs and byte counts begin with other digits. */
const CARD_ISSUERS =
  /^(?:4\d{15}|4\d{18}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17})$/;

/** Whether digits, without separators, are a card number: a known issuer and a valid check digit (ISO/IEC 7812). */
function isCardNumber(digits: string): boolean {
  return CARD_ISSUERS.test(digits) && hasLuhnCheckDigit(digits);
}

function hasLuhnCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const value = i % 2 === 1 ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** The hints of the number rules in one pattern, with their common prefix in front, so that it is tried only at digits. */
export const NUMBER_HINT = String.raw`\d(?:\d{13}|-\d\d-\d|\d\d(?:\d[ -]\d{4}|[ .-]\d{4}))|\+\d`;

export const NUMBER_RULES: readonly Rule[] = [
  {
    name: "CC",
    pattern: /(?<![\w.+-])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{4,5}|\d{14,19})(?![\w]|[.-]\d)/g,
    source: "ISO/IEC 7812: 14 to 19 digits, plain or grouped as on the card",
    hint: "\\d{14}|\\d{4}[ -]\\d{4}",
    measure: (number) => (isCardNumber(digitsOf(number)) ? number.length : 0),
  },
  {
    name: "SSN",
    pattern: /(?<![\w.-])(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-]|\.\d)/g,
    source: "Social Security Administration: area, group and serial are never zero, area is neither 666 nor 9xx",
    hint: "\\d-\\d\\d-\\d",
  },
  {
    name: "PHONE",
    pattern: /(?<![\w.+-])\+[1-9](?:[ \u00a0.-]?\(?\d{1,5}\)?){1,8}(?!\w|[.:-]\d)/g,
    source: "ITU-T E.164 with the separators of E.123: at most 15 digits",
    hint: "\\+\\d",
    measure: (number) => {
      const { length } = digitsOf(number);
      return length >= 9 && length <= 15 ? number.length : 0;
    },
  },
  {
    name: "PHONE",
    pattern:
      /(?<![\w.+:/-])(?:1[ .-])?(?:\([2-9]\d\d\)[ \u00a0.-]?[2-9]\d\d[ .-]\d{4}|[2-9]\d\d([.-])[2-9]\d\d\1\d{4})(?![\w-]|[.:]\d)/g,
    source: "North American Numbering Plan: (415) 555-0100, 415-555-0100, 415.555.0100",
    hint: "\\d{3}[ .-]\\d{4}",
  },
];
