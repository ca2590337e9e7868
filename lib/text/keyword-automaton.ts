// Search for many keywords at once, in one pass over the text (Aho and Corasick, 1975). Letters match in both cases.

export interface KeywordAutomaton {
  /** Class of each UTF-16 code unit; characters of no keyword share class 0. */
  readonly classes: Uint8Array;
  /** `next[state + class]` is the next state. States are multiples of the number of classes; the first is 0. */
  readonly next: Int32Array;
  /** `output[state]`: the joined bits of all keywords that end in this state. */
  readonly output: Uint16Array;
}

/**
 * @param keywords lower case, each with the bits that `output` has where it ends
 * @param join what `output` has where two keywords end
 */
export function createKeywordAutomaton(
  keywords: Iterable<readonly [keyword: string, bits: number]>,
  join: (one: number, other: number) => number = (one, other) => one | other,
): KeywordAutomaton {
  const entries = [...keywords];
  const { classes, width } = classesOf(entries.map(([keyword]) => keyword).join(""));
  const children: Map<number, number>[] = [new Map()];
  const bits: number[] = [0];
  for (const [keyword, value] of entries) {
    let node = 0;
    for (let i = 0; i < keyword.length; i++) {
      const character = classes[keyword.charCodeAt(i)] ?? 0;
      let child = children[node]?.get(character);
      if (child === undefined) {
        child = children.push(new Map()) - 1;
        bits.push(0);
        children[node]?.set(character, child);
      }
      node = child;
    }
    bits[node] = join(bits[node] ?? 0, value);
  }
  const next = new Int32Array(children.length * width);
  const output = new Uint16Array(children.length * width);
  // Breadth first: the state to fall back to is shorter, so its row is complete.
  const fallback = new Int32Array(children.length);
  const queue = [0];
  for (const node of queue) {
    const row = node * width;
    const fallbackRow = (fallback[node] ?? 0) * width;
    output[row] = node === 0 ? 0 : join(bits[node] ?? 0, output[fallbackRow] ?? 0);
    if (node !== 0) next.copyWithin(row, fallbackRow, fallbackRow + width);
    for (const [character, child] of children[node] ?? []) {
      fallback[child] = node === 0 ? 0 : (next[fallbackRow + character] ?? 0) / width;
      next[row + character] = child * width;
      queue.push(child);
    }
  }
  return { classes, next, output };
}

function classesOf(letters: string): { classes: Uint8Array; width: number } {
  const classes = new Uint8Array(0x10000);
  let width = 1;
  for (const letter of new Set(letters)) {
    classes[letter.charCodeAt(0)] = width;
    const upper = letter.toUpperCase();
    if (upper.length === 1) classes[upper.charCodeAt(0)] = width;
    width += 1;
  }
  return { classes, width };
}

/**
 * Makes a function that finds which of the sets of words have a word in a text, in one pass: its array has 1 for each of them.
 * The array is valid until the next call.
 * @param sets words in lower case
 */
export function createSetFinder(sets: readonly (readonly string[])[]): (text: string) => Uint8Array {
  // A value of the automaton stands for a list of sets.
  const lists: (readonly number[])[] = [[]];
  const numberOf = (list: readonly number[]) => lists.push(list) - 1;
  const { classes, next, output } = createKeywordAutomaton(
    sets.flatMap((words, set) => words.map((word) => [word, numberOf([set])] as const)),
    (one, other) => (one && other ? numberOf([...(lists[one] ?? []), ...(lists[other] ?? [])]) : one || other),
  );
  const hits = new Uint8Array(sets.length);
  return (text) => {
    hits.fill(0);
    for (let i = 0, state = 0; i < text.length; i++) {
      state = next[state + (classes[text.charCodeAt(i)] ?? 0)] ?? 0;
      const list = output[state] ?? 0;
      if (list !== 0) for (const set of lists[list] ?? []) hits[set] = 1;
    }
    return hits;
  };
}
