// Blocks of lines, shortened to a length that they share fairly. Whole sentences and lines are left out. Pure functions.

export interface Line {
  readonly label: string;
  readonly text: string;
  /** Lines with a lower number are kept first. */
  readonly rank: number;
  /** Parts that may be left out: the whole line, or its last sentences. `words` cuts a line of which nothing else fits. */
  readonly cut: "whole" | "sentences" | "words";
}

/** In the order of the text. Of the first line, at least the beginning is kept. */
export type Block = readonly Line[];

const SEPARATOR = "\n\n";
/** Characters without which a block says nothing. With less for each, the last blocks by importance are left out. */
const MIN_BLOCK_LENGTH = 24;
/** Characters of a line that is worth cutting between words. */
const MIN_CUT_LENGTH = 40;

/**
 * The blocks in their order, separated by empty lines, in at most `length` characters.
 * @param byImportance the order in which blocks are kept if there is no room for all
 */
export function fitBlocks(blocks: readonly Block[], length: number, byImportance = blocks): string {
  const max = Math.max(0, Math.floor((length + SEPARATOR.length) / (MIN_BLOCK_LENGTH + SEPARATOR.length)));
  const chosen = new Set(byImportance.slice(0, max));
  const kept = blocks.filter((block) => chosen.has(block));
  return fitAll(kept, length - SEPARATOR.length * Math.max(0, kept.length - 1)).join(SEPARATOR);
}

/** A sentence seldom ends where a share does, so the rest is shared again among the blocks that lost a part. */
function fitAll(blocks: readonly Block[], room: number): string[] {
  const lengths = blocks.map((block) => textOf(block).length);
  const shares = shareFairly(lengths, room);
  const texts = blocks.map((block, i) => fitBlock(block, shares[i] ?? 0));
  for (let isLonger = true; isLonger; ) {
    isLonger = false;
    const missing = texts.map((text, i) => (lengths[i] ?? 0) - text.length);
    const used = texts.reduce((sum, text) => sum + text.length, 0);
    const extra = shareFairly(missing, room - used);
    for (const [i, block] of blocks.entries()) {
      const before = texts[i]?.length ?? 0;
      const longer = (extra[i] ?? 0) === 0 ? "" : fitBlock(block, before + (extra[i] ?? 0));
      if (longer.length <= before) continue;
      texts[i] = longer;
      isLonger = true;
    }
  }
  return texts;
}

function fitBlock(block: Block, length: number): string {
  const whole = textOf(block);
  if (whole.length <= length) return whole;
  const [first, ...others] = block;
  if (first === undefined) return "";
  const ranked = others.toSorted((a, b) => a.rank - b.rank);
  const opening = clip(openingOf(first), length - reservedFor(ranked[0], length));
  const kept = new Map([[first, opening]]);
  let room = length - opening.length;
  for (const line of ranked) {
    const text = fitLine(line, room - 1);
    if (text === "") continue;
    kept.set(line, text);
    room -= text.length + 1;
  }
  if (opening === openingOf(first)) kept.set(first, fitLine(first, room + opening.length) || opening);
  return block.flatMap((line) => kept.get(line) ?? []).join("\n");
}

/** Characters for the most important other line, which is short, if they are less than half. */
function reservedFor(line: Line | undefined, length: number): number {
  const reserved = line === undefined ? 0 : openingOf(line).length + 1;
  return reserved < length / 2 ? reserved : 0;
}

/** The beginning of a line that fits; empty if none does. */
function fitLine({ label, text, cut }: Line, room: number): string {
  if (label.length + text.length <= room) return label + text;
  let fitting = "";
  for (const sentence of cut === "sentences" ? sentencesOf(text) : []) {
    const longer = fitting === "" ? label + sentence : `${fitting} ${sentence}`;
    if (longer.length > room) break;
    fitting = longer;
  }
  return fitting === "" && cut === "words" && room >= MIN_CUT_LENGTH ? clip(label + text, room) : fitting;
}

function openingOf({ label, text, cut }: Line): string {
  return label + (cut === "sentences" ? (sentencesOf(text)[0] ?? "") : text);
}

function textOf(block: Block): string {
  return block.map(({ label, text }) => label + text).join("\n");
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/);
}

/** Cuts to at most `length` UTF-16 units, between words where that keeps more than half, never within a character. */
function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, Math.max(0, length - 1));
  const space = cut.search(/\s\S*$/);
  const words = space > length / 2 ? cut.slice(0, space) : cut;
  return length < 1 ? "" : `${/[\uD800-\uDBFF]$/.test(words) ? words.slice(0, -1) : words.trimEnd()}…`;
}

/**
 * Shares `total` whole units among demands. No share exceeds its demand. Units that a small demand leaves go to the larger
 * ones, so every unmet demand gets as much as the largest share, less one unit at most.
 */
export function shareFairly(demands: readonly number[], total: number): number[] {
  const shares = demands.map(() => 0);
  const ascending = demands.map((demand, index) => ({ demand, index })).sort((a, b) => a.demand - b.demand);
  let rest = Math.max(0, Math.floor(total));
  for (const [rank, { demand, index }] of ascending.entries()) {
    const share = Math.min(demand, Math.floor(rest / (ascending.length - rank)));
    shares[index] = share;
    rest -= share;
  }
  return shares;
}
