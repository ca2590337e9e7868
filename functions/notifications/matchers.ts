// Label matchers as Alertmanager writes them: `team="db"`, `cluster!="test"`, `service=~"api-.+"`, `"my label"="x"`. Pure functions.

export interface LabelMatcher {
  readonly label: string;
  readonly matches: (value: string) => boolean;
}

export type ParsedMatcher =
  | { readonly ok: true; readonly matcher: LabelMatcher }
  /** `message`: as "must …". */
  | { readonly ok: false; readonly message: string };

/** A name in quotes may have any characters; one without any but those of the grammar. */
const MATCHER =
  /^(?:"((?:[^"\\]|\\.){1,128})"|([^\p{C}\s{}!=~,"'`\\]{1,128}))\s{0,9}(=~|!~|!=|=)\s{0,9}(?:"((?:[^"\\]|\\.){0,256})"|([^"\\\s]{0,256}))$/su;
/** Of a label; a longer one is cut, so that a pattern ends soon. */
const MAX_VALUE_LENGTH = 256;

/** A label that is missing has the empty value. */
export function parseMatcher(text: string): ParsedMatcher {
  const [, quotedLabel, bareLabel, operator, quoted, bare] = MATCHER.exec(text.trim()) ?? [];
  const label = quotedLabel === undefined ? bareLabel : unescaped(quotedLabel);
  if (label === undefined) return { ok: false, message: 'must be a matcher such as team="db" or service=~"api-.+"' };
  const value = quoted === undefined ? (bare ?? "") : unescaped(quoted);
  if (operator === "=" || operator === "!=") {
    const isWanted = operator === "=";
    return { ok: true, matcher: { label, matches: (actual) => (actual === value) === isWanted } };
  }
  const problem = findPatternProblem(value);
  if (problem !== null) return { ok: false, message: problem };
  const pattern = new RegExp(`^(?:${value})$`, "su");
  const isWanted = operator === "=~";
  return {
    ok: true,
    matcher: { label, matches: (actual) => pattern.test(actual.slice(0, MAX_VALUE_LENGTH)) === isWanted },
  };
}

/** Whether all of them match. A matcher that cannot be read matches nothing. */
export function matchesAll(matchers: readonly string[], labels: Readonly<Record<string, string>>): boolean {
  return matchers.every((text) => {
    const parsed = parseMatcher(text);
    if (!parsed.ok) return false;
    const { label, matches } = parsed.matcher;
    return matches(Object.hasOwn(labels, label) ? (labels[label] ?? "") : "");
  });
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (whole, character: string) =>
    character === '"' || character === "\\" ? character : whole,
  );
}

/** Patterns may take time that grows with the value to this power. */
const MAX_REPETITIONS = 3;

/** The engine goes back after a mismatch, so a pattern may neither repeat a group nor refer to one. */
function findPatternProblem(pattern: string): string | null {
  const signs = pattern.replace(/\\[^\dk]/g, "_").replace(/\[(?:[^\]\\]){0,256}\]/g, "_");
  if (/\\[\dk]|\(\?(?!:)/.test(signs)) return "must have no back-reference, look-around or flag in its pattern";
  if (/\)[*+{]/.test(signs)) return "must not repeat a group in its pattern: write `.*` or `[…]+`";
  if ((signs.match(/[*+{]/g) ?? []).length > MAX_REPETITIONS)
    return `must have at most ${MAX_REPETITIONS} repetitions in its pattern`;
  try {
    new RegExp(`^(?:${pattern})$`, "su");
    return null;
  } catch {
    return "must have a valid regular expression as its pattern";
  }
}
