// Tables that fit a terminal. Pure functions.

import { styleText } from "node:util";
import type { RenderOptions } from "./render-triage.ts";

const GAP = "  ";
/** Minimum width of a column in a table that is too wide. */
const MIN_WIDTH = 6;
/** Columns up to this width hold dates, numbers or short names, such as `2026-03-01 03:00`. */
const MAX_FIGURE_WIDTH = 16;

/** The header and the rows, one line each. The widest columns are cut with … until the table fits. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { width, color }: RenderOptions,
): string {
  const cells = [header, ...rows].map((row) => row.map(oneLine));
  const natural = header.map((_, i) => Math.max(...cells.map((row) => displayWidth(row[i] ?? ""))));
  const widths = fitWidths(natural, width - GAP.length * (header.length - 1));
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

/** Narrows the widest column until the table fits or all have the minimum width. Columns of dates and numbers come last. */
function fitWidths(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  for (let excess = widths.reduce((sum, each) => sum + each, 0) - room; excess > 0; excess--) {
    const texts = widths.map((each, i) => ((natural[i] ?? 0) > MAX_FIGURE_WIDTH && each > MIN_WIDTH ? each : 0));
    const open = texts.some((each) => each > 0) ? texts : widths;
    const widest = Math.max(...open);
    if (widest <= MIN_WIDTH) break;
    widths[open.indexOf(widest)] = widest - 1;
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

/** A page of a list, with the cursor of the next one. */
export function withMoreRows(table: string, nextCursor: string | null): string {
  return nextCursor === null ? table : `${table}\n\nThere are more rows. The next page: --cursor ${nextCursor}`;
}
