// Folds lines that differ only in their variable parts, with the number of their occurrences.
//
// As Drain does: lines of one length in words share a leaf, and a line joins the first group of its leaf of which most words
// are equal. The npm registry has no maintained typed package for this (the implementations are for Python), and the groups
// here come from an earlier pass over the log, so that one level of the tree, the number of words, is enough.

interface Foldable {
  readonly text: string;
  readonly line: number;
  /** Its last occurrence. */
  readonly last: number;
  readonly count: number;
  readonly weight: number;
}

interface Leaf<T> {
  readonly words: readonly string[];
  item: T;
}

/** Share of equal words of one template. */
const MIN_SIMILARITY = 0.75;
const MAX_WORDS = 60;
/** Groups that a line is compared with. */
const MAX_COMPARED = 40;

/** The heaviest line of each template, with the template's first and last occurrence, and the sum of the counts. */
export function foldTemplates<T extends Foldable>(lines: readonly T[]): T[] {
  const leaves = new Map<number, Leaf<T>[]>();
  for (const item of lines) {
    const words = wordsOf(item.text);
    const leaf = leaves.get(words.length) ?? [];
    leaves.set(words.length, leaf);
    const group = leaf.slice(-MAX_COMPARED).find((other) => isSimilar(words, other.words));
    if (group) group.item = merge(group.item, item);
    else leaf.push({ words, item });
  }
  return [...leaves.values()].flat().map(({ item }) => item);
}

function merge<T extends Foldable>(a: T, b: T): T {
  const heavier = b.weight > a.weight ? b : a;
  const first = heavier.weight > Math.min(a.weight, b.weight) ? heavier : a;
  return { ...first, last: Math.max(a.last, b.last), count: a.count + b.count };
}

/** Words with the variable ones masked: numbers, ids, quoted names. */
function wordsOf(text: string): string[] {
  const masked = text.slice(0, 1_000).replace(/(["'`])[^"'`\s]{1,200}\1/g, "$1<*>$1");
  return masked.split(/[\s=,;|]+/, MAX_WORDS).map((word) => (isVariable(word) ? "<*>" : word.toLowerCase()));
}

/** A word with digits; short codes such as "137" stay. */
function isVariable(word: string): boolean {
  return /\d/.test(word) && !/^[(["']?\d{1,3}[)\]"']?$/.test(word);
}

function isSimilar(a: readonly string[], b: readonly string[]): boolean {
  if (a.length < 4) return a.every((word, i) => word === b[i]);
  let equal = 0;
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) equal += 1;
  return equal / a.length >= MIN_SIMILARITY;
}
