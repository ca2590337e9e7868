// Redaction of private keys, the only secret of many lines: PEM and OpenPGP armour, PuTTY files, and base64 of such a key
// or of its DER form, wrapped or not. Certificates and public keys stay. A block goes on only while its lines look like
// base64, so a first line in a log cannot hide the lines after it.

import { type Counts, lastLine, marker } from "./rules/rule.ts";

const NAME = "PRIVATE_KEY";
/** Characters of a block. A longer one ends there. */
const MAX_LENGTH = 16_384;
/** Characters before and after the first line of a block that its other lines repeat, as loggers add them. */
const MAX_FRAME_LENGTH = 240;
/** Lines without key material that wait for the next line to decide. */
const MAX_HELD_LINES = 8;
/** Characters of base64 that cannot be a word, and those that may stand before other text in a line. */
const MIN_RUN = 20;
const MIN_CUT_RUN = 40;

/** Beginnings in base64 of armour, of OpenSSH's format, and of DER. */
const BASE64_HEADS = ["LS0tLS1CRUdJTi", "b3BlbnNzaC1rZXktdjE", "MII", "MIG", "MIH", "MHcC", "MHQC", "MC4C"];
const NO_BASE64_BEFORE = "(?<![A-Za-z0-9+/])";
const HEAD = new RegExp(
  `-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: \\d{1,3}(?=\\D)|${NO_BASE64_BEFORE}(?:${BASE64_HEADS.join("|")})[A-Za-z0-9+/]{21}`,
  "g",
);
/** A head that the next piece of a stream may complete. */
const UNFINISHED_HEAD = new RegExp(
  `(?:${beginningOf("-----BEGIN ", "[A-Z0-9 ]{0,47}-{0,4}")}|${beginningOf("Private-Lines: ", "\\d{0,3}")}|${NO_BASE64_BEFORE}(?:${BASE64_HEADS.map((head) => beginningOf(head, "[A-Za-z0-9+/]{0,20}")).join("|")}))$`,
);
/** Characters. Every head is shorter. */
const MAX_HEAD_LENGTH = 80;

const FOOT = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y;
const BASE64 = /=?(?:[a-z0-9+/]|\\\/|%2[bf])+(?:=|%3d){0,2}/iy;
const PADDING = /(?:=|%3d)$/i;
/** An armour header, such as `Proc-Type: 4,ENCRYPTED`. */
const HEADER = /[A-Z][A-Za-z-]{1,30}: [^\\\n"]{0,120}/y;
/** Between runs of base64: blanks, quotation marks, comment signs, and line breaks as escapes of JSON, URLs and XML. */
const GAP = /(?:\\(?:[nrt]|u000[ad])?|%0[ad]|%20|&#(?:10|13|x[ad]);|[\s"'`|>#*,;()}\]]|\+(?![a-z0-9+/]))*/iy;

interface Block {
  /** Characters of the armour; 0 for base64 without armour. */
  readonly armour: number;
  /** No key material yet; in the body; after padded base64, which only a foot may follow. */
  state: "head" | "body" | "end";
  /** The text before the head in its line. */
  readonly before: string;
  /** The text after the head in its line; `undefined` in that line. */
  after: string | undefined;
  /** Characters of base64. */
  size: number;
  /** Characters until the block ends. */
  left: number;
  /** Lines since the last key material. */
  heldLines: number;
}

/** Replaces the private keys in a text that comes in pieces. Holds a line with the head of a key back until it ends. */
export class PrivateKeyFilter {
  readonly #counts: Counts;
  /** The text that was not returned yet, and some text before it. */
  #text = "";
  /** The text up to here was returned or replaced. */
  #done = 0;
  /** The next line of the block. */
  #at = 0;
  #block: Block | undefined;
  #out: string[] = [];

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  /** Takes the next piece and returns the filtered part of the text, which may be empty. */
  push(chunk: string): string {
    this.#text += chunk;
    return this.#take(false);
  }

  /** Returns the rest. */
  end(): string {
    return this.#take(true);
  }

  #take(isEnd: boolean): string {
    let isOpen = true;
    while (isOpen) isOpen = this.#block ? this.#readBlock(this.#block, isEnd) : this.#findHead(isEnd);
    const out = this.#out.join("");
    this.#out = [];
    const kept = Math.max(0, this.#done - MAX_FRAME_LENGTH - 1);
    this.#text = this.#text.slice(kept);
    this.#done -= kept;
    this.#at -= kept;
    return out;
  }

  #returnTo(end: number): void {
    if (end > this.#done) this.#out.push(this.#text.slice(this.#done, end));
    this.#done = end;
  }

  /** Returns the text up to the next head and opens a block there. */
  #findHead(isEnd: boolean): boolean {
    const text = this.#text;
    HEAD.lastIndex = this.#done;
    const head = HEAD.exec(text);
    if (!head) {
      const tail = text.slice(Math.max(this.#done, text.length - MAX_HEAD_LENGTH));
      this.#returnTo(text.length - (isEnd ? 0 : (UNFINISHED_HEAD.exec(tail)?.[0].length ?? 0)));
      return false;
    }
    this.#returnTo(head.index);
    const armour = /^[-P]/.test(head[0]) ? head[0].length : 0;
    const before = lastLine(text.slice(Math.max(0, head.index - MAX_FRAME_LENGTH - 1), head.index));
    this.#block = {
      armour,
      state: "head",
      before: before.length > MAX_FRAME_LENGTH ? "" : before,
      after: undefined,
      size: 0,
      left: MAX_LENGTH,
      heldLines: 0,
    };
    this.#at = head.index + armour;
    return true;
  }

  /** Reads one line of the block. Returns `false` while it is incomplete. */
  #readBlock(block: Block, isEnd: boolean): boolean {
    const text = this.#text.slice(this.#at, this.#at + block.left);
    const newline = text.indexOf("\n");
    if (newline === -1 && text.length < block.left && !isEnd) return false;
    if (text === "") {
      // A short line at the end of the text belongs to the key.
      const isCut = block.state !== "head" && block.heldLines > 0 && this.#text.slice(this.#done).trim() !== "";
      if (isCut) this.#done = this.#at;
      return this.#close(block);
    }
    const line = newline === -1 ? text : text.slice(0, newline);
    block.heldLines += 1;
    const goesOn = this.#readLine(block, line);
    this.#at += newline === -1 ? line.length : newline + 1;
    block.left -= line.length + 1;
    return !goesOn || block.heldLines > MAX_HELD_LINES || block.left <= 0 ? this.#close(block) : true;
  }

  /** The search goes on after the key, or after the head of none. */
  #close(block: Block): true {
    if (block.state === "head") this.#returnTo(this.#done + Math.max(1, block.armour));
    this.#block = undefined;
    return true;
  }

  /** Replaces the key material of a line. Returns whether the block may go on in the next line. */
  #readLine(block: Block, line: string): boolean {
    const isFirst = block.after === undefined;
    let at = isFirst ? 0 : Math.max(0, frameLength(block.before, line, 0));
    if (isFirst && block.armour === 0) {
      if (!isPrivateKeyBase64(line)) return false;
      at = this.#accept(block, line, 0, matchLength(BASE64, line, 0));
    }
    for (;;) {
      const start = at + matchLength(GAP, line, at);
      const foot = matchLength(FOOT, line, start);
      if (foot > 0) {
        if (block.state !== "head") this.#accept(block, line, start, start + foot);
        return false;
      }
      const header = block.state === "head" ? matchLength(HEADER, line, start) : 0;
      const end = start + (header || matchLength(BASE64, line, start));
      if (end === start) break;
      if (header === 0) {
        if (isKeyMaterial(line, start, end, block)) this.#accept(block, line, start, end);
        else if (block.state === "head" || !(endsLine(line, end, block) || precedesFoot(line, end))) break;
      }
      at = end;
    }
    if (!isFirst) return endsLine(line, at, block);
    const mayGoOn = block.state === "head" ? line.length - at <= MAX_FRAME_LENGTH : endsLine(line, at, block);
    block.after = line.slice(at);
    return mayGoOn;
  }

  /** Replaces the block up to `end` in its line. */
  #accept(block: Block, line: string, start: number, end: number): number {
    if (block.state === "head") {
      this.#out.push(marker(NAME));
      this.#counts[NAME] = (this.#counts[NAME] ?? 0) + 1;
    }
    block.state = PADDING.test(line.slice(start, end)) ? "end" : "body";
    block.size += end - start;
    block.heldLines = 0;
    this.#done = this.#at + end;
    return end;
  }
}

/** Whether a run of base64 is a part of the key, given what stands before and after it. */
function isKeyMaterial(line: string, start: number, end: number, block: Block): boolean {
  if (block.state === "end") return false;
  const isLast = endsLine(line, end, block);
  const length = end - start;
  if (length < MIN_RUN) return block.state === "body" && isLast && (block.size + length) % 4 === 0;
  if (isLast || (block.after === undefined && block.armour > 0)) return true;
  return length >= (block.state === "body" ? MIN_RUN : MIN_CUT_RUN) && /\d/.test(line.slice(start, end));
}

function endsLine(line: string, from: number, { after }: Block): boolean {
  const length = line.length - from;
  return matchLength(GAP, line, from) === length || (after !== undefined && frameLength(after, line, from) === length);
}

function precedesFoot(line: string, from: number): boolean {
  return matchLength(FOOT, line, from + matchLength(GAP, line, from)) > 0;
}

function matchLength(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** How many characters from `from` equal `frame`, whatever the numbers in it; −1 if they do not. */
function frameLength(frame: string, text: string, from: number): number {
  let at = from;
  for (const part of frame.match(/\d+|\D+/g) ?? []) {
    const length = /\d/.test(part) ? matchLength(/\d+/y, text, at) : text.startsWith(part, at) ? part.length : 0;
    if (length === 0) return -1;
    at += length;
  }
  return at - from;
}

/** A pattern of any beginning of a literal, or of all of it and then `rest`. */
function beginningOf(literal: string, rest: string): string {
  return [...literal].reduceRight((more, character) => `${character}(?:${more})?`, rest);
}

/** Characters; enough for the first line of armour and for the head of a DER structure. */
const DECODED_LENGTH = 96;
/** The DER object identifier of PBES2 (RFC 8018), which encrypted PKCS #8 keys begin with. */
const PBES2 = "\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d";

/** Whether base64 at the start of a line is a key: armour, OpenSSH's format, or DER of PKCS #1, #8, #12 or SEC 1. */
function isPrivateKeyBase64(line: string): boolean {
  const { length } = /^[A-Za-z0-9+/]*/.exec(line.slice(0, DECODED_LENGTH))?.[0] ?? "";
  const bytes = atob(line.slice(0, length - (length % 4)));
  if (bytes.startsWith("-----BEGIN")) return bytes.includes("PRIVATE KEY");
  return bytes.startsWith("openssh-key-v1") || isPrivateKeyDer(bytes);
}

/** A private key is a SEQUENCE that begins with a version; certificates and public keys begin with another SEQUENCE. */
function isPrivateKeyDer(bytes: string): boolean {
  if (bytes.charCodeAt(0) !== 0x30) return false;
  const size = bytes.charCodeAt(1);
  const start = size < 0x80 ? 2 : 2 + (size & 0x7f);
  const hasVersion = bytes.slice(start, start + 2) === "\x02\x01" && bytes.charCodeAt(start + 2) <= 3;
  return hasVersion ? "\x02\x30\x04".includes(bytes[start + 3] ?? "?") : bytes.slice(start, start + 24).includes(PBES2);
}
