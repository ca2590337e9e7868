// Parser for the list items of a runbook section: sentence, command, effect and undo.

import { fenceAfter } from "./markdown-sections.ts";

export interface RunbookItem {
  /** Sentence or paragraph, on one line, without list marker, emphasis or declared effect. */
  readonly text: string;
  /** Code in the item's first fence. */
  readonly command: string | null;
  /** The effect that the author declares; null when none is declared. */
  readonly effect: "read_only" | "changes_state" | null;
  /** The author's instruction for reverting the step. */
  readonly undo: string | null;
}

const ITEM_START = /^(?:[-*+]|\d{1,3}[.)])\s+/;
const EFFECT = /^\((read-only|changes state)\)\s*/i;
const UNDO = /^undo:\s*/i;

/**
 * Parses the items of a section. In a section with a list, text above the first item is an introduction and is
 * skipped. A section without a list gives one item for each paragraph, with the code that follows it.
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
  /** Number of the fence that holds the line, from 1; undefined outside code. Fence markers themselves are dropped. */
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

function startsParagraph({ text, fence }: Line, previous: Line | undefined): boolean {
  return (
    fence === undefined &&
    /^\S/.test(text) &&
    (previous === undefined || previous.fence !== undefined || previous.text.trim() === "")
  );
}

function parseItem(lines: readonly Line[]): RunbookItem {
  const prose: string[] = [];
  const code = new Map<number, string[]>();
  let undo: string[] | undefined;
  for (const { text, fence } of lines) {
    const sentence = text.trim().replace(ITEM_START, "");
    if (fence !== undefined) {
      // Code below an undo belongs to the undo: it is not the step's command.
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
