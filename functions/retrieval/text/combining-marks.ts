// Owns what keeps normalisation linear: sorting the marks of one letter, which NFKC and NFD do, is quadratic in their
// number, and a hostile text may pile up a hundred thousand. No script piles up more than a few. Pure.

// The two half-width marks become such marks under NFKC.
const MARK_PILE = /([\p{M}\uFF9E\uFF9F]{8})[\p{M}\uFF9E\uFF9F]+/gu;

/** The text with eight combining marks on a letter at most. */
export function limitCombiningMarks(text: string): string {
  return text.replace(MARK_PILE, "$1");
}
