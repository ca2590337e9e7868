// String literals of PromQL and LogQL, whose rules are those of Go: written so that any text stays one value, and read.

/** Characters that end a literal, break a line, or change how a person reads the query: controls, bidi marks, separators. */
const ESCAPED = /["\\\p{C}\p{Zl}\p{Zp}]/gu;

/** A double-quoted literal with this value. Lone surrogates, which no UTF-8 text has, become U+FFFD. */
export function quote(value: string): string {
  return `"${value.toWellFormed().replace(ESCAPED, escapeOf)}"`;
}

function escapeOf(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  if (character === "\n") return "\\n";
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/** What a backslash and this sign stand for. */
const SIGNS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([\s\S]?))/g;
const MAX_CODE_POINT = 0x10_ffff;

/** The value of a literal in double quotes, single quotes or backquotes; null if it is not closed or has a wrong escape. */
export function unquote(literal: string): string | null {
  const mark = literal[0];
  if (literal.length < 2 || literal.at(-1) !== mark) return null;
  const inner = literal.slice(1, -1);
  if (mark === "`") return inner.includes("`") ? null : inner;
  if (mark !== '"' && mark !== "'") return null;
  let isValid = !inner.includes("\n") && !hasUnescaped(inner, mark);
  const value = inner.replace(ESCAPE, (_, x?: string, u?: string, long?: string, octal?: string, sign?: string) => {
    const hex = x ?? u ?? long;
    const code = hex === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hex, 16);
    const isOtherMark = (sign === '"' || sign === "'") && sign !== mark;
    isValid &&= sign === undefined ? code <= MAX_CODE_POINT : Object.hasOwn(SIGNS, sign) && !isOtherMark;
    if (!isValid) return "";
    return sign === undefined ? String.fromCodePoint(code) : (SIGNS[sign] ?? "");
  });
  return isValid ? value : null;
}

function hasUnescaped(inner: string, mark: string): boolean {
  for (let i = 0; i < inner.length; i++) {
    if (inner[i] === "\\") i++;
    else if (inner[i] === mark) return true;
  }
  return false;
}
