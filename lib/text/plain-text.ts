// Removal of terminal sequences, control characters and excess combining marks. Pure functions, linear in the text.

/** ANSI escape sequences, such as the colours of a container's log. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const ANSI = /(?:\u001b\[|\u009b)[\d;:?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)/g;
/** All but line breaks and tabs. Postgres cannot store NUL; the others have no printable form. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches them.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g;
/** NFKC turns the two half-width marks into combining marks. */
const EXCESS_MARKS = /([\p{M}\uFF9E\uFF9F]{8})[\p{M}\uFF9E\uFF9F]+/gu;

/** Returns the text without ANSI sequences and control characters. */
export function plainText(text: string): string {
  return text.replace(ANSI, "").replace(CONTROL, "");
}

/**
 * Keeps at most eight combining marks on a letter; no script uses more. NFKC and NFD sort the marks of a letter in
 * quadratic time, so a hostile text with 100,000 marks on one letter would block the process.
 */
export function limitCombiningMarks(text: string): string {
  return text.replace(EXCESS_MARKS, "$1");
}
