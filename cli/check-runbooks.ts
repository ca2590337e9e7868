// Checks of runbooks that need no service: each reads a file and reports problems with their lines.

import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { type ParsedCheck, parseChecks } from "../functions/checks/parse-checks.ts";
import { commandEffect } from "../functions/command-safety/command-effect.ts";
import { inlineCommands, stepEffect } from "../functions/command-safety/step-effect.ts";
import {
  type DefinedDomain,
  domainDefinitionSchema,
  findLabelConflicts,
} from "../functions/knowledge/domains/domain-definition.ts";
import { fenceAfter } from "../functions/retrieval/text/fences.ts";
import { parseRunbookItems, type RunbookItem } from "../functions/retrieval/text/runbook-items.ts";
import { sectionRole } from "../functions/retrieval/text/section-role.ts";
import {
  type DocumentFile,
  dateInName,
  documentFrontMatterSchema,
  endingsOf,
  hasFrontMatter,
  isDate,
} from "./document-files.ts";
import { DEFINITION_FILE, findDomainFiles, frontMatterSchema } from "./runbook-files.ts";

export interface RunbookProblem {
  readonly file: string;
  /** From 1; null for the whole file. */
  readonly line: number | null;
  readonly message: string;
}

/** A problem without the file's name. */
type Finding = Pick<RunbookProblem, "line" | "message">;

/** A runbook split at its headings. */
interface ParsedRunbook {
  readonly bytes: number;
  /** With its delimiters; null without one. `end` is missing if it does not end. */
  readonly frontMatter: { readonly yaml: string; readonly isClosed: boolean } | null;
  readonly sections: readonly ParsedSection[];
}

interface ParsedSection {
  /** 0 for the text above the first heading. */
  readonly level: number;
  readonly heading: string;
  /** Headings from level 2 down, the own one last. */
  readonly path: readonly string[];
  /** Line of the heading, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** To add a check, write a function and add it here. */
const CHECKS: readonly ((runbook: ParsedRunbook) => Finding[])[] = [
  checkSize,
  (runbook) => checkFrontMatter(runbook, frontMatterSchema),
  checkTitle,
  checkEmptySections,
  checkConfirmCommands,
];

/** Of PUT /v1/runbooks and POST /v1/documents. */
const MAX_BYTES = 524_288;
const HEADING = /^(#{1,6})[ \t](.*)$/;
const BOUNDARY = "---";

/** An evidence check of a runbook, and where it is. */
export interface FileCheck {
  readonly file: string;
  /** Name of the folder; null for a single file. */
  readonly domain: string | null;
  readonly check: ParsedCheck;
}

export interface RunbookCheck {
  readonly files: number;
  readonly problems: readonly RunbookProblem[];
  /** The evidence checks that can run. */
  readonly checks: readonly FileCheck[];
}

/** Checks a folder, a runbook or a `domain.yaml`. @throws Error when it is missing, or a folder has the wrong layout */
export async function checkRunbooks(path: string): Promise<RunbookCheck> {
  const isFile = await stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );
  if (!isFile) return checkRunbookFolder(path);
  const isDefinition = basename(path) === DEFINITION_FILE;
  if (!isDefinition && !path.endsWith(".md"))
    throw new Error(`${path} is no runbook: give a Markdown file (.md), a ${DEFINITION_FILE} or a folder.`);
  const content = await readFile(path);
  if (isDefinition) {
    const { findings } = checkDefinition(content.toString("utf8"));
    return { files: 1, problems: findings.map((finding) => ({ file: path, ...finding })), checks: [] };
  }
  return { files: 1, ...checkFile(path, null, content) };
}

/** @throws Error when the folder has the wrong layout */
export async function checkRunbookFolder(directory: string): Promise<RunbookCheck> {
  const domains = await findDomainFiles(directory);
  const problems: RunbookProblem[] = [];
  const checks: FileCheck[] = [];
  const definitions: (DefinedDomain & { readonly file: string })[] = [];
  let files = 0;
  for (const { name, definition, runbooks, documents, ignored } of domains) {
    if (definition !== null) {
      files += 1;
      const { findings, data } = checkDefinition(await readFile(definition, "utf8"));
      problems.push(...findings.map((finding) => ({ file: definition, ...finding })));
      if (data !== null) definitions.push({ name, definition: data, file: definition });
    }
    for (const { path } of runbooks) {
      files += 1;
      const read = checkFile(path, name, await readFile(path));
      problems.push(...read.problems);
      checks.push(...read.checks);
    }
    for (const file of documents) {
      files += 1;
      problems.push(
        ...checkDocument(file, await readFile(file.path)).map((finding) => ({ file: file.path, ...finding })),
      );
    }
    problems.push(...ignored.map(ignoredFile));
  }
  return { files, problems: [...problems, ...labelConflicts(definitions)], checks };
}

/** The problems and the evidence checks of a runbook. */
function checkFile(file: string, domain: string | null, content: Uint8Array): Omit<RunbookCheck, "files"> {
  const { checks } = parseChecks(decode(content) ?? "");
  return {
    problems: checkRunbook(content).map((finding) => ({ file, ...finding })),
    checks: checks.map((check) => ({ file, domain, check })),
  };
}

/** Mistakes in the evidence checks of a folder. @throws Error when the folder has the wrong layout */
export async function findCheckProblems(directory: string): Promise<RunbookProblem[]> {
  const files = (await findDomainFiles(directory)).flatMap(({ runbooks }) => runbooks);
  const problems = files.map(async ({ path: file }) =>
    parseChecks(await readFile(file, "utf8")).problems.map((problem) => ({ file, ...problem })),
  );
  return (await Promise.all(problems)).flat();
}

/** The problems of a note, a log or a postmortem, by line. */
export function checkDocument({ path, kind }: Pick<DocumentFile, "path" | "kind">, content: Uint8Array): Finding[] {
  const text = decode(content);
  if (text === null) return [NOT_UTF_8];
  const document = parse(text, content.byteLength);
  const date = dateInName(path);
  return [
    ...checkSize(document),
    ...(date === undefined || isDate(date)
      ? []
      : [{ line: null, message: `its name begins with ${date}, which is no date.` }]),
    ...(hasFrontMatter(kind) ? checkFrontMatter(document, documentFrontMatterSchema) : []),
    ...(isEmpty(document) ? [EMPTY] : []),
  ];
}

function ignoredFile({ path, kind }: Pick<DocumentFile, "path" | "kind">): RunbookProblem {
  return { file: path, line: null, message: `is not loaded: the name of a ${kind} ends in ${endingsOf(kind)}.` };
}

const NOT_UTF_8: Finding = { line: null, message: "is not UTF-8. Save it in this encoding." };
const EMPTY: Finding = { line: null, message: "is empty." };

/** Null for a text that is not UTF-8. */
function decode(content: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return null;
  }
}

/** The problems of a runbook, by line. */
export function checkRunbook(content: Uint8Array): Finding[] {
  const text = decode(content);
  if (text === null) return [NOT_UTF_8];
  const runbook = parse(text, content.byteLength);
  const findings = [...CHECKS.flatMap((check) => check(runbook)), ...parseChecks(text).problems];
  return findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function checkSize({ bytes }: ParsedRunbook): Finding[] {
  if (bytes <= MAX_BYTES) return [];
  return [{ line: null, message: `has ${bytes} bytes; the limit is ${MAX_BYTES}. Split it.` }];
}

function checkFrontMatter({ frontMatter }: ParsedRunbook, schema: z.ZodType): Finding[] {
  if (frontMatter === null) return [];
  if (!frontMatter.isClosed) return [{ line: 1, message: `the front matter has no end: close it with ${BOUNDARY}.` }];
  return checkYaml(frontMatter.yaml, schema, { firstLine: 2, name: "front matter" }).findings;
}

function checkTitle({ sections }: ParsedRunbook): Finding[] {
  const isTitled = sections.some(({ level, heading }) => level === 1 && heading !== "");
  if (isEmpty({ sections })) return [EMPTY];
  return isTitled ? [] : [{ line: 1, message: 'has no title. Begin with "# " and the failure in a few words.' }];
}

function isEmpty({ sections }: Pick<ParsedRunbook, "sections">): boolean {
  return sections.every(({ lines, level }) => level === 0 && lines.every((line) => line.trim() === ""));
}

function checkEmptySections({ sections }: ParsedRunbook): Finding[] {
  return sections.flatMap(({ level, heading, line, lines }, i) => {
    const hasText = lines.some((each) => each.trim() !== "");
    const hasChildren = (sections[i + 1]?.level ?? 0) > level;
    if (level === 0 || hasText || hasChildren) return [];
    return [{ line, message: `the section "${heading}" is empty. Fill or remove it.` }];
  });
}

/** Answers show the steps of such a section as checks, which must not change anything. */
function checkConfirmCommands({ sections }: ParsedRunbook): Finding[] {
  return sections
    .filter(({ path }) => sectionRole(path) === "confirm")
    .flatMap(({ heading, line, lines }) =>
      parseRunbookItems(lines.join("\n")).flatMap((step) => {
        // The query of an evidence check is validated as what it is.
        const item = step.check ? { ...step, command: null } : step;
        if ((item.effect ?? stepEffect(item)) !== "changes_state") return [];
        const first = changingText(item);
        const fenced = lines.findIndex((each) => each.trim() === first);
        const offset = fenced === -1 ? lines.findIndex((each) => each.includes(first)) : fenced;
        const message = `"${first}" changes state, and "${heading}" holds checks. Move it to a section of mitigations; if it only reads, mark the step (read-only).`;
        return [{ line: line + 1 + Math.max(offset, 0), message }];
      }),
    );
}

/** The first line of what changes state in a step: its command, one in its sentence, or the sentence itself. */
function changingText({ text, command, effect }: RunbookItem): string {
  const inline = inlineCommands(text).find((each) => each.effect === "changes_state")?.command;
  const isFenced = command !== null && (inline === undefined || commandEffect(command) === "changes_state");
  const changing = isFenced ? command : (inline ?? (effect === null ? "" : text));
  return (changing.split("\n")[0] ?? "").trim();
}

function checkDefinition(text: string) {
  return checkYaml(text, domainDefinitionSchema, { firstLine: 1, name: "file" });
}

/** Parses YAML; the line of a problem is that of the value. */
function checkYaml<T>(
  text: string,
  schema: z.ZodType<T>,
  { firstLine, name }: { readonly firstLine: number; readonly name: string },
): { readonly findings: Finding[]; readonly data: T | null } {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const lineAt = (offset: number) => counter.linePos(offset).line + firstLine - 1;
  if (document.errors.length > 0)
    return {
      findings: document.errors.map(({ pos, message }) => ({
        line: lineAt(pos[0]),
        message: `the ${name} is not valid YAML: ${message}.`,
      })),
      data: null,
    };
  const parsed = schema.safeParse(document.toJS() ?? {});
  if (parsed.success) return { findings: [], data: parsed.data };
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let depth = path.length; depth > 0; depth--) {
      const node: unknown = document.getIn(path.slice(0, depth), true);
      if (hasRange(node)) return lineAt(node.range[0]);
    }
    return firstLine;
  };
  const findings = parsed.error.issues.map((issue) => {
    // The schema reports a misspelt key at its parent.
    const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path;
    return { line: lineOf(path), message: `${path.join(".") || name}: ${issue.message}` };
  });
  return { findings, data: null };
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
}

function labelConflicts(definitions: readonly (DefinedDomain & { readonly file: string })[]): RunbookProblem[] {
  return definitions.flatMap((domain) =>
    findLabelConflicts(domain, definitions).map(({ path, message }) => ({
      file: domain.file,
      line: null,
      message: `${path.join(".")}: ${message}`,
    })),
  );
}

function parse(text: string, bytes: number): ParsedRunbook {
  const all = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = all[0] === BOUNDARY ? all.indexOf(BOUNDARY, 1) : -1;
  const isOpen = all[0] === BOUNDARY && end === -1 && /^[A-Za-z_]+:/.test(all[1] ?? "");
  const frontMatter =
    end > 0 ? { yaml: all.slice(1, end).join("\n"), isClosed: true } : isOpen ? { yaml: "", isClosed: false } : null;
  const first = end > 0 ? end + 1 : 0;
  return { bytes, frontMatter, sections: sectionsOf(all.slice(first), first) };
}

/** @param before number of lines above */
function sectionsOf(all: readonly string[], before: number): ParsedSection[] {
  const sections: (ParsedSection & { readonly lines: string[] })[] = [
    { level: 0, heading: "", path: [], line: before + 1, lines: [] },
  ];
  let fence: string | undefined;
  let path: readonly { readonly level: number; readonly text: string }[] = [];
  all.forEach((line, i) => {
    fence = fenceAfter(fence, line);
    const match = fence === undefined ? HEADING.exec(line) : null;
    if (!match) {
      sections.at(-1)?.lines.push(line);
      return;
    }
    const level = match[1]?.length ?? 1;
    const heading = (match[2] ?? "").trim();
    path = [...path.filter((each) => each.level < level), { level, text: heading }];
    const names = path.filter((each) => each.level > 1).map((each) => each.text);
    sections.push({ level, heading, path: names, line: before + i + 1, lines: [] });
  });
  return sections;
}
