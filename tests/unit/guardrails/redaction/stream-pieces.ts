// Every way of cutting a text, for what has to give out the same however a text comes.

import fc from "fast-check";

export const pieceLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });

/** The text in pieces of these lengths, over and over; an empty piece first. */
export function cutInto(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [""];
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}
