// Reads a text of any form as a report: a title, and the evidence. Pure functions, linear in the text.

import { findHeadline } from "../../lib/logs/find-headline.ts";
import { type FittedLog, fitLog } from "../../lib/logs/fit-log.ts";
import { loggedLines } from "../../lib/logs/logged-lines.ts";
import { structuredMessage } from "../../lib/logs/structured-line.ts";
import { isIntroduction, isMachineLine, isWritten } from "../../lib/logs/written-line.ts";
import { redact } from "../../lib/redaction/redact.ts";
import { truncate } from "../schemas/incident.ts";
import type { TriageRequest } from "./create-incident.ts";
import { tableAlerts } from "./webhooks/alert-table.ts";

export interface Report {
  /** One line of at most 1,000 characters. */
  readonly title: string;
  /** The evidence, at most 500,000 characters; undefined when the title says everything. */
  readonly logs?: string;
  /** Whether a person wrote the title. Otherwise it quotes the evidence. */
  readonly isWritten: boolean;
}

export interface ReadOptions {
  /** Whether the text comes from a chat: any first line that is no part of a log is what somebody typed. */
  readonly isTyped?: boolean;
  /** Whether the evidence keeps the line numbers of the text: the line of the title is left empty. */
  readonly keepsLines?: boolean;
}

/** Characters; the same limit as in the API. */
const MAX_TITLE_LENGTH = 1_000;
const MAX_QUESTION_LENGTH = 4_000;
/** Lines that are searched for the form of a log. */
const MAX_FORM_LINES = 60;
/** Lines at the start that may only introduce the text. */
const MAX_INTRODUCTION_LINES = 4;

/**
 * A line alone that no program wrote stays the title. So does a first line that a person wrote, with the other lines as
 * evidence. Of anything else the headline is the title and the whole text the evidence. Returns null for a text without visible characters.
 */
export function readReport(text: string, options: ReadOptions = {}): Report | null {
  return reportOf(fitLog(text), options);
}

/**
 * A question as people ask it, with what they pasted into it moved to the evidence: a question with an injected instruction
 * is refused, and of evidence only the line is removed.
 */
export function readQuestion(
  text: string,
  logs: string | undefined,
): Pick<TriageRequest, "title" | "question" | "logs"> {
  const isShort = text.length <= MAX_QUESTION_LENGTH;
  const isPasted = text.includes("\n") && loggedLines(text) !== null;
  const report = isShort && !isPasted ? null : readReport(text, { isTyped: true });
  if (report === null) return { question: cutRedacted(text, MAX_QUESTION_LENGTH), logs };
  const evidence = [report.logs, logs].filter((each) => each !== undefined && each !== "").join("\n");
  return {
    ...(report.isWritten ? { question: report.title } : { title: report.title }),
    logs: evidence === "" ? undefined : fitLog(evidence).text,
  };
}

/** `readReport` for a text that is already fitted. */
export function reportOf({ text }: Pick<FittedLog, "text">, options: ReadOptions = {}): Report | null {
  const lines = text.split(/\r\n|\r|\n/);
  const filled = lines.flatMap((line, at) => (line.trim() === "" ? [] : [at]));
  const [first] = filled;
  if (first === undefined) return null;
  if (filled.length === 1) return reportOfLine((lines[first] ?? "").trim());
  const table = tableTitle(text);
  if (table !== null) return { title: titleOf(table), logs: text, isWritten: false };
  const written = writtenLine(lines, filled, options);
  // A text of signs alone, such as `"}`, has no headline.
  if (written === null)
    return { title: titleOf(findHeadline(text)) || titleOf(lines[first] ?? ""), logs: text, isWritten: false };
  const title = (lines[written] ?? "").trim();
  const others = options.keepsLines
    ? lines
        .map((line, at) => (at === written ? "" : line))
        .join("\n")
        .trimEnd()
    : lines
        .filter((_, at) => at !== written)
        .join("\n")
        .trim();
  return { title: titleOf(title), logs: title.length > MAX_TITLE_LENGTH ? text : others, isWritten: true };
}

/** What the first row of a table of alerts says; null for another text. A line above the table is its command. */
function tableTitle(text: string): string | null {
  const context = { receivedAt: new Date(0), targetOf: () => null };
  return tableAlerts(text, context)?.alerts[0]?.title ?? null;
}

function reportOfLine(line: string): Report {
  const message = line.startsWith("{") ? structuredMessage(line) : null;
  if (message !== null) return { title: titleOf(message), logs: line, isWritten: false };
  const headline = isMachineLine(line) ? titleOf(findHeadline(line)) || line : line;
  if (headline !== line) return { title: headline, logs: line, isWritten: false };
  if (line.length <= MAX_TITLE_LENGTH) return { title: line, isWritten: true };
  return { title: titleOf(line), logs: line, isWritten: true };
}

/** The index of the first line that a person wrote about the failure; null when a program wrote the first line. */
function writtenLine(
  lines: readonly string[],
  filled: readonly number[],
  { isTyped = false }: ReadOptions,
): number | null {
  const isAboveLog = filled.slice(1, MAX_FORM_LINES).some((at) => isMachineLine(lines[at] ?? ""));
  for (const at of filled.slice(0, MAX_INTRODUCTION_LINES)) {
    const line = lines[at] ?? "";
    if (isMachineLine(line)) return null;
    if (isIntroduction(line)) continue;
    return isTyped || isWritten(line, isAboveLog) ? at : null;
  }
  return null;
}

function titleOf(text: string): string {
  return cutRedacted(text.replace(/\s+/g, " ").trim(), MAX_TITLE_LENGTH);
}

/** Redacts before it cuts: half a secret is not recognised later. */
function cutRedacted(text: string, length: number): string {
  return text.length <= length ? text : truncate(redact(text).text, length);
}
