// Parser for the list items of a runbook section: sentence, command, effect and undo.

import { fenceAfter } from "./fences.ts";

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
/** Where the author declares an effect: "(read-only) Look.", "Look (read-only): `uptime`", "Look (read-only)." */
const READ_ONLY = /^\(read-only\)\s*|(?<!\s)\s*\(read-only\)(?=\s*(?:[:.]|$))/gi;
const CHANGES_STATE = /^\(changes state\)\s*|(?<!\s)\s*\(changes state\)(?=[\s:.,;]|$)/gi;
const CODE_SPAN = /(`[^`]*`)/;
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
  return {
    ...readDeclaredEffect(oneLine(prose).replaceAll("**", "")),
    command: command ? dedent(command) : null,
    undo: undo ? oneLine(undo) : null,
  };
}

/** The sentence without the marks of its author, and their effect. Of both marks, (changes state) counts. */
function readDeclaredEffect(sentence: string): Pick<RunbookItem, "text" | "effect"> {
  let effect: RunbookItem["effect"] = null;
  const text = sentence
    .split(CODE_SPAN)
    .map((part, i, { length }) => {
      if (part.startsWith("`")) return part;
      // The end of a part is that of the sentence only in the last one, and its start only in the first.
      const guarded = `${i > 0 ? "`" : ""}${part}${i < length - 1 ? "`" : ""}`;
      const unmarked = guarded.replace(CHANGES_STATE, () => {
        effect = "changes_state";
        return "";
      });
      const clean = unmarked.replace(READ_ONLY, () => {
        effect ??= "read_only";
        return "";
      });
      return clean.slice(i > 0 ? 1 : 0, i < length - 1 ? -1 : undefined);
    })
    .join("");
  return { text, effect };
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
