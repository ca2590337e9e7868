// Tables of Markdown: their rows, and those of which each row is a failure. Pure functions.

import { isAlertName } from "./alert-name.ts";
import { fenceAfter } from "./fences.ts";
import { isPlaceholder } from "./placeholders.ts";
import { sectionRole } from "./section-role.ts";

/** A line of a text. */
export interface PlainLine {
  readonly text: string;
  /** The line of the source that it comes from, from 1. */
  readonly line: number;
}

/** The lines of a text with its tables of HTML as those of Markdown, on the lines of each table if its rows fit there. */
export function markdownTables(lines: readonly string[]): string[] {
  const plain = [...lines];
  let fence: string | undefined;
  let start: number | undefined;
  lines.forEach((line, i) => {
    fence = fenceAfter(fence, line);
    if (fence === undefined && /^\s*<table\b/i.test(line)) start = i;
    if (start === undefined || !/<\/table>/i.test(line)) return;
    const [, ...rows] = lines
      .slice(start, i + 1)
      .join(" ")
      .split(/<tr\b[^<>]{0,200}>/i);
    const [header = [], ...others] = rows.map(cellsOfHtml);
    const texts = [header, header.map(() => "---"), ...others].map((cells) => `| ${cells.join(" | ")} |`);
    if (texts.length <= i + 1 - start) for (let at = start; at <= i; at += 1) plain[at] = texts[at - start] ?? "";
    start = undefined;
  });
  return plain;
}

function cellsOfHtml(row: string): string[] {
  const [, ...cells] = row.split(/<t[dh]\b[^<>]{0,200}>/i);
  return cells.map((cell) => (cell.split(/<\/t[dhr]/i, 1)[0] ?? "").replaceAll("|", "\\|").trim());
}

const MAX_LEVEL = 5;
/** Of ten rows. */
const MIN_ALERTS = 8;
const EMPHASIS = /[`*]/g;
/** A cell that is nothing but a link says nothing about the failure. */
const LINK = /^(?:\[[^\]]{0,400}\]\([^)\s]{1,400}\)|<?https?:\/\/\S{1,400})$/;
const CODE_SPAN = /(`[^`]*`)/;
/** The header of failures that a table lists with what to do. */
const FAILURE = /\b(?:errors?|failures?|issues?|messages?|problems?|symptoms?)\b/i;
/** Says what an alert means, and not why it fires. */
const SUMMARY = /^summary$/i;

/**
 * A table of which the rows are alerts, or failures with what to do, as a section for each row, with one below it for each cell with a role.
 * Undefined for another table and for a list of links to the texts of alerts.
 * @param from index of the line of its header
 * @param level of the heading of a row
 */
export function readTable(
  lines: readonly PlainLine[],
  from: number,
  level: number,
): { readonly lines: readonly PlainLine[]; readonly end: number } | undefined {
  if (!isDelimiter(lines[from + 1]?.text ?? "")) return undefined;
  const headers = cellsOf(lines[from]?.text ?? "").map((header) =>
    header.replace(EMPHASIS, "").replace(SUMMARY, "Meaning"),
  );
  let end = from + 2;
  while (end < lines.length && isRow(lines[end]?.text ?? "")) end += 1;
  const rows = lines.slice(from + 2, end).map(({ text, line }) => ({ line, cells: cellsOf(text) }));
  const alerts = rows.filter(({ cells }) => isAlertName((cells[0] ?? "").replace(EMPHASIS, "")));
  const roles = headers.slice(1).map((header) => sectionRole([header]));
  const areAlerts = roles.some((role) => role !== undefined) && alerts.length * 10 >= rows.length * MIN_ALERTS;
  const areFailures = FAILURE.test(headers[0] ?? "") && roles.includes("mitigate");
  if (rows.length === 0 || !(areAlerts || areFailures)) return undefined;
  return { lines: rows.flatMap((row) => sectionsOf(row, headers, Math.min(level, MAX_LEVEL))), end };
}

function sectionsOf(
  { cells, line }: { readonly cells: readonly string[]; readonly line: number },
  headers: readonly string[],
  level: number,
): PlainLine[] {
  const named = headers.map((header, i) => ({ header, cell: cells[i] ?? "" })).slice(1);
  const filled = named.filter(({ cell }) => cell !== "" && !isPlaceholder(cell) && !LINK.test(cell));
  const isPart = ({ header }: { readonly header: string }) => sectionRole([header]) !== undefined;
  const texts = [
    `${"#".repeat(level)} ${(cells[0] ?? "").replace(EMPHASIS, "")}`,
    ...filled.filter((each) => !isPart(each)).flatMap(({ header, cell }) => ["", `${header}: ${cell}`]),
    ...filled
      .filter(isPart)
      .flatMap(({ header, cell }) => ["", `${"#".repeat(level + 1)} ${header}`, "", ...itemsOf(cell)]),
  ];
  return ["", ...texts, ""].map((text) => ({ text, line }));
}

/** Several things in one cell, divided by semicolons outside of code, as list items. */
function itemsOf(cell: string): string[] {
  const divided = cell.split(CODE_SPAN).map((part, i) => (i % 2 === 1 ? part : part.replaceAll("; ", "\n")));
  const items = divided
    .join("")
    .split("\n")
    .flatMap((item) => item.trim() || []);
  return items.length > 1 ? items.map((item) => `- ${item}`) : [cell];
}

/** Whether a line is a row of a table with a bar at its start. */
export function isRow(line: string): boolean {
  return (
    /^\s{0,12}\|/.test(line) ||
    (line.includes("|") && cellsOf(line).length > 1 && !/^\s*(?:[-*+#>]|\d{1,3}[.)])\s/.test(line))
  );
}

/** Whether a line separates the header of a table from its rows. */
export function isDelimiter(line: string): boolean {
  const cells = line.includes("|") ? cellsOf(line) : [];
  return cells.length > 0 && cells.every((cell) => /^:?-+:?$/.test(cell));
}

/** The cells of a row, without bars. */
export function cellsOf(row: string): string[] {
  const cells = row.trim().split(/(?<!\\)\|/);
  if (cells[0] === "") cells.shift();
  if (cells.at(-1) === "") cells.pop();
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}
