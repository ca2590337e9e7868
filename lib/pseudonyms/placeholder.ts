// Placeholders in the place of names: `pod-1` where an answer comes back, `<pod>` where none does.

export const NAME_KINDS = [
  "account",
  "address",
  "cluster",
  "database",
  "host",
  "namespace",
  "node",
  "pod",
  "resource",
  "service",
  "team",
  "user",
] as const;
export type NameKind = (typeof NAME_KINDS)[number];

const KINDS: ReadonlySet<string> = new Set(NAME_KINDS);

/** A word and a number of at most 5 digits. A hyphen, a dot or an apostrophe may follow: `pod-1's`, `host-2.log`. */
const TOKEN = /(?<![\p{L}\p{N}])([A-Za-z]{3,9})-(\d{1,5})(?![\p{L}\p{N}])/gu;
/** The beginning of a placeholder at the end of a text. */
const UNFINISHED = /(?<![\p{L}\p{N}])([A-Za-z]{1,9})(-\d{0,5})?$/u;

/** `pod-1` */
export function numberedPlaceholder(kind: NameKind, number: number): string {
  return `${kind}-${number}`;
}

/** `<pod>`: the same for each name, so that a text always has the same vector. */
export function plainPlaceholder(kind: NameKind): string {
  return `<${kind}>`;
}

/** Everything in a text that reads as a numbered placeholder, in lower case. */
export function pseudonymsIn(text: string): string[] {
  return [...text.matchAll(TOKEN)].flatMap(([token, word = ""]) =>
    KINDS.has(word.toLowerCase()) ? [token.toLowerCase()] : [],
  );
}

/** @param nameOf receives a placeholder in lower case, and its kind */
export function replacePlaceholders(text: string, nameOf: (placeholder: string, kind: NameKind) => string | undefined) {
  return text.replace(TOKEN, (token, word: string) => {
    const kind = NAME_KINDS.find((each) => each === word.toLowerCase());
    return (kind && nameOf(token.toLowerCase(), kind)) ?? token;
  });
}

/** The text without the beginning of a placeholder at its end, which a stream may continue. */
export function withoutUnfinished(text: string): string {
  const [tail = "", word = "", number] = UNFINISHED.exec(text) ?? [];
  const lower = word.toLowerCase();
  const mayContinue =
    number === undefined ? NAME_KINDS.some((kind) => lower !== "" && kind.startsWith(lower)) : KINDS.has(lower);
  return mayContinue ? text.slice(0, text.length - tail.length) : text;
}
