// Owns how much text is as much as a word, and as a chunk may hold: blobs and long paths are one word to the eye and many to
// what embeds them.

/** Characters that count as one word; a longer word counts for several. */
const WORD_LENGTH = 16;

/** How many words a text counts for. Linear. */
export function weightOf(text: string): number {
  let weight = 0;
  for (const [word] of text.matchAll(/\S+/g)) weight += Math.ceil(word.length / WORD_LENGTH);
  return weight;
}

/** Cuts a text into pieces that count for `most` words at most, between words where it can. Together they are the text. */
export function splitByWeight(text: string, most: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let weight = 0;
  for (const word of shortWords(text, most * WORD_LENGTH)) {
    const own = weightOf(word);
    if (weight > 0 && weight + own > most) {
      pieces.push(piece);
      piece = "";
      weight = 0;
    }
    piece += word;
    weight += own;
  }
  if (piece !== "") pieces.push(piece);
  return pieces;
}

/** Bytes of UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/**
 * What a chunk's body may have, whatever counts for a word in it: with its headings before it, it stays within what a
 * vector store takes as one text (STORE_LIMITS of stores/vector-store.ts).
 */
const MAX_BODY_BYTES = 14_000;

/** The body, or the pieces of one that has more bytes than a chunk may have; cut between words where it can. */
export function splitByBytes(body: string): string[] {
  if (bytesOf(body) <= MAX_BODY_BYTES) return [body];
  const pieces: string[] = [];
  let piece = "";
  let bytes = 0;
  for (const [part] of body.matchAll(/\S{1,500}\s{0,500}|\s{1,500}/gu)) {
    const own = bytesOf(part);
    if (bytes + own > MAX_BODY_BYTES) {
      pieces.push(piece);
      piece = "";
      bytes = 0;
    }
    piece += part;
    bytes += own;
  }
  return [...pieces, piece].map((each) => each.trimEnd()).filter((each) => each !== "");
}

/** The end of a text that counts for `most` words at most, from the start of a word. */
export function lastWords(text: string, most: number): string {
  const words = [...text.matchAll(/\S+\s*/g)];
  let weight = 0;
  let start = text.length;
  for (const word of words.toReversed()) {
    weight += weightOf(word[0]);
    if (weight > most) break;
    start = word.index;
  }
  return text.slice(start);
}

/** Words with the blanks behind them; one that is longer than `length` in slices, never within a surrogate pair. */
function* shortWords(text: string, length: number): Generator<string> {
  for (const [word] of text.matchAll(/\S+\s*|\s+/g)) {
    for (let start = 0; start < word.length; ) {
      let end = Math.min(start + length, word.length);
      // The blanks behind a word weigh nothing, and stay with it.
      if (/^\s*$/.test(word.slice(end, end + 1))) end = word.length;
      if (/[\uD800-\uDBFF]/.test(word[end - 1] ?? "") && end < word.length) end -= 1;
      yield word.slice(start, end);
      start = end;
    }
  }
}
