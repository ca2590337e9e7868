// The ways in which a model may read a line: as it is, without escapes, in Latin letters, with blanks in place of punctuation, and
// decoded. Pure functions, linear in the line.

import { latinSkeleton } from "./confusables.ts";
import { decodeEscapes, encodedTexts } from "./decode-escapes.ts";
import { foldCharacters } from "./fold-text.ts";
import { LINE } from "./scan-lines.ts";

/** Punctuation between two letters, and a new word that begins with a capital. */
const JOINED_WORDS =
  /(?<=\p{L})["'{}()[\]<>]{0,3}[-_.+*~/|,;:·•=&\\]{1,3}["'{}()[\]<>]{0,3}(?=\p{L})|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?:[})\]] ?[{([]|["'] ["'])(?=\p{L})|(?<=\p{L}) [-_+*~/|·•] (?=\p{L})/gu;
/** A line without one of these needs no reading with blanks between its words. */
const ORDER_WORDS =
  /ignor|disregard|forget|bypass|overrid|reveal|instruc|prompt|guideline|directive|obey|pretend|respond|anything|restrict|unfilter|uncensor|jailbr/i;
/** Each reading once, in folded form and with capitals; the first one is the text as it is. @param flags bits of `LINE` */
export function readingsOf(line: string, flags: number): string[] {
  const plain = foldCharacters(line);
  const readings = new Set([plain]);
  const decoded = flags & LINE.escaped ? foldCharacters(decodeEscapes(line)) : plain;
  readings.add(decoded);
  const latin = latinSkeleton(decoded);
  readings.add(latin);
  if (ORDER_WORDS.test(latin)) readings.add(latin.replace(JOINED_WORDS, " "));
  for (const text of encodedTexts(line)) readings.add(foldCharacters(text));
  return [...readings];
}
