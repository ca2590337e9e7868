// Foreign text as it may be shown: without characters that control a terminal, hide text or change its direction. Every way out
// uses it, since stored texts may be older than a check at the way in. Pure functions, linear in the text.

/** Control sequences (colours, cursor), strings (titles, OSC 8 links, the clipboard by OSC 52) and single escapes. */
const TERMINAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0000-\u0008\u000a-\u001f\u0080-\u009f]{0,10000}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,4}[0-Z\\^-~]/g;
const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029]/g;
/** Control characters, direction marks, tag characters, soft hyphens and blanks without a width. */
const UNSEEN =
  /(?![\n\t])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{E0000}-\u{E007F}]/gu;
/** Scripts and emoji need a joiner between their letters; Latin words do not. */
const JOINERS = /[\u200c\u200d]+/g;
const ASCII = /[\x20-\x7e]/;

/** Line breaks become `\n`; other characters that nobody sees are removed. */
export function displayText(text: string): string {
  return text.replace(TERMINAL, "").replace(LINE_BREAK, "\n").replace(UNSEEN, "").replace(JOINERS, withinScript);
}

function withinScript(joiners: string, at: number, whole: string): string {
  return ASCII.test(whole[at - 1] ?? "") || ASCII.test(whole[at + joiners.length] ?? "") ? "" : joiners;
}

/** A copy of JSON data whose strings a function changed. Keys stay. */
export function mapStrings<T>(value: T, change: (text: string) => string): T;
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, change));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, change)]));
}

const BEYOND_ASCII = /[^\x20-\x7e\n]/gu;

/** JSON in which characters that `displayText` removes are escaped: the data stays the same. @param indent of its lines */
export function displayJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(BEYOND_ASCII, (character) =>
    displayText(character) === character && !/[\u200c\u200d]/.test(character)
      ? character
      : [...Array(character.length).keys()]
          .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`)
          .join(""),
  );
}
