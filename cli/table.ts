// Tables that fit a terminal. Pure functions.

import { styleText } from "node:util";
import type { RenderOptions } from "./render-options.ts";

const GAP = "  ";
/** Minimum width of a column in a table that is too wide. */
const MIN_WIDTH = 6;
/** A narrower text says little. */
const READABLE_WIDTH = 12;
/** Of a text in a pipe. */
const MAX_TEXT_WIDTH = 100;
/** Columns up to this width hold dates, numbers or short names, such as `2026-03-01 03:00`. */
const MAX_FIGURE_WIDTH = 16;

export interface TableOptions extends RenderOptions {
  /** Columns that other commands need, such as ids. They are cut last, and never in a pipe. */
  readonly whole?: readonly string[];
  /** Columns that a table that is too wide leaves out, the first one first. */
  readonly optional?: readonly string[];
}

/**
 * The header and the rows, one line each. The widest columns are cut with … until the table fits. If each text would have
 * only a few letters, the optional columns are left out, one after the other.
 */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { width, color, isPipe = false, whole = [], optional = [] }: TableOptions,
): string {
  const cells = [header, ...rows].map((row) => row.map(oneLine));
  const columns = header.map((name, i) => ({
    natural: Math.max(...cells.map((row) => displayWidth(row[i] ?? ""))),
    isWhole: whole.includes(name),
  }));
  if (isPipe) return linesOf(cells, columns.map(widthInPipe), color);
  const widths = fitWidths(columns, width - GAP.length * (header.length - 1));
  const [leastNeeded, ...others] = optional;
  const isNarrow = widths.some((each, i) => each < Math.min(columns[i]?.natural ?? 0, READABLE_WIDTH));
  if (leastNeeded === undefined || !isNarrow) return linesOf(cells, widths, color);
  const at = header.indexOf(leastNeeded);
  const without = (row: readonly string[]) => row.filter((_, i) => i !== at);
  return renderTable(without(header), rows.map(without), { width, color, whole, optional: others });
}

function linesOf(cells: readonly (readonly string[])[], widths: readonly number[], color: boolean): string {
  const lines = cells.map((row) =>
    row
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  return lines
    .map((line, i) => (i === 0 && color ? styleText("bold", line, { validateStream: false }) : line))
    .join("\n");
}

/** The text without line breaks and terminal control characters. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ").trim();
}

interface Column {
  /** Width of its longest cell. */
  readonly natural: number;
  readonly isWhole: boolean;
}

function widthInPipe({ natural, isWhole }: Column): number {
  return isWhole ? natural : Math.min(natural, MAX_TEXT_WIDTH);
}

/** Narrows the widest column until the table fits or all have the minimum width: texts, then dates and numbers, then whole columns. */
function fitWidths(columns: readonly Column[], room: number): number[] {
  const widths = columns.map(({ natural }) => natural);
  const isOpen = [
    ({ natural, isWhole }: Column) => !isWhole && natural > MAX_FIGURE_WIDTH,
    ({ isWhole }: Column) => !isWhole,
    () => true,
  ];
  for (let excess = widths.reduce((sum, each) => sum + each, 0) - room; excess > 0; excess--) {
    const widest = isOpen
      .map((rule) => widths.map((each, i) => (columns[i] && rule(columns[i]) && each > MIN_WIDTH ? each : 0)))
      .find((open) => open.some((each) => each > 0));
    if (widest === undefined) break;
    const at = widest.indexOf(Math.max(...widest));
    widths[at] = (widths[at] ?? 0) - 1;
  }
  return widths;
}

/** Pads the text to a width, or cuts it with …. */
export function pad(text: string, width: number): string {
  const shown = displayWidth(text) <= width ? text : cut(text, width);
  return shown + " ".repeat(width - displayWidth(shown));
}

function cut(text: string, width: number): string {
  let shown = "";
  for (const letter of letters(text)) {
    if (displayWidth(shown + letter) > width - 1) break;
    shown += letter;
  }
  return `${shown.trimEnd()}…`;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Characters that are two columns wide: East Asian scripts, full-width forms, emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\p{RGI_Emoji}]/v;

function displayWidth(text: string): number {
  return letters(text).reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
}

function letters(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** A page of a list, with the command that prints the next one. */
export function withMoreRows(table: string, nextCursor: string | null, nextPage: (cursor: string) => string): string {
  return nextCursor === null ? table : `${table}\n\nmore: ${nextPage(nextCursor)}`;
}
