// Replacement of many names in one pass: a trie of words, so that the time does not grow with the number of names.

const WORD = /[\p{L}\p{N}]+/gu;
/** Characters between two words of a name: `.`, `-`, `::`. */
const MAX_SEPARATOR = 3;
/** Words of one name. Longer ones would make the time grow with their length. */
const MAX_WORDS = 32;

interface Node {
  /** The name that ends here. */
  name?: string;
  readonly next: Map<string, Node>;
}

export interface NameIndex {
  /** Replaces each whole name by its replacement; the longest one first. Words end where letters and digits end. */
  replace(text: string, replacementOf: (name: string) => string): string;
}

/** @param names begin and end with a letter or a digit */
export function indexNames(names: Iterable<string>): NameIndex {
  const root: Node = { next: new Map() };
  for (const name of names) {
    const steps = stepsOf(name);
    if (steps.length > MAX_WORDS) continue;
    let node = root;
    for (const step of steps) {
      const child = node.next.get(step) ?? { next: new Map() };
      node.next.set(step, child);
      node = child;
    }
    if (node !== root) node.name = name;
  }
  return {
    replace(text, replacementOf) {
      if (root.next.size === 0) return text;
      const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
        word,
        start: index,
        end: index + word.length,
      }));
      const parts: string[] = [];
      let taken = 0;
      for (let i = 0; i < words.length; ) {
        const match = longestAt(root, text, words, i);
        const first = words[i];
        if (match === undefined || first === undefined) {
          i += 1;
          continue;
        }
        parts.push(text.slice(taken, first.start), replacementOf(match.name));
        taken = match.end;
        i = match.next;
      }
      return parts.join("") + text.slice(taken);
    },
  };
}

interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

function longestAt(root: Node, text: string, words: readonly Word[], start: number) {
  let best: { readonly name: string; readonly end: number; readonly next: number } | undefined;
  let node = root.next.get(words[start]?.word ?? "");
  for (let i = start; node !== undefined; i++) {
    const current = words[i];
    const following = words[i + 1];
    if (node.name !== undefined && current) best = { name: node.name, end: current.end, next: i + 1 };
    if (!current || !following || following.start - current.end > MAX_SEPARATOR) break;
    node = node.next.get(text.slice(current.end, following.end));
  }
  return best;
}

/** `db-1.prod` is `db`, `-1`, `.prod`. */
function stepsOf(name: string): string[] {
  const steps: string[] = [];
  let end = 0;
  for (const { 0: word, index } of name.matchAll(WORD)) {
    steps.push(steps.length === 0 ? word : name.slice(end, index + word.length));
    end = index + word.length;
  }
  return steps;
}
