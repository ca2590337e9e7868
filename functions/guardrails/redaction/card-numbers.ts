// Owns the arithmetic of payment card numbers.

/** Major schemes by prefix and length (ISO/IEC 7812 issuer ranges); epochs and byte counts begin with other digits. */
const ISSUERS =
  /^(?:4\d{15}|4\d{18}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17})$/;

/** Whether digits, without separators, are a card number: a known issuer, and the check digit of ISO/IEC 7812 holds. */
export function isCardNumber(digits: string): boolean {
  return ISSUERS.test(digits) && luhn(digits);
}

function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const value = i % 2 === 1 ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
