// Ways to split a text into pieces, for streams whose output must not depend on the split.

import fc from "fast-check";

export const pieceLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });

/** Splits the text into an empty piece and pieces of these lengths, repeated. */
export function cutInto(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [""];
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}
