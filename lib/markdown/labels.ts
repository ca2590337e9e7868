// Labels that people write in place of headings: "**Root cause**", "How to **fix** it:", "**Mitigation:** Restart it."

import { beginsWithInstruction } from "../commands/ordered-change.ts";
import { headingKind, sectionRole } from "./section-role.ts";
import type { PlainLine } from "./tables.ts";

/** Introduces a list of causes: "This alert can have a variety of causes, including:" */
const LISTS_CAUSES =
  /^(?!(?:to|if|when|once|for|after|before|depending|based)\b|.{0,200}\b(?:steps?|mitigat|fix|resol|solution))[A-Z][^:]{0,160}\b(?:causes?|reasons?|caused by)\b[^:]{0,60}(?<!\bcause):$/i;
const ITEM = /^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s/;

interface MarkedLine extends PlainLine {
  readonly isCode: boolean;
}

interface Label {
  readonly index: number;
  readonly level: number;
  readonly kind: "role" | "neutral";
  readonly text: string;
  /** What stands behind it on its line. */
  readonly rest: string;
  /** Characters of the marker of a list item in front of it: what is indented below belongs to it. */
  readonly indent: number;
}

const HEADING = /^(#{1,6})[ \t]/;
const BOLD_ITEM = /^[-*+]\s{1,3}(?=\*{1,2}[^\s*]|__?[^\s_])/;
const BOLD = /^(?:\*{1,2}|_{1,2})(?![\s*_])([^*_]{2,80})(?:\*{1,2}|_{1,2})(:?)(.*)$/;
const COLON = /^(?![-+>|#\s]|\*[ \t]|\d{1,3}[.)])([^:]{2,80}):(?:\s+(\S.*))?$/;
const INDENT = /^ +/;
/** Of a list, as sections. */
const MIN_ITEMS = 2;
/** Longer lines without emphasis are sentences: "To resolve this issue, check the following:" */
const MAX_PLAIN_WORDS = 4;

/**
 * Makes headings of the labels of a section, one level below its own, if one of them names a role and nothing else, such as the
 * causes. Labels that name a thing stay text: they are parts of what stands around them.
 */
export function labelHeadings(lines: readonly MarkedLine[]): MarkedLine[] {
  const labels = new Map<number, Label>();
  let level = 1;
  let own: Label[] = [];
  let isOfSteps = false;
  let hasCauses = false;
  const close = (): void => {
    // Items that repeat a role, such as a cause and a fix for each of several, are no sections.
    const items = own.filter(({ indent }) => indent > 0).map(({ text }) => text.toLowerCase());
    const areSections = items.length >= MIN_ITEMS && new Set(items).size === items.length;
    const kept = own.filter(({ indent }) => indent === 0 || areSections);
    if (kept.some(({ kind }) => kind === "role")) for (const label of kept) labels.set(label.index, label);
    own = [];
  };
  lines.forEach((line, index) => {
    if (line.isCode) return;
    const marks = HEADING.exec(line.text)?.[1];
    if (marks !== undefined) {
      close();
      level = marks.length;
      const role = sectionRole([line.text]);
      isOfSteps = role === "mitigate" || role === "confirm";
      return;
    }
    const causes = isOfSteps && !hasCauses ? causesLabel(line.text.trimEnd(), lines, index) : undefined;
    const marker = BOLD_ITEM.exec(line.text)?.[0] ?? "";
    const label =
      readLabel(line.text.slice(marker.length).trimEnd(), marker === "" ? lines[index - 1] : undefined) ?? causes;
    // A second heading of this name would begin another failure.
    hasCauses ||= label === causes && causes !== undefined;
    if (label) own.push({ ...label, index, level: Math.min(level + 1, 6), indent: marker.length });
  });
  close();
  let indent = 0;
  return lines.flatMap((line, index) => {
    const label = labels.get(index);
    if (label !== undefined || /^\S/.test(line.text)) indent = label?.indent ?? 0;
    if (label === undefined)
      return [indent === 0 ? line : { ...line, text: line.text.replace(INDENT, (blanks) => blanks.slice(indent)) }];
    const heading = { ...line, text: `${"#".repeat(label.level)} ${label.text}` };
    return label.rest === "" ? [heading] : [heading, { ...line, text: label.rest }];
  });
}

function readLabel(line: string, above: MarkedLine | undefined): Pick<Label, "kind" | "text" | "rest"> | undefined {
  const [, bold, colon, behind = ""] = BOLD.exec(line) ?? [];
  const rest = behind.trim();
  if (bold !== undefined && (colon !== "" || bold.endsWith(":"))) return label(bold, rest);
  const isFree = above === undefined || (!above.isCode && (above.text.trim() === "" || HEADING.test(above.text)));
  if (!isFree) return undefined;
  if (bold !== undefined && rest === "") return label(bold, rest);
  const [, words = "", text = ""] = COLON.exec(line) ?? [];
  const isSentence = !words.includes("**") && words.split(/\s+/).length > MAX_PLAIN_WORDS;
  const plain = isSentence ? undefined : label(words, text);
  // Others introduce what stands below them: "For example:"
  return plain?.kind === "role" ? plain : undefined;
}

/** A sentence above a list that says that the items are causes. Among steps, they would be read as steps. */
function causesLabel(
  line: string,
  lines: readonly MarkedLine[],
  index: number,
): Pick<Label, "kind" | "text" | "rest"> | undefined {
  if (!LISTS_CAUSES.test(line) || beginsWithInstruction(line)) return undefined;
  const next = lines.slice(index + 1, index + 3).find(({ text }) => text.trim() !== "");
  return next !== undefined && !next.isCode && ITEM.test(next.text) ? label("Reasons", "") : undefined;
}

function label(words: string, rest: string): Pick<Label, "kind" | "text" | "rest"> | undefined {
  const text = words.replaceAll("**", "").replace(/:$/, "").trim();
  const kind = headingKind(text);
  return kind === "role" || kind === "neutral" ? { kind, text, rest } : undefined;
}
