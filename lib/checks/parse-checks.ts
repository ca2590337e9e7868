// Parses the checks of a runbook. A check with a problem is left out, and all others load.

import { type CodeFence, languageOf, readFences } from "../markdown/check-blocks.ts";
import { splitFrontMatter } from "../markdown/front-matter.ts";
import { readSections } from "../markdown/markdown-sections.ts";
import { parseRunbookItems } from "../markdown/runbook-items.ts";
import { sectionRole } from "../markdown/section-role.ts";
import { bytesOf } from "../text/text-weight.ts";
import { CHECK_LANGUAGES, type CheckDefinition } from "./check.ts";
import { readAttributes } from "./check-attributes.ts";
import { readRules } from "./check-rules.ts";
import { isCheckLanguage, LANGUAGES } from "./languages.ts";

export interface ParsedCheck extends CheckDefinition {
  /** Line of its fence, from 1. */
  readonly line: number;
  /** Headings of its section, outermost first, without the title. */
  readonly headingPath: readonly string[];
}

export interface CheckProblem {
  /** Line in the text, from 1. */
  readonly line: number;
  /** What is wrong and what to do. */
  readonly message: string;
}

export interface ParsedChecks {
  readonly checks: readonly ParsedCheck[];
  /** In the order of their lines. */
  readonly problems: readonly CheckProblem[];
}

/** A section of a stored runbook, or a part of one. */
export interface CheckSection {
  readonly id: string;
  readonly headingPath: readonly string[];
  readonly body: string;
}

export interface SectionCheck extends CheckDefinition {
  /** Id of the section that declares it. */
  readonly section: string;
}

interface Part {
  readonly headingPath: readonly string[];
  readonly lines: readonly string[];
  /** Line of the first of `lines`, from 1. */
  readonly line: number;
}

/** Of a fence with its rules, in UTF-8. A chunk of a stored runbook holds more, so it holds the check whole. */
export const MAX_CHECK_BYTES = 8_000;
/** In a runbook. Parsing more would take longer than a request may. */
export const MAX_CHECKS = 100;
const TOO_MANY = `the runbook has more than ${MAX_CHECKS} checks, and those from here on do not load: split it.`;

/** Parses the checks of a runbook's Markdown, with front matter or without. Lines are those of the text. */
export function parseChecks(markdown: string): ParsedChecks {
  const text = markdown.replace(/^\uFEFF/, "");
  const { markdown: body, linesAbove } = splitFrontMatter(text);
  const { sections } = readSections(body, "");
  const parts = sections.map(({ headingPath, lines, line }) => ({ headingPath, lines, line: line + linesAbove }));
  const problems: CheckProblem[] = [];
  const checks = new Map<string, ParsedCheck>();
  const causes = listedCauses(parts);
  let count = 0;
  for (const { part, fence } of fencesOf(parts)) {
    count += Number(fence.isCheck);
    if (count > MAX_CHECKS) {
      problems.push({ line: part.line + fence.start, message: TOO_MANY });
      break;
    }
    const read = readCheck(fence, part);
    problems.push(...read.problems);
    if (read.check === null) continue;
    const { name, line } = read.check;
    const first = checks.get(name);
    if (first)
      problems.push({ line, message: `the check "${name}" is in line ${first.line} already: give it another name.` });
    else {
      const placed = placeCheck(read.check, causes);
      problems.push(...placed.problems);
      checks.set(name, placed.check);
    }
  }
  return { checks: [...checks.values()], problems: problems.sort((a, b) => a.line - b.line) };
}

/**
 * Parses the checks of the sections of a stored runbook. Neighbouring parts of a section may repeat a check, which then
 * belongs to the first. Problems were reported when the runbook was stored.
 */
export function parseSectionChecks(sections: readonly CheckSection[]): SectionCheck[] {
  const parts = sections.map(({ id, headingPath, body }) => ({ id, headingPath, lines: body.split(/\r?\n/), line: 1 }));
  const checks = new Map<string, SectionCheck>();
  let causes: readonly string[] | undefined;
  for (const { part, fence } of fencesOf(parts)) {
    if (checks.size === MAX_CHECKS) break;
    const { check } = fence.isCheck ? readCheck(fence, part) : { check: null };
    if (check === null || checks.has(check.name)) continue;
    causes ??= listedCauses(parts);
    const { line: _line, headingPath: _path, ...definition } = placeCheck(check, causes).check;
    checks.set(check.name, { ...definition, section: part.id });
  }
  return [...checks.values()];
}

function fencesOf<T extends Pick<Part, "lines">>(
  parts: readonly T[],
): { readonly part: T; readonly fence: CodeFence }[] {
  return parts.flatMap((part) => readFences(part.lines).map((fence) => ({ part, fence })));
}

/** Whether a text begins with the words of an attribute `cause`. Case, emphasis and punctuation do not count. */
export function beginsWithWords(text: string, beginning: string): boolean {
  const words = wordsOf(beginning);
  const start = wordsOf(text).slice(0, words.length);
  return words.length > 0 && words.every((word, i) => word === start[i]);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The items of the sections about causes. */
function listedCauses(parts: readonly Pick<Part, "headingPath" | "lines">[]): string[] {
  const items = parts
    .filter(({ headingPath }) => sectionRole(headingPath) === "causes")
    .flatMap(({ lines }) => parseRunbookItems(lines.join("\n")).map(({ text }) => text));
  return [...new Set(items)];
}

/** Reports a wrong section and a wrong cause. The check loads: without its cause, it belongs to the whole runbook. */
function placeCheck(
  check: ParsedCheck,
  causes: readonly string[],
): { readonly check: ParsedCheck; readonly problems: readonly CheckProblem[] } {
  const { cause, line, headingPath, name } = check;
  const problems: CheckProblem[] = [];
  if (sectionRole(headingPath) !== "confirm")
    problems.push({
      line,
      message: `the check "${name}" stands outside of a section such as "Confirm": move it there.`,
    });
  const matches = cause === null ? 0 : causes.filter((each) => beginsWithWords(each, cause)).length;
  if (cause === null || matches === 1) return { check, problems };
  const message =
    matches === 0
      ? `no listed cause begins with "${cause}". Write the first words of one, or remove the attribute; the check belongs to the whole runbook now.`
      : `${matches} listed causes begin with "${cause}". Write more words of one; the check belongs to the whole runbook now.`;
  return { check: { ...check, cause: null }, problems: [...problems, { line, message }] };
}

interface ReadCheck {
  readonly check: ParsedCheck | null;
  readonly problems: readonly CheckProblem[];
}

/** The check of a fence, with all problems of it; no check for a fence that is none. */
function readCheck(fence: CodeFence, part: Part): ReadCheck {
  const line = part.line + fence.start;
  const failed = (message: string) => ({ check: null, problems: [{ line, message }] });
  if (!fence.isCheck) {
    const message = missingAttribute(fence);
    return message === null ? { check: null, problems: [] } : failed(message);
  }
  if (!fence.isClosed) return failed("the code fence of the check is not closed.");
  const bytes = bytesOf(part.lines.slice(fence.start, fence.end).join("\n"));
  if (bytes > MAX_CHECK_BYTES)
    return failed(
      `the check has ${bytes.toLocaleString("en")} bytes; the limit is ${MAX_CHECK_BYTES.toLocaleString("en")}.`,
    );

  const language = languageOf(fence.info);
  const read = readAttributes(fence.info);
  const query = readQuery(fence.code, { line, language });
  const rules = readRules(fence.rules, {
    line,
    firstLine: part.line,
    language: isCheckLanguage(language) ? language : null,
  });
  const errors = [
    ...(read.ok ? [] : read.messages.map((message) => ({ line, message }))),
    ...query.problems,
    ...rules.problems,
  ];
  const problems = [...errors, ...rules.warnings];
  if (!read.ok || !isCheckLanguage(language) || errors.length > 0) return { check: null, problems };
  const { confirms, refutes, otherwise } = rules;
  const { headingPath } = part;
  const definition = { ...read.attributes, language, query: query.text, confirms, refutes, otherwise };
  return { check: { ...definition, line, headingPath }, problems };
}

/** The query as it is sent, and its problems. */
function readQuery(code: readonly string[], { line, language }: { readonly line: number; readonly language: string }) {
  const { text, skipped } = queryOf(code);
  const report = (message: string) => ({ text, problems: [{ line, message }] });
  if (!isCheckLanguage(language)) return report(`the language "${language}" is none of ${CHECK_LANGUAGES.join(", ")}.`);
  if (text === "") return report("the check has no query.");
  const problems = LANGUAGES[language].validate(text);
  return { text, problems: problems.map((each) => ({ line: line + skipped + each.line, message: each.message })) };
}

/** A fence whose language or rules show that a check was meant. */
function missingAttribute({ info, rules }: CodeFence): string | null {
  const language = languageOf(info);
  if (!isCheckLanguage(language)) return null;
  const rest = info.slice(language.length).trim();
  const isMeant =
    rest.startsWith("{") ||
    /^check\s?=/i.test(rest) ||
    rules.some(({ keyword }) => /^(?:confirm|refute)/.test(keyword));
  return isMeant ? `this block is no check without its name in braces: write \`${language} {check=<name>}\`.` : null;
}

/** The code without its indentation and without blank lines at its ends, and the number of lines skipped at its start. */
function queryOf(code: readonly string[]): { text: string; skipped: number } {
  const filled = code.flatMap((line, i) => (line.trim() === "" ? [] : [i]));
  const first = filled[0] ?? 0;
  const lines = code.slice(first, (filled.at(-1) ?? -1) + 1);
  const indent = Math.min(
    ...lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length),
  );
  return {
    text: lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0).trimEnd()).join("\n"),
    skipped: first,
  };
}
