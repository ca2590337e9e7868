// Parser for the list items of a runbook section: sentence, command, effect and undo.

import { isInstruction } from "../commands/ordered-change.ts";
import { withoutPrompts } from "../commands/prompts.ts";
import { beginsCommand } from "../commands/step-effect.ts";
import { type CodeFence, checkBlocks, languageOf } from "./check-blocks.ts";
import { checkStep, commandOf } from "./check-item.ts";
import { DRAWN_LANGUAGE, FENCE, fenceAfter } from "./fences.ts";
import { isPlaceholder } from "./placeholders.ts";
import { cellsOf, isDelimiter, isRow } from "./tables.ts";

export interface RunbookItem {
  /** Sentence or paragraph, on one line, without list marker, emphasis or declared effect. */
  readonly text: string;
  /** Code in the item's fences, without what they show of an output. */
  readonly command: string | null;
  /** The effect that the author declares; null when none is declared. */
  readonly effect: "read_only" | "changes_state" | null;
  /** The author's instruction for reverting the step. */
  readonly undo: string | null;
  /** The check that the item declares; missing for none. */
  readonly check?: ItemCheck;
}

export interface ItemCheck {
  readonly name: string;
  /** As the author wrote it, in lower case. */
  readonly language: string;
  /** Whether the item is the check alone, without a sentence of the author. */
  readonly isAlone: boolean;
}

const ITEM_START = /^(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
/** Describes an option of the command beside it: "- `-h`: the host". */
const OPTION_ITEM = /^[-*+]\s+`--?[A-Za-z][^`]{0,80}`\s?(?::|[-–—]\s)/;
/** A sentence in code, such as the text of an alert: no program is written so. */
const SENTENCE = /^\s*["'“]?[A-Z][a-z]+(?:\s[^\s]+){3}/;
/** Where the author declares an effect: "(read-only) Look.", "Look (read-only): `uptime`", "Look (read-only)." */
const READ_ONLY = /^\(read-only\)\s*|(?<!\s)\s*\(read-only\)(?=\s*(?:[:.]|$))/gi;
const CHANGES_STATE = /^\(changes state\)\s*|(?<!\s)\s*\(changes state\)(?=[\s:.,;]|$)/gi;
const CODE_SPAN = /(`[^`]*`)/;
/** Numbers a heading: "Step 1: ", "2. " */
export const STEP_NUMBER =
  /^(?:step\s{1,3}\d{1,3}\b[.:)]?|\d{1,3}(?:\.\d{1,3}){1,3}[.:)]?(?=\s)|\d{1,3}[.:)])\s{0,3}(?:[-–—]\s)?/i;
const UNDO = /^undo:\s*/i;
const REMARK = /^(?:note|info|tip)\b\s?:\s*/i;
/** A list item that only leads to another site, with the text of its link. */
const LINK_ITEM = /^(?:[-*+]|\d{1,3}[.)])\s+\[([^\]]{0,200})\]\(https?:[^()\s]{0,1000}\)[.,;]?\s*$/;
/** In shells, SQL and most languages. */
const COMMENT = /^\s*(?:#|--|\/\/)\s+(\S.*)$/;

/**
 * Parses the items of a section. In a section with a list, text above the first item is an introduction and is
 * skipped. A section without a list gives one item for each paragraph, with the code that follows it; one with a table whose
 * paragraphs order nothing, one for each row; one of steps with code alone, one for each comment of the code, the first without one named by the heading. A check belongs to the item or paragraph
 * above it that has no code yet; else it is an item of its own. "TODO", "See also" and a link alone are no items.
 * @param options.areSteps whether code is what to do, and not an example of what there is to see
 * @param options.heading of the section
 */
export function parseRunbookItems(body: string, { areSteps = false, heading = "" } = {}): RunbookItem[] {
  const { rows, others } = splitTables(withoutReferences(withoutOutput(markCode(body.split(/\r?\n/)))));
  const written = parseLines(others);
  const isRemark = ({ text, command }: RunbookItem) => command === null && !isInstruction(text);
  const hasSteps = others.some(startsListItem) || !written.every(isRemark);
  const listed = rows.map(rowItem);
  const parts = [hasSteps || rows.length === 0 ? written : [], listed, areSteps ? parseCode(others, heading) : []];
  const items = parts.find((each) => each.length > 0);
  return joinRemarks((items ?? []).filter(({ text }) => !isPlaceholder(text)));
}

/** A remark beside the steps, such as "Note: It takes a minute", belongs to the item above it. Above the first one it is none. */
function joinRemarks(items: readonly RunbookItem[]): RunbookItem[] {
  const joined: RunbookItem[] = [];
  for (const item of items) {
    const words = item.text.replace(REMARK, "");
    const last = joined.at(-1);
    if (words === item.text || item.command !== null || isInstruction(words)) joined.push(item);
    else if (last) joined[joined.length - 1] = { ...last, text: `${sentenceOf(last.text)} ${item.text}` };
  }
  return joined;
}

/** With a stop in place of a colon, or at its end. */
function sentenceOf(text: string): string {
  const words = text.replace(/[:;,]$/, "");
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** The comments of code with the commands below each. */
function parseCode(lines: readonly Line[], heading: string): RunbookItem[] {
  const groups: { readonly fence: number; readonly comments: string[]; readonly commands: string[] }[] = [];
  for (const { text, fence } of lines) {
    if (fence === undefined || text.trim() === "") continue;
    const comment = COMMENT.exec(text)?.[1];
    let group = groups.at(-1);
    const isOther = comment !== undefined || fence !== group?.fence;
    if (group === undefined || (isOther && group.commands.length > 0)) {
      group = { fence, comments: [], commands: [] };
      groups.push(group);
    }
    if (comment === undefined) group.commands.push(text);
    else group.comments.push(comment);
  }
  const words = heading.replace(STEP_NUMBER, "");
  const named = words !== heading || isInstruction(words) ? words : undefined;
  return groups.map(({ comments, commands }, i) => ({
    text:
      comments.length > 0
        ? comments.join(". ")
        : ((i === 0 ? named : undefined) ?? `Run ${commands.length > 1 ? "these commands" : "this command"}.`),
    command: commands.length > 0 ? withoutPrompts(dedent(commands)) : null,
    effect: null,
    undo: null,
  }));
}

function parseLines(lines: readonly Line[]): RunbookItem[] {
  const hasList = lines.some((line) => startsListItem(line));
  const groups: Line[][] = [];
  lines.forEach((line, i) => {
    const isOwn = startsParagraph(line, lines[i - 1]) && !UNDO.test(line.text) && !OPTION_ITEM.test(line.text);
    // Above the first item stands an introduction, and below the last one may stand more.
    const starts = startsListItem(line) || (isOwn && (!hasList || groups.length > 0));
    if (starts || (line.check && groups.length === 0)) groups.push([]);
    groups.at(-1)?.push(line);
  });
  // A paragraph between two lists that introduces the second one.
  const isIntroduction = (group: readonly Line[]) =>
    hasList &&
    group[0] &&
    !startsListItem(group[0]) &&
    group
      .findLast(({ text }) => text.trim() !== "")
      ?.text.trimEnd()
      .endsWith(":");
  return groups
    .filter((group) => !isIntroduction(group))
    .flatMap(splitAtCode)
    .flatMap(parseGroup)
    .filter((item) => item.text !== "");
}

/** A sentence between two codes of an item is a step with the second one. */
function splitAtCode(lines: readonly Line[]): Line[][] {
  const steps: Line[][] = [[]];
  let isUndo = false;
  const lastCode = lines.findLastIndex(({ fence, check }) => fence !== undefined && check === undefined);
  let hasCode = false;
  lines.forEach((line, i) => {
    const isCode = line.fence !== undefined;
    isUndo ||= !isCode && UNDO.test(line.text.trim().replace(ITEM_START, ""));
    if (!isCode && line.text.trim() !== "" && hasCode && !isUndo && i < lastCode) {
      steps.push([]);
      hasCode = false;
    }
    hasCode ||= isCode && line.check === undefined;
    steps.at(-1)?.push(line);
  });
  return steps;
}

/** The rows of the tables of a section, without headers, and its other lines. */
function splitTables(lines: readonly Line[]): { readonly rows: readonly string[]; readonly others: readonly Line[] } {
  const rows: string[] = [];
  const others: Line[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i];
    const isTable = line?.fence === undefined && isDelimiter(lines[i + 1]?.text ?? "");
    if (line && !isTable) others.push(line);
    if (!isTable) continue;
    for (i += 2; i < lines.length && lines[i]?.fence === undefined && isRow(lines[i]?.text ?? ""); i += 1)
      rows.push(lines[i]?.text ?? "");
    i -= 1;
  }
  return { rows, others };
}

function rowItem(row: string): RunbookItem {
  const [first = "", ...others] = cellsOf(row).filter((cell) => !isPlaceholder(cell));
  const sentence = [first, others.join("; ")].filter((part) => part !== "").join(": ");
  return { ...readDeclaredEffect(oneLine([sentence]).replaceAll("**", "")), command: null, undo: null };
}

interface Line {
  readonly text: string;
  /** Number of the fence that holds the line, from 1; undefined outside code. Fence markers themselves are dropped. */
  readonly fence: number | undefined;
  /** The language that the fence names, in lower case; empty for none. */
  readonly language?: string;
  /** A check with its rules is one line. */
  readonly check?: CodeFence;
}

const OUTPUT_LANGUAGE = /^(?:|console|json|log|none|output|plain(?:text)?|te?xt|ya?ml)$/;
/** Introduces what a command prints: "The output is similar to:", "You should see:" */
const ANNOUNCES_OUTPUT =
  /^(?:(?:an?|correct|example|expected|healthy|its?|normal|possible|sample|similar|the|this|typical)\s){0,4}(?:outputs?|responses?|results?)\b|^(?:it|that|this|which|you|the command)\s(?:(?:can|may|might|should|will)\s)?(?:get|gives?|looks?|outputs?|prints?|returns?|see|shows?)\b/i;

/** "You can see the errors by running:" */
const ANNOUNCES_COMMAND = /\b(?:by|through|via|with) (?:execut|running|using|(?:this|the following) command)/i;

/** Without fences that show the output of the command above them or begin with a sentence, and the lines that announce one alone. */
function withoutOutput(lines: readonly Line[]): Line[] {
  const kept: Line[] = [];
  let current: number | undefined;
  let isOutput = false;
  for (const line of lines) {
    if (line.fence !== undefined && line.fence !== current && line.text.trim() !== "") {
      current = line.fence;
      const at = kept.findLastIndex(({ text, check }) => text.trim() !== "" || check);
      const above = kept[at];
      const words = above?.text.trim() ?? "";
      const isAnnounced = above?.fence === undefined && ANNOUNCES_OUTPUT.test(words) && !ANNOUNCES_COMMAND.test(words);
      const isProse = SENTENCE.test(line.text) && !isInstruction(line.text);
      isOutput =
        DRAWN_LANGUAGE.test(line.language ?? "") ||
        ((isAnnounced || isProse || (above?.fence !== undefined && above.check === undefined)) &&
          OUTPUT_LANGUAGE.test(line.language ?? "") &&
          !beginsCommand(line.text));
      const isLead = above?.fence === undefined && words.endsWith(":") && (isAnnounced || !isInstruction(words));
      if (isOutput && isLead) kept.length = at;
    }
    if (!isOutput || line.fence !== current) kept.push(line);
  }
  return kept;
}

function markCode(raw: readonly string[]): Line[] {
  const checks = new Map(checkBlocks(raw).map((check) => [check.start, check]));
  const lines: Line[] = [];
  let fences = 0;
  let language = "";
  let open: string | undefined;
  for (let i = 0; i < raw.length; i += 1) {
    const check = checks.get(i);
    if (check) {
      fences += 1;
      lines.push({ text: "", fence: fences, check });
      i = check.end - 1;
      continue;
    }
    const text = raw[i] ?? "";
    const next = fenceAfter(open, text);
    if (next === open) lines.push({ text, fence: open === undefined ? undefined : fences, language });
    else if (open === undefined) {
      fences += 1;
      language = languageOf(text.replace(FENCE, "").trim());
    }
    open = next;
  }
  return lines;
}

/** Without list items that are a link alone, and the line that announces them. A link that names an instruction is a step. */
function withoutReferences(lines: readonly Line[]): Line[] {
  const kept: Line[] = [];
  for (const line of lines) {
    const linked = line.fence === undefined ? LINK_ITEM.exec(line.text)?.[1] : undefined;
    if (linked === undefined || isInstruction(linked)) {
      kept.push(line);
      continue;
    }
    const above = kept.findLastIndex(({ text }) => text.trim() !== "");
    if (kept[above]?.fence === undefined && kept[above]?.text.trimEnd().endsWith(":")) kept.length = above;
  }
  return kept;
}

function startsListItem({ text, fence }: Line): boolean {
  return fence === undefined && ITEM_START.test(text) && !OPTION_ITEM.test(text);
}

function startsParagraph({ text, fence }: Line, previous: Line | undefined): boolean {
  return (
    fence === undefined &&
    /^\S/.test(text) &&
    (previous === undefined || previous.fence !== undefined || previous.text.trim() === "")
  );
}

/** The item of a group, and the checks in it that are items of their own. */
function parseGroup(lines: readonly Line[]): RunbookItem[] {
  const item = parseItem(lines.filter(({ check }) => check === undefined));
  const checks = lines.flatMap(({ check }) => check ?? []);
  const [first, ...others] = checks;
  if (first === undefined) return [item];
  if (item.text === "" || item.command !== null || item.undo !== null) return [item, ...checks.map(checkAlone)];
  const { text, command, effect, check } = checkAlone(first);
  const joined: RunbookItem = {
    text: `${sentenceOf(item.text)} ${text}`,
    command,
    // A command in the author's sentence may change something.
    effect: item.effect ?? (item.text.includes("`") ? null : effect),
    undo: null,
    ...(check ? { check: { ...check, isAlone: false } } : {}),
  };
  return [joined, ...others.map(checkAlone)];
}

function checkAlone(check: CodeFence): RunbookItem {
  const { text, name, language, isReadOnly } = checkStep(check);
  return {
    text,
    command: commandOf(language, dedent(check.code)),
    effect: isReadOnly ? "read_only" : null,
    undo: null,
    check: { name, language, isAlone: true },
  };
}

function parseItem(lines: readonly Line[]): RunbookItem {
  const prose: string[] = [];
  const code = new Map<number, string[]>();
  let undo: string[] | undefined;
  /** The number of the last nested item. */
  let nested = 0;
  for (const [i, { text, fence }] of lines.entries()) {
    const number = Number(/^\d{1,3}(?=[.)]\s)/.exec(text.trim())?.[0] ?? 1);
    // A sentence that goes on with "5) of the table" begins no item.
    const isItem = ITEM_START.test(text.trim()) && (i === 0 || number === 1 || number === nested + 1);
    if (isItem && i > 0) nested = number;
    const sentence = isItem ? text.trim().replace(ITEM_START, "") : text.trim();
    if (fence !== undefined) {
      // Code below an undo belongs to the undo: it is not the step's command.
      if (undo) undo.push(sentence);
      else code.set(fence, [...(code.get(fence) ?? []), text]);
    } else if (UNDO.test(sentence)) {
      undo = [sentence.replace(UNDO, "")];
    } else {
      const own = undo ?? prose;
      // A nested item is a sentence of its own.
      if (isItem && /[^\s.:;,!?]$/.test(own.at(-1) ?? "")) own.push(`${own.pop()};`);
      own.push(sentence);
    }
  }
  const commands = [...code.values()].map((each) => withoutPrompts(dedent(each))).filter((each) => each !== "");
  return {
    ...readDeclaredEffect(oneLine(prose).replaceAll("**", "")),
    command: commands.length > 0 ? commands.join("\n") : null,
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
