// Owns how the list items of a runbook section are read: a sentence, its command, whether it changes anything, its undo.

import { fenceAfter } from "./markdown-sections.ts";

export interface RunbookItem {
  /** The sentence or paragraph, on one line, without list marker, emphasis or effect mark. */
  readonly text: string;
  /** The code of the item's first fence. */
  readonly command: string | null;
  /** What the author says that the step does; null where nothing is said. */
  readonly effect: "read_only" | "changes_state" | null;
  /** How to take the step back, where the author says so. */
  readonly undo: string | null;
}

const ITEM_START = /^(?:[-*+]|\d{1,3}[.)])\s+/;
const EFFECT = /^\((read-only|changes state)\)\s*/i;
const UNDO = /^undo:\s*/i;

/**
 * Reads a section's items. In a section with a list, what stands above the first item introduces it and is no item; a
 * section without a list gives one item a paragraph, each with the code that follows it.
 */
export function parseRunbookItems(body: string): RunbookItem[] {
  const lines = markCode(body.split(/\r?\n/));
  const hasList = lines.some((line) => startsListItem(line));
  const groups: Line[][] = [];
  lines.forEach((line, i) => {
    const starts = hasList ? startsListItem(line) : startsParagraph(line, lines[i - 1]);
    if (starts) groups.push([]);
    groups.at(-1)?.push(line);
  });
  return groups.map(parseItem).filter((item) => item.text !== "");
}

interface Line {
  readonly text: string;
  /** Which fence of the section the line belongs to, from 1; the fence's own marks are dropped. */
  readonly fence: number | undefined;
}

function markCode(raw: readonly string[]): Line[] {
  const lines: Line[] = [];
  let fences = 0;
  let open: string | undefined;
  for (const text of raw) {
    const next = fenceAfter(open, text);
    if (next === open) lines.push({ text, fence: open === undefined ? undefined : fences });
    else if (open === undefined) fences += 1;
    open = next;
  }
  return lines;
}

function startsListItem({ text, fence }: Line): boolean {
  return fence === undefined && ITEM_START.test(text);
}

function startsParagraph({ text, fence }: Line, before: Line | undefined): boolean {
  return (
    fence === undefined &&
    /^\S/.test(text) &&
    (before === undefined || before.fence !== undefined || before.text.trim() === "")
  );
}

function parseItem(lines: readonly Line[]): RunbookItem {
  const prose: string[] = [];
  const code = new Map<number, string[]>();
  let undo: string[] | undefined;
  for (const { text, fence } of lines) {
    const sentence = text.trim().replace(ITEM_START, "");
    if (fence !== undefined) {
      // The code of an undo is no command to run now; it is said with the undo.
      if (undo) undo.push(sentence);
      else code.set(fence, [...(code.get(fence) ?? []), text]);
    } else if (UNDO.test(sentence)) {
      undo = [sentence.replace(UNDO, "")];
    } else {
      (undo ?? prose).push(sentence);
    }
  }
  const [command] = code.values();
  const sentence = oneLine(prose);
  const effect = EFFECT.exec(sentence)?.[1]?.toLowerCase();
  return {
    text: sentence.replace(EFFECT, "").replaceAll("**", ""),
    command: command ? dedent(command) : null,
    effect: effect === undefined ? null : effect === "read-only" ? "read_only" : "changes_state",
    undo: undo ? oneLine(undo) : null,
  };
}

function oneLine(lines: readonly string[]): string {
  return lines.join(" ").replace(/\s+/g, " ").trim();
}

function dedent(lines: readonly string[]): string {
  const indent = Math.min(
    ...lines.filter((line) => line.trim() !== "").map((line) => /^\s*/.exec(line)?.[0].length ?? 0),
  );
  return lines
    .map((line) => line.slice(Number.isFinite(indent) ? indent : 0).trimEnd())
    .join("\n")
    .trim();
}
