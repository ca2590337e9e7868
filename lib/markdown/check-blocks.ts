// Reader of code fences with the rule lines below them: the Markdown form of a check. It reads the form only; parse-checks.ts
// in checks/ decides whether a check is valid.

import { fenceAfter } from "./fences.ts";

export interface RuleLine {
  /** Index of its first line. */
  readonly index: number;
  /** In lower case, such as "confirms"; also a misspelt one such as "confirm". */
  readonly keyword: string;
  /** The text after the colon, on one line; null without a colon. */
  readonly text: string | null;
}

/** A code fence, with the rules below it if there are any. */
export interface CodeFence {
  /** Index of the opening line. */
  readonly start: number;
  /** Index after the last line of the fence and of its rules. */
  readonly end: number;
  /** The text after the opening marker, trimmed. */
  readonly info: string;
  readonly code: readonly string[];
  readonly isClosed: boolean;
  readonly rules: readonly RuleLine[];
  /** Whether its info string has the attribute `check` in braces, valid or not. */
  readonly isCheck: boolean;
}

const OPENING = /^\s*(?:`{3,}|~{3,})/;
const CHECK_INFO = /^[^\s{]{0,40}\s{0,20}\{(?:[^}]{0,400}[\s,])?check\b/i;
const RULE =
  /^\s*(?:[-*+]|\d{1,3}[.)])\s+[*_]{0,3}(confirms?|confirmed|refutes?|refuted|else|otherwise|inconclusive)\s{0,3}[*_]{0,3}\s{0,3}:[*_]{0,3}/i;
/** A rule without its colon. "Confirm with the team" is an ordinary item. */
const RULE_WITHOUT_COLON =
  /^\s*(?:[-*+]|\d{1,3}[.)])\s+[*_]{0,3}(confirms|refutes)[*_]{0,3}\s{1,3}(?:any|all|count)\b/i;
/** A condition under a name that is no rule, such as "confrims: any > 1". */
const MISSPELT_RULE =
  /^\s*(?:[-*+]|\d{1,3}[.)])\s+[*_]{0,3}([A-Za-z]{3,20})[*_]{0,3}\s{0,3}:[*_]{0,3}\s{0,3}`?(?:any|all|count)\b/i;
const NEW_BLOCK = /^\s*(?:[-*+]\s|\d{1,3}[.)]\s|#{1,6}\s|>|`{3,}|~{3,})/;

/** The code fences of a text, in its order. */
export function readFences(lines: readonly string[]): CodeFence[] {
  const fences: CodeFence[] = [];
  for (let i = 0; i < lines.length; ) {
    const marker = fenceAfter(undefined, lines[i] ?? "");
    if (marker === undefined) {
      i += 1;
      continue;
    }
    let close = i + 1;
    while (close < lines.length && fenceAfter(marker, lines[close] ?? "") !== undefined) close += 1;
    const isClosed = close < lines.length;
    const info = (lines[i] ?? "").replace(OPENING, "").trim();
    const { rules, end } = isClosed ? readRules(lines, close + 1) : { rules: [], end: close };
    fences.push({
      start: i,
      end,
      info,
      code: lines.slice(i + 1, close),
      isClosed,
      rules,
      isCheck: CHECK_INFO.test(info),
    });
    i = end;
  }
  return fences;
}

/** The fences of a text that declare checks. */
export function checkBlocks(lines: readonly string[]): CodeFence[] {
  const mayHave = lines.some((line) => OPENING.test(line) && line.includes("{"));
  return mayHave ? readFences(lines).filter(({ isCheck }) => isCheck) : [];
}

/** A Markdown text as if its checks had never been written. A text without checks is returned as it is. */
export function withoutChecks(markdown: string): string {
  if (!markdown.includes("{")) return markdown;
  const lines = markdown.split(/\r?\n/);
  const blocks = checkBlocks(lines);
  if (blocks.length === 0) return markdown;
  const kept: string[] = [];
  let from = 0;
  for (const { start, end } of blocks) {
    kept.push(...lines.slice(from, start));
    const isAfterBlank = kept.length === 0 || kept.at(-1)?.trim() === "";
    for (from = end; isAfterBlank && from < lines.length && lines[from]?.trim() === ""; ) from += 1;
  }
  return withoutBlankEdges([...kept, ...lines.slice(from)]);
}

/** Drops blank lines at both ends. Keeps the indentation of the first line. */
export function withoutBlankEdges(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? "" : lines.slice(first).join("\n").trimEnd();
}

/** Reads rule lines, which may have blank lines between them and may continue on the next lines. */
function readRules(lines: readonly string[], from: number): { readonly rules: RuleLine[]; readonly end: number } {
  const rules: RuleLine[] = [];
  let end = from;
  for (let i = from; i < lines.length; ) {
    if ((lines[i] ?? "").trim() === "") {
      i += 1;
      continue;
    }
    const rule = ruleOf(lines[i] ?? "", i);
    if (rule === undefined) break;
    const more: string[] = [];
    for (i += 1; i < lines.length && continuesRule(lines[i] ?? ""); i += 1) more.push((lines[i] ?? "").trim());
    rules.push({ ...rule, text: rule.text === null ? null : [rule.text, ...more].join(" ").trim() });
    end = i;
  }
  return { rules, end };
}

function ruleOf(line: string, index: number): RuleLine | undefined {
  const rule = RULE.exec(line) ?? MISSPELT_RULE.exec(line);
  if (rule) return { index, keyword: (rule[1] ?? "").toLowerCase(), text: line.slice(rule[0].length).trim() };
  const keyword = RULE_WITHOUT_COLON.exec(line)?.[1];
  return keyword === undefined ? undefined : { index, keyword: keyword.toLowerCase(), text: null };
}

function continuesRule(line: string): boolean {
  return line.trim() !== "" && !NEW_BLOCK.test(line);
}

/** The language of an info string in lower case, such as "promql" of "promql {check=x}". */
export function languageOf(info: string): string {
  return (/^[^\s{]{0,40}/.exec(info)?.[0] ?? "").toLowerCase();
}
