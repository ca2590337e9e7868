// A fix that worked as a line of the runbook that lacked it. Pure functions.

/** Shorter words are in every text. */
const MIN_WORD = 4;
/** Below this share of its words, a text does not say the fix. */
const SAID = 0.75;
const MITIGATION = /^(#{2,4})\s+.*\b(mitigat\w*|fix(?:es)?|resolution|resolve|remed\w+|recover\w*)\b/i;

/** Whether the text does not say what fixed it. */
export function lacksFix(markdown: string, fix: string): boolean {
  const words = new Set(wordsOf(markdown));
  const own = [...new Set(wordsOf(fix))];
  return own.length > 0 && own.filter((word) => words.has(word)).length / own.length < SAID;
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => [...word].length >= MIN_WORD);
}

/** The fix as the last item of the first section that says what to do; without one, in a section of its own. */
export function withFix(markdown: string, fix: string): string {
  const line = fix.trim().replace(/\s*\n\s*/g, " ");
  const lines = markdown.replace(/\s+$/, "").split("\n");
  const start = lines.findIndex((line) => MITIGATION.test(line));
  if (start === -1) return [...lines, "", "## Mitigation", "", `- ${line}`, ""].join("\n");
  const depth = (lines[start] ?? "").search(/[^#]/);
  const next = lines.findIndex((line, i) => i > start && /^#+\s/.test(line) && line.search(/[^#]/) <= depth);
  const section = lines.slice(start, next === -1 ? undefined : next);
  while (section.at(-1)?.trim() === "") section.pop();
  const isList = /^\s*([-*]|\d+\.)\s|^\s+\S/.test(section.at(-1) ?? "");
  const last = /^(\d+)\.\s/.exec(section.findLast((each) => /^([-*]|\d+\.)\s/.test(each)) ?? "")?.[1];
  const item = `${isList && last !== undefined ? `${Number(last) + 1}.` : "-"} ${line}`;
  const rest = next === -1 ? [""] : ["", ...lines.slice(next), ""];
  return [...lines.slice(0, start), ...section, ...(isList ? [] : [""]), item, ...rest].join("\n");
}
