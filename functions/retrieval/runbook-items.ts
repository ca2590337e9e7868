// Owns how the list items of a runbook section are read: a sentence, its command, whether it changes anything, its undo.

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
const FENCE = /^\s*(?:```|~~~)/;
const EFFECT = /^\((read-only|changes state)\)\s*/i;
const UNDO = /^undo:\s*/i;

/** Reads a section's items; a section without a list gives one item a paragraph, each with the code that follows it. */
export function parseRunbookItems(body: string): RunbookItem[] {
  const lines = body.split(/\r?\n/);
  const startsItem = hasList(lines)
    ? (line: string) => ITEM_START.test(line)
    : (line: string, before: string | undefined) => before?.trim() === "" && /^\S/.test(line) && !FENCE.test(line);
  const groups: string[][] = [];
  let inFence = false;
  lines.forEach((line, i) => {
    if (!inFence && (groups.length === 0 || startsItem(line, lines[i - 1]))) groups.push([]);
    if (FENCE.test(line)) inFence = !inFence;
    groups.at(-1)?.push(line);
  });
  return groups.map(parseItem).filter((item) => item.text !== "");
}

function hasList(lines: readonly string[]): boolean {
  return lines.some((line) => ITEM_START.test(line));
}

function parseItem(lines: readonly string[]): RunbookItem {
  const prose: string[] = [];
  const code: string[] = [];
  let undo: string[] | undefined;
  let fences = 0;
  for (const line of lines) {
    if (FENCE.test(line)) {
      fences += 1;
    } else if (fences === 1) {
      code.push(line);
    } else if (fences % 2 === 0) {
      const text = line.trim().replace(ITEM_START, "");
      if (UNDO.test(text)) undo = [text.replace(UNDO, "")];
      else if (undo) undo.push(text);
      else prose.push(text);
    }
  }
  const sentence = oneLine(prose);
  const effect = EFFECT.exec(sentence)?.[1]?.toLowerCase();
  return {
    text: sentence.replace(EFFECT, "").replaceAll("**", ""),
    command: code.length > 0 ? dedent(code) : null,
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
