// Redaction of private keys, the only secret of many lines: PEM and OpenPGP armour, PuTTY files, and base64 of such a key
// or of its DER form, wrapped or not. Certificates and public keys stay. A block goes on only while its lines look like
// base64 or armour headers, so a first line in a log cannot hide the lines after it.

import { type Counts, marker } from "../rules/redaction-rule.ts";
import { isPrivateKeyBase64 } from "./private-key-base64.ts";
import { type BodyLine, inlineBodyLength, readBodyLine } from "./private-key-lines.ts";

export interface BlockFilter {
  /** Takes the next piece and returns the filtered part of the text, which may be empty. */
  push(chunk: string): string;
  /** Returns the rest. */
  end(): string;
}

const NAME = "PRIVATE_KEY";
const MAX_BLOCK_LINES = 200;
const MAX_BLOCK_LENGTH = 16_384;
/** Characters of a line before and after the first line of a block, as loggers add them. */
const MAX_FRAME_LENGTH = 240;
/** Armour headers, blank and short lines that wait for the next line to decide. */
const MAX_UNDECIDED_LINES = 8;

/** RFC 7468, OpenSSH, OpenPGP and PuTTY; or base64 that may be a key. */
const HEAD =
  /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: \d{1,3}(?!\d)|(?<![A-Za-z0-9+/])(?:LS0tLS1CRUdJTi|b3BlbnNzaC1rZXktdjE|M(?:I[IGH]|HcC|HQC|C4C))[A-Za-z0-9+/]{21,16384}={0,2}/g;
const BASE64_HEADS = ["LS0tLS1CRUdJTi", "b3BlbnNzaC1rZXktdjE", "MII", "MIG", "MIH", "MHcC", "MHQC", "MC4C"];
/** The beginning of an armour's head at the end of a piece. */
const UNFINISHED_ARMOUR =
  /-{1,4}$|-----(?:B(?:E(?:G(?:I(?:N(?: [A-Z0-9 ]{0,50}-{0,4})?)?)?)?)?)?$|P(?:r(?:i(?:v(?:a(?:t(?:e(?:-(?:L(?:i(?:n(?:e(?:s(?::(?: \d{0,3})?)?)?)?)?)?)?)?)?)?)?)?)?)?$/;
/** Characters. Heads of armour are shorter. */
const MAX_ARMOUR_LENGTH = 80;
/** Characters. The pattern of heads ends base64 before that. */
const MAX_RUN_LENGTH = 16_420;

/** Characters of a line of wrapped base64: 64 in PEM, 76 in MIME. */
const MAX_WRAPPED_LENGTH = 128;

interface Block {
  /** The text before the head in its line, and after it. */
  readonly before: string;
  readonly after: string;
  /** Text that is returned when the block turns out to be none. */
  undecided: string;
  undecidedLines: number;
  /** Whether key material followed the head, and the marker was returned. */
  isKey: boolean;
  /** Characters of base64. */
  bodyLength: number;
  lines: number;
  length: number;
}

/** Holds back an unfinished first line, and then what the next line decides. */
export function createBlockFilter(counts: Counts): BlockFilter {
  return new PrivateKeyFilter(counts);
}

class PrivateKeyFilter implements BlockFilter {
  readonly #counts: Counts;
  #pending = "";
  /** The end of the text that was returned, up to its last line break. */
  #line = "";
  #block: Block | undefined;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  push(chunk: string): string {
    this.#pending += chunk;
    return this.#take(false);
  }

  end(): string {
    return this.#take(true);
  }

  #take(isEnd: boolean): string {
    const out: string[] = [];
    const text = this.#pending;
    let at = 0;
    for (;;) {
      const next: number = this.#block ? this.#readBlock(text, at, isEnd, out) : this.#findHead(text, at, isEnd, out);
      if (next === -1) break;
      at = next;
    }
    this.#pending = text.slice(this.#position);
    if (isEnd && this.#block) {
      const { isKey, undecided, undecidedLines } = this.#block;
      out.push(isKey && undecidedLines > 0 ? "" : undecided);
      this.#block = undefined;
    }
    return out.join("");
  }

  /** Where the text begins that is held back, when a step returns −1. */
  #position = 0;

  #wait(position: number): -1 {
    this.#position = position;
    return -1;
  }

  #emit(text: string, out: string[]): void {
    if (text === "") return;
    out.push(text);
    const start = text.lastIndexOf("\n") + 1;
    this.#line = ((start === 0 ? this.#line : "") + text.slice(start)).slice(-MAX_FRAME_LENGTH - 1);
  }

  /** Returns the text up to the next head and opens a block there. */
  #findHead(text: string, from: number, isEnd: boolean, out: string[]): number {
    HEAD.lastIndex = from;
    const match = HEAD.exec(text);
    if (!match) {
      const open = isEnd ? 0 : unfinishedHeadLength(text, from);
      this.#emit(text.slice(from, text.length - open), out);
      return this.#wait(text.length - open);
    }
    const head = match[0];
    const end = match.index + head.length;
    const isArmour = head.startsWith("-") || head.startsWith("P");
    this.#emit(text.slice(from, match.index), out);
    const isOpen = !isArmour && (end === text.length || text.slice(end) === "\r") && head.length < MAX_RUN_LENGTH;
    if (isOpen && !isEnd) return this.#wait(match.index);
    if (!isArmour) return this.#openBase64(head, text, end, out);
    const inline = inlineBodyLength(text, end, MAX_BLOCK_LENGTH);
    if (!isEnd && inline.isOpen) return this.#wait(match.index);
    if (inline.length > 0) {
      this.#mark(out);
      return end + inline.length;
    }
    const lineEnd = text.slice(end, end + MAX_FRAME_LENGTH).indexOf("\n");
    if (lineEnd === -1) {
      if (!isEnd && text.length - end < MAX_FRAME_LENGTH) return this.#wait(match.index);
      this.#emit(head, out);
      return end;
    }
    const after = text.slice(end, end + lineEnd);
    const before = this.#line.length > MAX_FRAME_LENGTH ? "" : this.#line;
    this.#open({ before, after, undecided: `${head}${after}\n`, isKey: false, bodyLength: 0 });
    return end + lineEnd + 1;
  }

  #openBase64(run: string, text: string, end: number, out: string[]): number {
    const previous = end === run.length ? this.#line.charCodeAt(this.#line.length - 1) : 0;
    if (isBase64(previous) || !isPrivateKeyBase64(run)) {
      this.#emit(run, out);
      return end;
    }
    const before = this.#line.length > MAX_FRAME_LENGTH ? "" : this.#line;
    this.#mark(out);
    const newline = /^\r?\n/.exec(text.slice(end, end + 2))?.[0];
    // A run that is padded, or followed by more of the line, is complete.
    if (newline === undefined || run.endsWith("=") || run.length > MAX_WRAPPED_LENGTH) return end;
    this.#open({ before, after: "", undecided: newline, isKey: true, bodyLength: run.length });
    return end + newline.length;
  }

  #open(start: Pick<Block, "before" | "after" | "undecided" | "isKey" | "bodyLength">): void {
    this.#block = { ...start, undecidedLines: 0, lines: 0, length: 0 };
  }

  #mark(out: string[]): void {
    this.#emit(marker(NAME), out);
    this.#counts[NAME] = (this.#counts[NAME] ?? 0) + 1;
  }

  /** Reads one line of the block. Returns −1 until it is complete. */
  #readBlock(text: string, from: number, isEnd: boolean, out: string[]): number {
    const block = this.#block;
    if (!block) return from;
    const newline = text.indexOf("\n", from);
    const end = newline === -1 ? text.length : newline + 1;
    if (newline === -1 && text.length - from < MAX_BLOCK_LENGTH && (!isEnd || from === text.length))
      return this.#wait(from);
    block.lines += 1;
    block.length += end - from;
    if (block.lines > MAX_BLOCK_LINES || block.length >= MAX_BLOCK_LENGTH) return this.#close(from, out);
    const line = readBodyLine(text.slice(from, end), block);
    return this.#decide(line, text, from, end, isEnd && newline === -1, out);
  }

  #decide(line: BodyLine, text: string, from: number, end: number, isLast: boolean, out: string[]): number {
    const block = this.#block;
    if (!block) return from;
    if (line.kind === "foot") {
      if (!block.isKey) return this.#close(from, out);
      this.#block = undefined;
      return from + line.length;
    }
    if (line.kind === "body" || line.kind === "cut") {
      if (!block.isKey) this.#mark(out);
      block.isKey = true;
      block.bodyLength += line.bodyLength;
      block.undecided = "";
      block.undecidedLines = 0;
      if (line.kind === "body") {
        block.undecided = line.end;
        return end;
      }
      this.#block = undefined;
      return from + line.length;
    }
    const isLastOfBody =
      line.kind === "short" && block.isKey && (isLast || (block.bodyLength + line.bodyLength) % 4 === 0);
    if (isLastOfBody) {
      block.bodyLength += line.bodyLength;
      block.undecided = line.end;
      return end;
    }
    const mayFollow = line.kind === "header" ? !block.isKey : line.kind === "blank" || line.kind === "short";
    block.undecidedLines += 1;
    if (!mayFollow || block.undecidedLines > MAX_UNDECIDED_LINES) return this.#close(from, out);
    block.undecided += text.slice(from, end);
    return end;
  }

  /** Ends the block before `from` and returns what is undecided. */
  #close(from: number, out: string[]): number {
    this.#emit(this.#block?.undecided ?? "", out);
    this.#block = undefined;
    return from;
  }
}

/** Number of characters at the end of `text` that may be the beginning of a head. */
function unfinishedHeadLength(text: string, from: number): number {
  const tail = text.slice(Math.max(from, text.length - MAX_ARMOUR_LENGTH));
  const armour = UNFINISHED_ARMOUR.exec(tail);
  if (armour) return tail.length - armour.index;
  let end = text.length;
  while (end > from && text.length - end < 2 && text.charCodeAt(end - 1) === EQUALS) end -= 1;
  let start = end;
  while (start > from && end - start < MAX_RUN_LENGTH && isBase64(text.charCodeAt(start - 1))) start -= 1;
  const run = text.slice(start, start + 20);
  const mayBegin = run !== "" && BASE64_HEADS.some((head) => head.startsWith(run) || run.startsWith(head));
  return mayBegin ? text.length - start : 0;
}

const EQUALS = 61;

function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 43 ||
    code === 47
  );
}
