// Owns how the overlap of two neighbouring chunks is found again: what chunk.ts repeats, a reader must not hear twice.

/** Fewer equal words than this are chance and no overlap, unless they are a whole list item. */
const LEAST_REPEATED_WORDS = 4;
const LIST_MARKER = /^(?:[-*+]|\d{1,3}[.)])$/;

/** The body of a chunk without what the chunk before it ends with, so that nothing is quoted twice or by half. */
export function withoutOverlap(body: string, before: string): string {
  const words = [...body.matchAll(/\S+\s*/g)];
  const ending = before.match(/\S+/g) ?? [];
  const isMarker = (i: number) => LIST_MARKER.test(words[i]?.[0].trimEnd() ?? "");
  for (let count = Math.min(words.length, ending.length); count > 0; count--) {
    const isWholeItem = count > 1 && isMarker(0) && isMarker(count);
    if (count < LEAST_REPEATED_WORDS && !isWholeItem) continue;
    const repeated = words.slice(0, count).map(([word]) => word.trimEnd());
    const isRepeated = repeated.every((word, i) => word === ending[ending.length - count + i]);
    // Half a fence taken away would turn prose into code.
    const fences = repeated.filter((word) => /^(?:`{3}|~{3})/.test(word)).length;
    if (isRepeated && fences % 2 === 0) return body.slice(words[count]?.index ?? body.length);
  }
  return body;
}
