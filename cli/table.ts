// Owns how rows become a table that fits a terminal. Pure.

import { styleText } from "node:util";
import type { RenderOptions } from "./render-triage.ts";

const GAP = "  ";
/** Columns that a cell keeps when its table is too wide: enough to tell what it is about. */
const NARROWEST = 6;
/** A column that is never wider holds dates, figures or short names: `2026-03-01 03:00`. */
const LONGEST_FIGURE = 16;

/** The header and the rows, each on one line; what does not fit is cut from the widest columns, and … stands for it. */
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

/** The text without line breaks and without what would steer a terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ").trim();
}

/** Takes columns from the widest until all fit, or none can give any more. Dates and figures are spared as long as possible. */
function fitWidths(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  for (let excess = widths.reduce((sum, each) => sum + each, 0) - room; excess > 0; excess--) {
    const texts = widths.map((each, i) => ((natural[i] ?? 0) > LONGEST_FIGURE && each > NARROWEST ? each : 0));
    const open = texts.some((each) => each > 0) ? texts : widths;
    const widest = Math.max(...open);
    if (widest <= NARROWEST) break;
    widths[open.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** The text as wide as that: filled up, or cut with … for what does not fit. */
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
/** What terminals show two columns wide: East Asian scripts, full-width forms, pictures. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\p{RGI_Emoji}]/v;

function displayWidth(text: string): number {
  return letters(text).reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
}

function letters(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
