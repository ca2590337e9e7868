// Text for a terminal: wrapped blocks, sections, styles, citations and commands. Pure functions.

import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
import { displayText } from "../../lib/text/display-text.ts";
import type { RenderOptions } from "../render-options.ts";

type Style = Parameters<typeof styleText>[0];

/** Writes parts of one answer. */
export interface Writer {
  readonly width: number;
  readonly color: boolean;
  readonly paint: (style: Style, text: string) => string;
  /** Wraps a text into indented lines. `first` replaces the indent of the first line. */
  readonly block: (text: string, indent: number, first?: string) => string[];
  /** A command, each line as it is, so that it can be copied. */
  readonly command: (command: string | null, indent: number) => string[];
}

/** Some terminals report fewer columns than a word has. */
const MIN_COLUMNS = 20;

export function createWriter({ width, color }: RenderOptions): Writer {
  const paint: Writer["paint"] = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
  return {
    width,
    color,
    paint,
    block: (text, indent, first = " ".repeat(indent)) => {
      const lines = wrapAnsi(text, Math.max(MIN_COLUMNS, width - indent), { hard: true }).split("\n");
      return lines.map((line, i) => ((i === 0 ? first : " ".repeat(indent)) + line).trimEnd());
    },
    command: (command, indent) =>
      command === null
        ? []
        : command
            .trim()
            .split("\n")
            .map((line) => (" ".repeat(indent) + paint("cyan", line)).trimEnd()),
  };
}

/** The whole text without what a terminal obeys. */
export function printable(text: string): string {
  return displayText(text).replaceAll("\t", "  ");
}

/** The styles of this command line. A concealed text is none of them. */
const OWN_STYLE = new RegExp(`(${String.fromCharCode(27)}\\[(?:0|1|2|9|22|29|3[1-6]|39)m)`);

/** Output for a terminal, whose foreign text no renderer may have cleaned. Keeps the styles of this command line. */
export function terminalOutput(text: string): string {
  // The capturing group keeps the styles, at the odd indexes.
  return text
    .split(OWN_STYLE)
    .map((part, i) => (i % 2 === 1 ? part : displayText(part)))
    .join("");
}

const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** Sentences that fill a smaller part of the room are too few. */
const MIN_SHARE = 3;

/** The first sentences that fit, else the first words, with `…` where something is missing. */
export function shortened(text: string, maxLength: number): string {
  const whole = text.replace(/\s+/g, " ").trim();
  if (whole.length <= maxLength) return whole;
  let kept = "";
  for (const { segment } of sentences.segment(whole)) {
    if ((kept + segment).trimEnd().length + 2 > maxLength) break;
    kept += segment;
  }
  // A title alone says less than the first words of the sentence behind it.
  return kept.trim().length < maxLength / MIN_SHARE ? firstWords(whole, maxLength) : `${kept.trimEnd()} …`;
}

/** The first words that fit. For a line of a log: its stops end no sentence. */
export function firstWords(text: string, maxLength: number): string {
  const whole = text.replace(/\s+/g, " ").trim();
  if (whole.length <= maxLength) return whole;
  const cut = whole.slice(0, maxLength - 1).toWellFormed();
  const words = /^(.{12,})\s\S*$/.exec(cut)?.[1] ?? cut;
  return `${words.replace(/(?<![\s,;:])[\s,;:]+$/, "")}…`;
}

/** A heading and its lines; nothing without lines. */
export function section(
  { block, paint }: Pick<Writer, "block" | "paint">,
  title: string,
  lines: readonly string[],
): string[] {
  return lines.length > 0 ? [...block(paint("bold", title), 0), ...lines] : [];
}
