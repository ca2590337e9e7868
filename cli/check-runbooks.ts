// Checks of runbooks that need no service: each reads a file and reports problems with their lines.

import { readFile, stat } from "node:fs/promises";
import { basename, sep } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { type DefinedDomain, domainDefinitionSchema } from "../functions/knowledge/domains/domain-definition.ts";
import { findLabelConflicts } from "../functions/knowledge/domains/label-conflicts.ts";
import {
  checkFrontMatter,
  checkRunbookText,
  checkSize,
  EMPTY,
  type Finding,
  isEmpty,
} from "../functions/knowledge/runbook-text/check-runbook-text.ts";
import { parseRunbook } from "../functions/knowledge/runbook-text/parse-runbook.ts";
import { readTextTopics, type TextTopics } from "../functions/knowledge/runbook-text/text-topics.ts";
import { fallbackTitle } from "../functions/knowledge/text-documents.ts";
import { type ParsedCheck, parseChecks } from "../lib/checks/parse-checks.ts";
import {
  type DocumentFile,
  dateInName,
  decodeUtf8,
  documentFrontMatterSchema,
  hasFrontMatter,
  isDate,
  NOT_UTF_8,
} from "./document-files.ts";
import { DEFINITION_FILE, findDomainFiles, frontMatterSchema, isMarkdown, isPageWithoutText } from "./runbook-files.ts";
import { describeFileError } from "./service/file-error.ts";

export interface RunbookProblem {
  readonly file: string;
  /** From 1; null for the whole file. */
  readonly line: number | null;
  readonly message: string;
}

/** An evidence check of a runbook, and where it is. */
export interface EvidenceCheckInFile {
  readonly file: string;
  /** Name of the folder; null for a single file. */
  readonly domain: string | null;
  readonly check: ParsedCheck;
}

/** The failures that a runbook is about. */
export interface TopicsInFile extends TextTopics {
  readonly file: string;
}

export interface CheckedRunbooks {
  readonly files: number;
  readonly problems: readonly RunbookProblem[];
  /** The evidence checks that can run. */
  readonly checks: readonly EvidenceCheckInFile[];
  /** One entry for each runbook. */
  readonly runbooks: readonly TopicsInFile[];
  /** Files that are not loaded: they are neither Markdown nor documents, or have front matter alone. */
  readonly skipped: readonly string[];
}

/** Checks a folder, a runbook or a `domain.yaml`. @throws Error when it is missing, or a folder has the wrong layout */
export async function checkRunbooks(path: string): Promise<CheckedRunbooks> {
  const isFile = await stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );
  if (!isFile) return checkRunbookFolder(path);
  const isDefinition = basename(path) === DEFINITION_FILE;
  if (!isDefinition && !isMarkdown(path))
    throw new Error(
      `${path} is no runbook: give a Markdown file (.md) that is no README, a ${DEFINITION_FILE} or a folder.`,
    );
  const content = await readFile(path);
  if (isDefinition) {
    const { findings } = readDefinition(content.toString("utf8"));
    const problems = findings.map((finding) => ({ file: path, ...finding }));
    return { files: 1, problems, checks: [], runbooks: [], skipped: [] };
  }
  return { files: 1, ...checkRunbookFile(path, null, content), skipped: [] };
}

/** @throws Error when the folder has the wrong layout */
export async function checkRunbookFolder(directory: string): Promise<CheckedRunbooks> {
  const folder = await findDomainFiles(directory);
  const problems: RunbookProblem[] = [];
  const skipped = [...folder.skipped];
  const checks: EvidenceCheckInFile[] = [];
  const texts: TopicsInFile[] = [];
  const definitions: (DefinedDomain & { readonly file: string })[] = [];
  let files = 0;
  for (const { name, definition, runbooks, documents } of folder.domains) {
    if (definition !== null) {
      files += 1;
      const { findings, data } = readDefinition(await readFile(definition, "utf8"));
      problems.push(...findings.map((finding) => ({ file: definition, ...finding })));
      if (data !== null) definitions.push({ name, definition: data, file: definition });
    }
    for (const { path } of runbooks) {
      const content = await readOr(path, problems);
      if (content === null) continue;
      if (isPageWithoutText(decodeUtf8(content) ?? "")) {
        skipped.push(path);
        continue;
      }
      files += 1;
      const read = checkRunbookFile(path, name, content);
      problems.push(...read.problems);
      checks.push(...read.checks);
      texts.push(...read.runbooks);
    }
    for (const file of documents) {
      const content = await readOr(file.path, problems);
      if (content === null) continue;
      files += 1;
      problems.push(...documentFindings(file, content).map((finding) => ({ file: file.path, ...finding })));
    }
  }
  problems.push(...folder.problems.map((problem) => ({ ...problem, line: null })), ...labelConflicts(definitions));
  return { files, problems, checks, runbooks: texts, skipped };
}

/** The content of a file. Null if it cannot be read, such as a link to nothing: then that is a problem. */
async function readOr(file: string, problems: RunbookProblem[]): Promise<Uint8Array | null> {
  try {
    return await readFile(file);
  } catch (error) {
    const message = describeFileError(error);
    if (message === null) throw error;
    problems.push({ file, line: null, message });
    return null;
  }
}

/** The problems, the evidence checks and the failures of a runbook. */
function checkRunbookFile(
  file: string,
  domain: string | null,
  content: Uint8Array,
): Omit<CheckedRunbooks, "files" | "skipped"> {
  const text = decodeUtf8(content) ?? "";
  const { checks } = parseChecks(text);
  const name = fallbackTitle(file.replaceAll(sep, "/"));
  return {
    problems: runbookFindings(content, name).map((finding) => ({ file, ...finding })),
    checks: checks.map((check) => ({ file, domain, check })),
    runbooks: [{ file, ...readTextTopics(text, name) }],
  };
}

/** The problems of a note, a log or a postmortem, by line. */
export function documentFindings({ path, kind }: Pick<DocumentFile, "path" | "kind">, content: Uint8Array): Finding[] {
  const text = decodeUtf8(content);
  if (text === null) return [{ line: null, message: NOT_UTF_8 }];
  const document = parseRunbook(text, content.byteLength);
  const date = dateInName(path);
  return [
    ...checkSize(document),
    ...(date === undefined || isDate(date)
      ? []
      : [{ line: null, message: `its name begins with ${date}, which is no date.` }]),
    ...(hasFrontMatter(kind)
      ? checkFrontMatter(document, (yaml) => fieldFindings(yaml, documentFrontMatterSchema))
      : []),
    ...(isEmpty(document) ? [EMPTY] : []),
  ];
}

/** The problems of a runbook, by line. @param name of its file, without its ending */
export function runbookFindings(content: Uint8Array, name = ""): Finding[] {
  const text = decodeUtf8(content);
  if (text === null) return [{ line: null, message: NOT_UTF_8 }];
  const checkFields = (yaml: string) => fieldFindings(yaml, frontMatterSchema);
  return checkRunbookText(text, { bytes: content.byteLength, name, checkFields });
}

/** @param yaml front matter without its first line */
function fieldFindings(yaml: string, schema: z.ZodType): readonly Finding[] {
  return readYaml(yaml, schema, { firstLine: 2, name: "front matter" }).findings;
}

function readDefinition(text: string) {
  return readYaml(text, domainDefinitionSchema, { firstLine: 1, name: "file" });
}

/** Parses YAML; the line of a problem is that of the value. */
function readYaml<T>(
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
