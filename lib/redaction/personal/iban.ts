// Redaction rule for international bank account numbers: the length of the country and the check digits must hold.

import type { Rule } from "../rules/rule.ts";

/** Length of an account number by country; registry of ISO 13616. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 " +
    "FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 " +
    "LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 " +
    "RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const MIN_LENGTH = 15;
const SEPARATOR = /[ \u00a0\u2009\u202f-]/g;
/** Hyphens part all groups or none: `be90-120cc296bd7e` is the end of a UUID. */
const HYPHENATED = /^\w{4}(?:-\w{4})+(?:-\w{1,3})?$/;

export const IBAN: Rule = {
  name: "IBAN",
  pattern:
    /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00a0\u2009\u202f-]?[A-Za-z0-9]{4}){2,7}(?:[ \u00a0\u2009\u202f-]?[A-Za-z0-9]{1,4})?/g,
  // ISO 13616: country, two check digits, account; printed in groups of four
  hint: "\\d(?<=(?<![A-Za-z0-9])[A-Za-z]{2}\\d)\\d[ \\u00a0\\u2009\\u202f-]?[A-Za-z0-9]{4}",
  measure: ibanLength,
};

/** Number of leading characters that are an account number; words may follow it. */
function ibanLength(candidate: string): number {
  const size = LENGTHS.get(candidate.slice(0, 2).toUpperCase());
  if (size === undefined) return 0;
  let end = 0;
  for (let count = 0; end < candidate.length && count < size; end++) {
    if (/[A-Za-z0-9]/.test(candidate.charAt(end))) count += 1;
  }
  if (/^[A-Za-z0-9]/.test(candidate.slice(end))) return 0;
  const written = candidate.slice(0, end);
  if (written.includes("-") && !HYPHENATED.test(written)) return 0;
  const account = written.replace(SEPARATOR, "").toUpperCase();
  return account.length === size && size >= MIN_LENGTH && hasIbanCheckDigits(account) ? end : 0;
}

/** The check digits stand for the remainder 1, with letters as 10 to 35 and the first four characters at the end. */
function hasIbanCheckDigits(account: string): boolean {
  const digits = (account.slice(4) + account.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n === 1n;
}
