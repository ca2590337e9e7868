// Fits a log of any length into a request: the start, the end and the error lines between them. Reads it as a stream, in
// bounded memory and linear time.

import { plainText } from "../text/plain-text.ts";
import { formatCount } from "./fold-lines.ts";
import { meansFailure } from "./weigh-line.ts";
import { WordScanner } from "./word-scanner.ts";

/** Characters of the log in a request. */
export const MAX_LOG_LENGTH = 500_000;
/** Bytes of the log as a JSON string: a request body has at most 1 MiB by default. */
const MAX_LOG_BYTES = 900_000;
const CHARACTERS_PER_BYTE = MAX_LOG_LENGTH / MAX_LOG_BYTES;

/** Shares of the length. */
const HEAD_SHARE = 0.3;
const TAIL_SHARE = 0.35;
const ERRORS_SHARE = 0.34;
/** Of a longer line the middle is left out, once the log is too long. The shares are of the log's length. */
const MAX_LINE_LENGTH = 8_000;
const LINE_SHARE = 1 / 8;
/** Shares of a line's length. The rest is for the marker between them. */
const LINE_HEAD_SHARE = 0.6;
const LINE_TAIL_SHARE = 0.25;
/** Lines kept before and after an error line. */
const CONTEXT_LINES = 2;
const MAX_BLOCK_LINES = 24;
/** Error lines that differ in numbers only: further ones add nothing. */
const MAX_REPEATS = 3;
const MAX_TEMPLATES = 20_000;
/** Characters of a line that are searched for failure words. */
const SCAN_LENGTH = 240;
/** Characters of a marker, at most. */
const MARKER_LENGTH = 48;

export interface FittedLog {
  /** Without terminal sequences and control characters. */
  readonly text: string;
  readonly lines: number;
  /** Lines replaced by markers such as "… [1,204 lines left out]". */
  readonly linesOmitted: number;
  /** Characters left out of the middle of long lines. */
  readonly charactersOmitted: number;
}

interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

interface Block {
  readonly lines: NumberedLine[];
  weight: number;
  cost: number;
}

/** Fits a text. One that fits is returned whole, without terminal sequences and control characters. */
export function fitLog(text: string, maxLength = MAX_LOG_LENGTH): FittedLog {
  const fitter = new LogFitter(maxLength);
  fitter.push(text);
  return fitter.result();
}

/** Takes a log in chunks of any length. */
export class LogFitter {
  readonly #maxLength: number;
  readonly #maxLineLength: number;
  /** The chunks of a log that still fits; null afterwards. */
  #whole: string[] | null = [];
  #wholeCost = 0;
  /** The start and the end of the unfinished line, and the characters between them. */
  #lineHead = "";
  #lineTail = "";
  #lineCut = 0;
  #lines = 0;
  #charactersOmitted = 0;
  readonly #head: NumberedLine[] = [];
  #headRoom: number;
  #isHeadFull = false;
  readonly #tail = new LineQueue();
  readonly #errors: ErrorBlocks;

  constructor(maxLength = MAX_LOG_LENGTH) {
    this.#maxLength = maxLength;
    this.#maxLineLength = Math.min(MAX_LINE_LENGTH, Math.floor(maxLength * LINE_SHARE));
    this.#headRoom = maxLength * HEAD_SHARE;
    this.#errors = new ErrorBlocks(maxLength * ERRORS_SHARE);
  }

  push(chunk: string): void {
    if (this.#whole === null) {
      this.#split(chunk);
      return;
    }
    this.#whole.push(chunk);
    this.#wholeCost += costOf(chunk);
    if (this.#wholeCost <= this.#maxLength) return;
    const chunks = this.#whole;
    this.#whole = null;
    for (const each of chunks) this.#split(each);
  }

  result(): FittedLog {
    if (this.#whole !== null) {
      const text = plainText(this.#whole.join("").toWellFormed());
      return { text, lines: countLines(text), linesOmitted: 0, charactersOmitted: 0 };
    }
    if (this.#lineHead !== "" || this.#lineTail !== "") this.#endLine();
    const kept = [...this.#head, ...this.#errors.lines(), ...this.#tail.lines()];
    const { text, linesOmitted } = joinLines(kept, this.#lines);
    return { text, lines: this.#lines, linesOmitted, charactersOmitted: this.#charactersOmitted };
  }

  #split(chunk: string): void {
    for (let start = 0; start < chunk.length; ) {
      const newline = chunk.indexOf("\n", start);
      this.#addToLine(chunk.slice(start, newline === -1 ? undefined : newline));
      if (newline === -1) return;
      this.#endLine();
      start = newline + 1;
    }
  }

  #addToLine(part: string): void {
    const room = this.#maxLineLength - this.#lineHead.length;
    this.#lineHead += part.slice(0, Math.max(0, room));
    if (part.length <= room) return;
    const tail = this.#lineTail + part.slice(Math.max(0, room));
    this.#lineTail = tail.slice(-Math.floor(this.#maxLineLength * LINE_TAIL_SHARE));
    this.#lineCut += tail.length - this.#lineTail.length;
  }

  #endLine(): void {
    this.#lines += 1;
    const line = { line: this.#lines, text: plainText(this.#wholeLine().replace(/\r$/, "").toWellFormed()) };
    this.#lineHead = "";
    this.#lineTail = "";
    this.#lineCut = 0;
    const cost = costOf(line.text) + 1;
    if (!this.#isHeadFull && cost <= this.#headRoom) {
      this.#headRoom -= cost;
      this.#head.push(line);
      return;
    }
    this.#isHeadFull = true;
    for (const earlier of this.#tail.push(line, cost, this.#maxLength * TAIL_SHARE)) this.#errors.add(earlier);
  }

  /** The finished line; of a long one the start, a marker and the end. */
  #wholeLine(): string {
    if (this.#lineTail === "") return this.#lineHead;
    const head = this.#lineHead.slice(0, Math.floor(this.#maxLineLength * LINE_HEAD_SHARE));
    const omitted = this.#lineHead.length - head.length + this.#lineCut;
    this.#charactersOmitted += omitted;
    return `${head}… [${formatCount(omitted, "character")} left out]${this.#lineTail}`;
  }
}

/** The last lines within a length. */
class LineQueue {
  #lines: (NumberedLine & { readonly cost: number })[] = [];
  #first = 0;
  #cost = 0;

  /** Adds a line, and returns the earlier lines that no longer fit. */
  push(line: NumberedLine, cost: number, maxCost: number): NumberedLine[] {
    this.#lines.push({ ...line, cost });
    this.#cost += cost;
    const dropped: NumberedLine[] = [];
    while (this.#cost > maxCost) {
      const oldest = this.#lines[this.#first];
      if (oldest === undefined) break;
      this.#cost -= oldest.cost;
      this.#first += 1;
      dropped.push(oldest);
    }
    // Removing the dropped lines one by one would be quadratic.
    if (this.#first > 1_000 && this.#first * 2 > this.#lines.length) {
      this.#lines = this.#lines.slice(this.#first);
      this.#first = 0;
    }
    return dropped;
  }

  lines(): readonly NumberedLine[] {
    return this.#lines.slice(this.#first);
  }
}

/** The heaviest error lines with the lines around them. */
class ErrorBlocks {
  readonly #maxCost: number;
  readonly #scanner = new WordScanner();
  readonly #repeats = new Map<number, number>();
  #blocks: Block[] = [];
  #cost = 0;
  #before: NumberedLine[] = [];
  /** Lines that the newest block still takes. */
  #after = 0;

  constructor(maxCost: number) {
    this.#maxCost = maxCost;
  }

  add(line: NumberedLine): void {
    const weight = this.#weigh(line.text);
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#after > 0 && last.lines.length < MAX_BLOCK_LINES) {
      this.#extend(last, line);
      last.weight = Math.max(last.weight, weight);
      this.#after = weight > 0 ? CONTEXT_LINES : this.#after - 1;
    } else if (weight > 0) {
      const block: Block = { lines: [], weight, cost: MARKER_LENGTH };
      this.#cost += MARKER_LENGTH;
      this.#blocks.push(block);
      for (const each of [...this.#before, line]) this.#extend(block, each);
      this.#before = [];
      this.#after = CONTEXT_LINES;
      if (this.#cost > 2 * this.#maxCost) this.#dropLightest();
    } else {
      this.#before.push(line);
      if (this.#before.length > CONTEXT_LINES) this.#before.shift();
    }
  }

  lines(): readonly NumberedLine[] {
    this.#dropLightest();
    return this.#blocks.flatMap(({ lines }) => lines);
  }

  #extend(block: Block, { line, text }: NumberedLine): void {
    const cost = costOf(text) + 1;
    // A copy: a slice would keep the whole chunk of the file in memory.
    block.lines.push({ line, text: text.split("").join("") });
    block.cost += cost;
    this.#cost += cost;
  }

  #weigh(line: string): number {
    const text = line.trimStart();
    this.#scanner.scan(text, 0, Math.min(text.length, SCAN_LENGTH));
    const { weight, template } = this.#scanner;
    if (weight === 0) return 0;
    const repeats = this.#repeats.get(template) ?? 0;
    if (repeats >= MAX_REPEATS) return 0;
    if (this.#repeats.size >= MAX_TEMPLATES) this.#repeats.clear();
    this.#repeats.set(template, repeats + 1);
    return meansFailure(text) ? weight : 0;
  }

  #dropLightest(): void {
    if (this.#cost <= this.#maxCost) return;
    const kept = new Set<Block>();
    let cost = 0;
    for (const block of this.#blocks.toSorted((a, b) => b.weight - a.weight)) {
      if (cost + block.cost > this.#maxCost) continue;
      cost += block.cost;
      kept.add(block);
    }
    this.#blocks = this.#blocks.filter((block) => kept.has(block));
    this.#cost = cost;
    this.#after = 0;
  }
}

/** Joins lines with a marker in each gap between their numbers. */
function joinLines(kept: readonly NumberedLine[], total: number) {
  const texts: string[] = [];
  let [last, linesOmitted] = [0, 0];
  const closeGap = (next: number) => {
    const gap = next - last - 1;
    if (gap > 0) texts.push(`… [${formatCount(gap, "line")} left out]`);
    linesOmitted += Math.max(0, gap);
  };
  for (const { line, text } of kept) {
    closeGap(line);
    texts.push(text);
    last = line;
  }
  closeGap(total + 1);
  return { text: texts.join("\n"), linesOmitted };
}

function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** The length of a text, or its share of the bytes of a JSON string if that is larger. */
function costOf(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32) bytes += code === 10 || code === 9 || code === 13 ? 2 : 6;
    else if (code < 128) bytes += code === 34 || code === 92 ? 2 : 1;
    else if (code < 0x800) bytes += 2;
    // A lone surrogate becomes a replacement character of three bytes; a pair has four.
    else bytes += 3;
  }
  return Math.max(text.length, bytes * CHARACTERS_PER_BYTE);
}
