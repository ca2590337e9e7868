// Redaction rules for national identity numbers. Forms with letters and check digits are certain. Forms of digits alone
// require the check digits and the separators of the country, or an announcing word.

import type { Rule } from "../rule.ts";
import { DOCUMENT_ANNOUNCED, ID_ANNOUNCED } from "./announcements.ts";
import {
  hasLuhnCheckDigit,
  hasMod1110CheckDigit,
  hasVerhoeffCheckDigit,
  remainder,
  weightedSum,
} from "./check-digits.ts";

const NAME = "NATIONAL_ID";
const S = "[ \\u00a0\\u2009\\u202f]";
const BEFORE = "(?<![\\w.+/@-])";
const AFTER = "(?![\\w@-]|[.:/]\\w)";

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

function compact(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, "").toUpperCase();
}

/** Whether these are the digits of a day: month 1 to 12, day 1 to 31. */
function isDay(month: string, day: string): boolean {
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
}

interface Form {
  readonly body: string;
  readonly hint: string;
  readonly source: string;
  readonly isValid: (number: string, before: string) => boolean;
}

function rule({ body, hint, source, isValid }: Form): Rule {
  return {
    name: NAME,
    pattern: new RegExp(`${BEFORE}(?:${body})${AFTER}`, "g"),
    source,
    hint,
    measure: (number, before) => (isValid(number, before) ? number.length : 0),
  };
}

const DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";
/** Units of sizes: 12345678K may be a size. */
const UNIT = /^\d+[KMGTPEBS]$/i;

function isSpanish(number: string, before: string): boolean {
  const id = compact(number);
  const digits = id.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
  if (DNI_LETTERS[Number(digits) % 23] !== id.at(-1)) return false;
  return !UNIT.test(number) || ID_ANNOUNCED.test(before);
}

const CODICE_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isItalian(number: string): boolean {
  const code = number.toUpperCase();
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const letter = code.charCodeAt(i);
    const value = letter < 58 ? letter - 48 : letter - 65;
    sum += i % 2 === 0 ? (CODICE_ODD[value] ?? 0) : value;
  }
  return (sum % 26) + 65 === code.charCodeAt(15);
}

function isFrench(number: string): boolean {
  const id = compact(number);
  const month = Number(id.slice(3, 5));
  if (!((month >= 1 && month <= 12) || (month >= 20 && month <= 42) || (month >= 50 && month <= 99))) return false;
  // Corsica: 2A counts as 19, 2B as 18.
  const digits = id.slice(0, 13).replace("2A", "19").replace("2B", "18");
  return 97 - remainder(digits, 97) === Number(id.slice(13));
}

const HETU_LETTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY";

function isFinnish(number: string): boolean {
  const id = number.toUpperCase();
  if (!isDay(id.slice(2, 4), id.slice(0, 2))) return false;
  return HETU_LETTERS[Number(id.slice(0, 6) + id.slice(7, 10)) % 31] === id.at(-1);
}

function isChinese(number: string): boolean {
  if (!/^(?:19|20)$/.test(number.slice(6, 8)) || !isDay(number.slice(10, 12), number.slice(12, 14))) return false;
  const sum = weightedSum(number, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
  return "10X98765432"[sum % 11] === number.slice(-1).toUpperCase();
}

function isBelgian(number: string): boolean {
  const digits = digitsOf(number);
  const check = Number(digits.slice(9));
  // Who is born from 2000 on has a 2 before the number.
  return [digits.slice(0, 9), `2${digits.slice(0, 9)}`].some((birth) => 97 - remainder(birth, 97) === check);
}

function isBrazilian(number: string): boolean {
  const digits = digitsOf(number);
  if (digits.length !== 11 || /^(\d)\1*$/.test(digits)) return false;
  const check = (length: number) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += Number(digits[i]) * (length + 1 - i);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

function isSwedish(number: string): boolean {
  const digits = digitsOf(number).slice(-10);
  const day = Number(digits.slice(4, 6));
  return isDay(digits.slice(2, 4), String(day > 60 ? day - 60 : day)) && hasLuhnCheckDigit(digits);
}

/** Recent dates begin the ids of batches and releases: 20261121-0003. */
function isSwedishBirth(number: string, before: string): boolean {
  if (!isSwedish(number)) return false;
  const year = Number(number.length > 11 ? number.slice(2, 4) : number.slice(0, 2));
  const isRecent = number.length > 11 ? number.startsWith("20") && year > 15 : year > 15 && year < 36;
  return !isRecent || ID_ANNOUNCED.test(before);
}

function isKorean(number: string): boolean {
  const digits = digitsOf(number);
  if (!isDay(digits.slice(2, 4), digits.slice(4, 6))) return false;
  const sum = weightedSum(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
  return (11 - (sum % 11)) % 10 === Number(digits[12]);
}

function isSwiss(number: string): boolean {
  const sum = weightedSum(digitsOf(number), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]);
  return sum % 10 === 0;
}

function isSingaporean(number: string): boolean {
  const sum = weightedSum(number.slice(1), [2, 7, 6, 5, 4, 3, 2]) + (/[TG]/.test(number) ? 4 : 0);
  return (/[ST]/.test(number[0] ?? "") ? "JZIHGFEDCBA" : "XWUTRQPNMLK")[sum % 11] === number.at(-1);
}

function isMexican(number: string): boolean {
  return isDay(number.slice(6, 8), number.slice(8, 10));
}

/** Forms that logs do not contain by chance. */
const CERTAIN_FORMS: readonly Form[] = [
  {
    body: `\\d{8}-?[A-HJ-NP-TV-Z]|\\d{2}\\.\\d{3}\\.\\d{3}-?[A-HJ-NP-TV-Z]|[XYZ]-?\\d{7}-?[A-HJ-NP-TV-Z]`,
    hint: "\\d\\d\\d-?[A-HJ-NP-TV-Z]",
    source: "ES DNI and NIE: letter by mod 23",
    isValid: isSpanish,
  },
  {
    body: "[A-Z]{6}\\d{2}[A-EHLMPRST]\\d{2}[A-Z]\\d{3}[A-Z]",
    hint: "\\d\\d[A-EHLMPRST]\\d\\d[A-Z]",
    source: "IT codice fiscale: check letter",
    isValid: isItalian,
  },
  {
    body: `[12]${S}\\d{2}${S}\\d{2}${S}(?:\\d{2}|2[AB])${S}\\d{3}${S}\\d{3}(?:${S}|-)\\d{2}|[12]\\d{4}2[AB]\\d{6}${S}?\\d{2}`,
    hint: "\\d(?:[ \\u00a0\\u2009\\u202f]\\d\\d[ \\u00a0\\u2009\\u202f]|\\d{4}2[AB])",
    source: "FR NIR: key by mod 97",
    isValid: isFrench,
  },
  {
    body: "\\d{6}[-+A-FU-Y]\\d{3}[0-9A-FHJ-NPR-Y]",
    hint: "\\d\\d{5}[-+A-FU-Y]\\d{3}",
    source: "FI henkilötunnus: day of birth, letter by mod 31",
    isValid: isFinnish,
  },
  {
    body: "[1-9]\\d{5}(?:19|20)\\d{9}[\\dXx]",
    hint: "\\d\\d{16}",
    source: "CN resident identity card: day of birth, ISO 7064 MOD 11-2",
    isValid: isChinese,
  },
  {
    body: "\\d{2}\\.[0-5]\\d\\.[0-3]\\d-\\d{3}\\.\\d{2}",
    hint: "\\d-\\d{3}\\.\\d",
    source: "BE national register number: check by mod 97",
    isValid: isBelgian,
  },
  {
    body: "\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}",
    hint: "\\d\\.\\d{3}-\\d",
    source: "BR CPF: two check digits",
    isValid: isBrazilian,
  },
  {
    body: "(?:19|20)?\\d{6}[-+]\\d{4}",
    hint: "\\d\\d{5}[-+]\\d{4}",
    source: "SE personnummer: day of birth, ISO/IEC 7812 check digit",
    isValid: isSwedishBirth,
  },
  {
    body: "\\d{6}-[1-8]\\d{6}",
    hint: "\\d-[1-8]\\d{6}",
    source: "KR resident registration number: day of birth, check digit",
    isValid: isKorean,
  },
  {
    body: `[2-9]\\d{3}(?<gap>${S})\\d{4}\\k<gap>\\d{4}(?!${S}\\d)`,
    hint: "\\d[ \\u00a0\\u2009\\u202f]\\d{4}[ \\u00a0\\u2009\\u202f]\\d{4}",
    source: "IN Aadhaar: Verhoeff check digit",
    isValid: (number, before) => hasVerhoeffCheckDigit(digitsOf(number)) && !/\d[ \t]?$/.test(before),
  },
  {
    body: "[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \\d{2} \\d{2} \\d{2} [A-D]",
    hint: "\\d \\d\\d \\d\\d [A-D]",
    source: "UK National Insurance number",
    isValid: (number) => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(number),
  },
  {
    body: "756\\.\\d{4}\\.\\d{4}\\.\\d{2}",
    hint: "\\d\\.\\d{4}\\.\\d{4}\\.",
    source: "CH AHV number: EAN-13 check digit",
    isValid: isSwiss,
  },
  {
    body: "[STFG]\\d{7}[A-Z]",
    hint: "\\d\\d{6}[A-Z]",
    source: "SG NRIC and FIN: check letter",
    isValid: isSingaporean,
  },
  {
    body: "[A-Z]{4}\\d{6}[HMX][A-Z]{5}[A-Z0-9]\\d",
    hint: "\\d\\d{5}[HMX][A-Z]{5}",
    source: "MX CURP: day of birth, sex, state",
    isValid: isMexican,
  },
];

export const CERTAIN_IDS: readonly Rule[] = CERTAIN_FORMS.map(rule);

const ANY = /^(?:\d{9}|\d{10}|\d{11}|\d{12}|\d{13}|\d{15}|\d{18})$/;

/** Whether digits have the check digits of a number that is written without separators. */
function hasNationalCheckDigits(digits: string): boolean {
  const { length } = digits;
  if (length === 9)
    return (
      (weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2]) - Number(digits[8])) % 11 === 0 || // NL BSN
      hasLuhnCheckDigit(digits) || // CA SIN
      weightedSum(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0 // AU TFN
    );
  if (length === 10) return isSwedish(digits) || weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0; // SE, UK NHS
  if (length === 11)
    return (
      weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0 || // PL PESEL
      hasMod1110CheckDigit(digits) || // DE tax id, HR OIB
      isBelgian(digits) ||
      isBrazilian(digits) ||
      weightedSum(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 // NO
    );
  if (length === 12) return hasVerhoeffCheckDigit(digits) || isSwedish(digits); // IN, SE
  if (length === 13) return isKorean(digits) || isSwiss(digits) || hasLuhnCheckDigit(digits); // KR, CH, ZA
  if (length === 15) return isFrench(digits);
  return length === 18 && isChinese(digits);
}

/** Names after which digits are an id, whatever the check digits say: mistyped ones are still personal. */
const NAMED =
  /(?:pesel|aadha?ar|personnummer|burgerservicenummer|codice fiscale|national insurance|social insurance|sécurité sociale|securite sociale|steuer|(?<!\p{L})(?:dni|bsn|cpf|nino|nhs|nric|hetu|tfn|cuit|cuil|rut|sin|nif|tckn|cpr|curp|oib|jmbg|cnp|egn|nino|svnr|insz|niss|amka|cnic|mykad)(?!\p{L})|kimlik|isikukood|teudat zehut|rodné číslo|asmens kodas|personas kods|c[eé]dula|personal identification|fødselsnummer|henkilötunnus|rijksregister|registre national|passport|身份证|주민|マイナンバー)[^\n]{0,30}$/iu;

export const ANNOUNCED_ID: Rule = {
  name: NAME,
  pattern: new RegExp(
    `(?<![\\w.+-])(?:[A-Z]{2}${S}?\\d{2}${S}?\\d{2}${S}?\\d{2}${S}?[A-D]|[A-Z]{0,5}\\d{1,18}(?:[ ./\\u00a0-]\\d{1,8}){0,6}[- ]?[A-Z]?)(?![\\w-]|[.:/]\\d)`,
    "g",
  ),
  source: "the ids above, and those of NL, PL, DE, NO, DK, CA, AU and ZA, after an announcing word",
  hint: "\\d",
  measure: (number, before) => {
    if (!ID_ANNOUNCED.test(before)) return 0;
    const id = compact(number);
    const isSized = /^[A-Z]{0,5}\d{6,18}[A-Z]?$/.test(id);
    return isSized && (NAMED.test(before) || /[A-Z]/.test(id) || (ANY.test(id) && hasNationalCheckDigits(id)))
      ? number.trimEnd().length
      : 0;
  },
};

export const ANNOUNCED_DOCUMENT: Rule = {
  name: NAME,
  pattern: /(?<![\w.+-])(?=(?:[A-Z]{0,8}\d){4})[A-Z0-9]{7,13}(?![\w-]|[.:/]\d)/g,
  source: "passports, driving licences, IN PAN, IE PPS: capital letters and digits after the name of the document",
  hint: "\\d",
  measure: (number, before) => (DOCUMENT_ANNOUNCED.test(before) ? number.length : 0),
};
