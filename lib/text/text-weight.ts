// Text size in words and bytes, and splitting by it. A blob or a long path counts as several words, since an embedding
// model splits it into many tokens.

/** Characters that count as one word; a longer word counts for several. */
const WORD_LENGTH = 16;

/** Returns the weight of a text, in words. Linear. */
export function weightOf(text: string): number {
  let weight = 0;
  for (const [word] of text.matchAll(/\S+/g)) weight += Math.ceil(word.length / WORD_LENGTH);
  return weight;
}

/** Splits a text into pieces of at most `maxWeight` words, between words where possible. The pieces join to the text. */
export function splitByWeight(text: string, maxWeight: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let weight = 0;
  for (const word of shortWords(text, maxWeight * WORD_LENGTH)) {
    const wordWeight = weightOf(word);
    if (weight > 0 && weight + wordWeight > maxWeight) {
      pieces.push(piece);
      piece = "";
      weight = 0;
    }
    piece += word;
    weight += wordWeight;
  }
  if (piece !== "") pieces.push(piece);
  return pieces;
}

/** Returns the length of a text in bytes of UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Returns the beginning of a text, of at most so many bytes of UTF-8. Never ends within a character. */
export function firstBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength <= maxBytes) return text;
  // "stream" leaves the last character out if it is not whole.
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
}

/**
 * Limit of a chunk's body, whatever its weight. With the headings in front, a chunk stays within the limit of a vector
 * store for one text (STORE_LIMITS in adapters/vector-store.ts).
 */
export const MAX_BODY_BYTES = 14_000;

/** Splits a body that exceeds the byte limit of a chunk, between words where possible. */
export function splitByBytes(body: string): string[] {
  if (bytesOf(body) <= MAX_BODY_BYTES) return [body];
  const pieces: string[] = [];
  let piece = "";
  let bytes = 0;
  for (const [part] of body.matchAll(/\S{1,500}\s{0,500}|\s{1,500}/gu)) {
    const partBytes = bytesOf(part);
    if (bytes + partBytes > MAX_BODY_BYTES) {
      pieces.push(piece);
      piece = "";
      bytes = 0;
    }
    piece += part;
    bytes += partBytes;
  }
  return [...pieces, piece].map((text) => text.trimEnd()).filter((text) => text !== "");
}

/** Returns the end of a text with a weight of at most `maxWeight` words, from the start of a word. */
export function lastWords(text: string, maxWeight: number): string {
  const words = [...text.matchAll(/\S+\s*/g)];
  let weight = 0;
  let start = text.length;
  for (const word of words.toReversed()) {
    weight += weightOf(word[0]);
    if (weight > maxWeight) break;
    start = word.index;
  }
  return text.slice(start);
}

/** Yields words with the whitespace after them. Slices a word longer than `length`, never within a surrogate pair. */
function* shortWords(text: string, length: number): Generator<string> {
  for (const [word] of text.matchAll(/\S+\s*|\s+/g)) {
    for (let start = 0; start < word.length; ) {
      let end = Math.min(start + length, word.length);
      // Whitespace after a word has no weight and stays with it.
      if (/^\s*$/.test(word.slice(end, end + 1))) end = word.length;
      if (/[\uD800-\uDBFF]/.test(word[end - 1] ?? "") && end < word.length) end -= 1;
      yield word.slice(start, end);
      start = end;
    }
  }
}
