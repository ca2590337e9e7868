// The lines of a private key's block, as they are or as loggers, quotations and escapes change them.

export interface BodyLine {
  /**
   * `body`: base64. `short`: too little to be sure. `cut`: base64, then other text. `header`: such as `Proc-Type: 4`.
   * `foot`: the last line.
   */
  readonly kind: "body" | "short" | "cut" | "header" | "blank" | "foot" | "other";
  /** Characters up to the end of the foot or of the base64. */
  readonly length: number;
  /** Characters of base64. */
  readonly bodyLength: number;
  /** The line break. */
  readonly end: string;
}

/** What stands around the first line of the block in its own line. */
export interface Frame {
  readonly before: string;
  readonly after: string;
  readonly isKey: boolean;
}

const FOOT = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y;
const BASE64 = /=?[A-Za-z0-9+/]+={0,2}/y;
const HEADER = /[A-Z][A-Za-z-]{1,30}: [^\n]{0,120}$/y;
/** Indentation, quotation marks and comment signs. */
const PREFIX = /[\s"'`|>#*,(]{0,120}/y;
const SUFFIX = /(?:\\{1,4}[nr]|[\s"'`+,;)}\]\\])*$/y;
/** Characters of base64 in a line that cannot be a word. */
const MIN_LINE = 20;
/** Characters of base64 that may stand before other text in the first line. */
const MIN_CUT_LINE = 40;

export function readBodyLine(line: string, frame: Frame): BodyLine {
  const end = /\r?\n$/.exec(line)?.[0] ?? "";
  const text = line.slice(0, line.length - end.length);
  const framed = frameLength(text, 0, frame.before);
  const plain = matchLength(PREFIX, text, 0);
  const first = framed > 0 ? readFrom(text, framed, frame) : undefined;
  const { kind, length, bodyLength } = first && first.kind !== "other" ? first : readFrom(text, plain, frame);
  return { kind, length, bodyLength, end };
}

function readFrom(text: string, start: number, frame: Frame): Omit<BodyLine, "end"> {
  const foot = matchLength(FOOT, text, start);
  if (foot > 0) return { kind: "foot", length: start + foot, bodyLength: 0 };
  const size = matchLength(BASE64, text, start);
  const stop = start + size;
  const isComplete = endsLine(text, stop, frame.after);
  if (size === 0) return { kind: isComplete ? "blank" : "other", length: text.length, bodyLength: 0 };
  if (isComplete) return { kind: size < MIN_LINE ? "short" : "body", length: text.length, bodyLength: size };
  if (matchLength(HEADER, text, start) > 0) return { kind: "header", length: text.length, bodyLength: 0 };
  const isKeyLine = size >= (frame.isKey ? MIN_LINE : MIN_CUT_LINE) && /\d/.test(text.slice(start, stop));
  return { kind: isKeyLine ? "cut" : "other", length: stop, bodyLength: size };
}

function endsLine(text: string, from: number, after: string): boolean {
  SUFFIX.lastIndex = from;
  return SUFFIX.test(text) || (after !== "" && frameLength(text, from, after) === text.length - from);
}

function matchLength(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** How many characters from `from` equal `frame`, whatever the numbers in it; −1 if they do not. */
function frameLength(text: string, from: number, frame: string): number {
  let at = from;
  for (let i = 0; i < frame.length; ) {
    if (isDigit(frame, i) !== isDigit(text, at)) return -1;
    if (isDigit(frame, i)) {
      while (isDigit(frame, i)) i += 1;
      while (isDigit(text, at)) at += 1;
    } else if (frame[i++] !== text[at++]) return -1;
  }
  return at - from;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** Line breaks as escapes of JSON, shells, URLs and XML, or blanks where line breaks were. */
const ESCAPED_BREAK = /(?:\\{1,4}[nrt]|\\{1,4}u000[aAdD]|%0[aAdD]|%20|&#(?:10|13|x[aAdD]);|[ \t]){1,16}/y;
const ESCAPED_BASE64 = /=?(?:[A-Za-z0-9+/]|\\\/|%2[BbFf])+(?:=|%3[Dd]){0,2}/y;
const ESCAPED_HEADER = /[A-Z][A-Za-z-]{1,30}: [^\\\n"]{0,120}(?=\\)/y;
/** Characters after which a foot, an escape or a header is complete. */
const LOOKAHEAD = 160;

/**
 * Returns the length of a key's body and foot that follow its head in the same line; 0 if none does.
 * @returns also whether more text could change that
 */
export function inlineBodyLength(
  text: string,
  from: number,
  maxLength: number,
): { readonly length: number; readonly isOpen: boolean } {
  let at = from;
  let accepted = from;
  let body = 0;
  let isFoot = false;
  while (!isFoot && at - from < maxLength) {
    const gap = matchLength(ESCAPED_BREAK, text, at);
    if (gap === 0) break;
    const start = at + gap;
    const foot = matchLength(FOOT, text, start);
    if (foot > 0) {
      isFoot = true;
      accepted = start + foot;
      break;
    }
    const header = body === 0 ? matchLength(ESCAPED_HEADER, text, start) : 0;
    const size = header > 0 ? 0 : matchLength(ESCAPED_BASE64, text, start);
    at = start + header + size;
    if (header > 0) continue;
    if (size === 0) break;
    const isLast = size < MIN_LINE;
    if (isLast && !followsFoot(text, at) && (body + size) % 4 !== 0) break;
    if (isLast && body === 0) break;
    body += size;
    accepted = at;
  }
  const isOpen = !isFoot && at - from < maxLength && text.length - at < LOOKAHEAD && text.indexOf("\n", at) === -1;
  return { length: body > 0 ? accepted - from : 0, isOpen };
}

function followsFoot(text: string, at: number): boolean {
  return matchLength(FOOT, text, at + matchLength(ESCAPED_BREAK, text, at)) > 0;
}
