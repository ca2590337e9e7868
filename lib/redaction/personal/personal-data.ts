// Redaction rules for addresses of the network, cards and social security numbers, and the sets of all rules for personal
// data. Logs are full of numbers, so each rule requires the separators, the check digits or the announcement of real data.

import type { Rule } from "../rule.ts";
import { hidesPrivateAddresses } from "./address-policy.ts";
import { SSN_ANNOUNCED } from "./announcements.ts";
import { hasLuhnCheckDigit } from "./check-digits.ts";
import { IBAN } from "./iban.ts";
import { type AddressRange, ipv4Range, readIpv6 } from "./ip-addresses.ts";
import { ANNOUNCED_DOCUMENT, ANNOUNCED_ID, CERTAIN_IDS } from "./national-ids.ts";
import { ANNOUNCED_PHONE, PHONE_RULES } from "./phone-numbers.ts";
import { isVersion } from "./versions.ts";

function isHidden(range: AddressRange): boolean {
  return range === "public" || (range === "private" && hidesPrivateAddresses());
}

export const IP_RULES: readonly Rule[] = [
  {
    name: "IP",
    pattern: /(?<![\w:.])(?:[0-9A-Fa-f]{1,4})?(?::[0-9A-Fa-f]{0,4}){2,8}(?:(?<=:\d{1,3})(?:\.\d{1,3}){3})?(?![\w.])/g,
    source: "RFC 4291 §2.2",
    hint: "::|(?::[0-9A-Fa-f]{1,4}){5}",
    measure: (run) => {
      const { length, range } = readIpv6(run);
      return isHidden(range) ? length : 0;
    },
  },
  {
    name: "IP",
    pattern: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)/g,
    source: "RFC 791 dotted quad",
    hint: "\\d\\.\\d{1,3}\\.\\d",
    measure: (numbers, before, after) =>
      isHidden(ipv4Range(numbers)) && !isVersion(numbers, before, after) ? numbers.length : 0,
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

// Account numbers and ids have check digits, so they come before the phone numbers that a part of them may look like.
export const NUMBER_RULES: readonly Rule[] = [
  IBAN,
  ...CERTAIN_IDS,
  {
    name: "CC",
    pattern:
      /(?<![\w.+-])(?:\d{4}([ .\u00a0-])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ .\u00a0-])\d{6}\2\d{4,5}|\d{14,19})(?![\w]|[.-]\d)/g,
    source: "ISO/IEC 7812: 14 to 19 digits, plain or grouped as on the card",
    hint: "\\d(?:\\d{13}|[ .\\u00a0-]\\d{4})",
    measure: (number) => (isCardNumber(digitsOf(number)) ? number.length : 0),
  },
  {
    name: "SSN",
    pattern:
      /(?<![\w.-])(?:(?!000|666)[0-8]\d\d|9\d\d(?=-(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])))-(?!00)\d\d-(?!0000)\d{4}(?![\w-]|\.\d)/g,
    source: "Social Security Administration: area, group and serial are never zero, area is not 666; 9xx is an ITIN",
    hint: "\\d-\\d\\d-\\d",
  },
  ...PHONE_RULES,
];

const SSN_NAME = /(?:ssn|ss#|social[ _-]?(?:security|insurance)?|itin|tin|tax[ _-]?payer)[^\n]{0,24}$/i;

/** For numbers after an announcing word. */
export const ANNOUNCED_RULES: readonly Rule[] = [
  {
    name: "SSN",
    pattern:
      /(?<![\w.-]|\d[ \t])(?!000|666)\d{3}(?<gap>[ .\u00a0\u2009\u202f]?)(?!00)\d\d\k<gap>(?!0000)\d{4}(?![\w-]|[. ]\d)/g,
    source: "the same with blanks; without separators only after its name",
    hint: "\\d",
    measure: (number, before) => {
      if (!SSN_ANNOUNCED.test(before)) return 0;
      return number.length > 9 || SSN_NAME.test(before) ? number.length : 0;
    },
  },
  ANNOUNCED_ID,
  ANNOUNCED_DOCUMENT,
  ANNOUNCED_PHONE,
];
