// Check digits of account, card and national numbers. Pure functions on digits without separators.

/** ISO/IEC 7812: cards, Swedish and Canadian personal numbers. */
export function hasLuhnCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const value = i % 2 === 1 ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** Remainder of a number of any length, taken digit by digit. */
export function remainder(digits: string, divisor: number): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % divisor;
  return rest;
}

/** Sum of the digits times their weights; digits without a weight do not count. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, i) => sum + weight * Number(digits[i] ?? 0), 0);
}

/** ISO 7064 MOD 11,10: German tax ids. */
export function hasMod1110CheckDigit(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits.at(-1));
}

const DIHEDRAL = [
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
];
const PERMUTATIONS = [
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
];

/** Verhoeff's scheme: Indian Aadhaar numbers. */
export function hasVerhoeffCheckDigit(digits: string): boolean {
  let check = 0;
  [...digits].reverse().forEach((digit, i) => {
    const permuted = Number(PERMUTATIONS[i % 8]?.[Number(digit)]);
    check = Number(DIHEDRAL[check]?.[permuted]);
  });
  return check === 0;
}
