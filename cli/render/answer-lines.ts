// The view of an answer for a terminal. Pure functions.

import type { AnswerView, Item, Section, SectionKind } from "../../functions/answer-view/answer-view.ts";
import { withStruck } from "../../functions/answer-view/past-incident-text.ts";
import { verdictLine } from "../../functions/answer-view/verdict.ts";
import { type NextStepNames, nextStepLines } from "./next-step-lines.ts";
import { firstWords, section, shortened, type Writer } from "./terminal-text.ts";

/** Lines of a text in the brief form before its end is left to the whole answer. */
const LINES = { title: 2, summary: 2, longSummary: 4, item: 2, warning: 2 } as const;
/** Columns for citations and for the ends of wrapped lines. */
const SPARE = 10;
const INDENT = 2;
const ITEM_INDENT = 5;

const NUMBERED: ReadonlySet<SectionKind> = new Set([
  "causes",
  "candidates",
  "confirm",
  "mitigate",
  "prevention",
  "look_next",
]);
const VERDICT_STYLES = { good: "green", warn: "yellow", info: "cyan", neutral: "white" } as const;
const LEAD_STYLES = { good: "green", warn: "yellow", bad: "red", dim: "dim", strong: "bold" } as const;

/**
 * @param full all of each text, with the ids of the sources and blank lines between the sections
 * @param isBelowIncident title and place stand above it
 */
export function answerLines(
  view: AnswerView,
  writer: Writer,
  { full, isBelowIncident, ...names }: NextStepNames & { readonly full: boolean; readonly isBelowIncident: boolean },
): string[] {
  const { block, paint } = writer;
  const part = (title: string, lines: readonly string[]) => {
    const whole = section(writer, title, lines);
    return full && whole.length > 0 ? ["", ...whole] : whole;
  };
  const next = nextStepLines(view.next, writer, names);
  return [
    ...(isBelowIncident && !full ? [] : [...headLines(view, writer, { full, isBelowIncident }), ""]),
    ...verdictLines(view, writer),
    ...(view.fix === null ? [] : part(view.fix.title, sectionLines(view.fix, writer, { full }))),
    ...(full ? explanationLines(view, writer) : []),
    ...summaryLines(view, writer, { full }),
    ...view.sections.flatMap((each) => part(each.title, sectionLines(each, writer, { full }))),
    ...(full ? [] : sourceParagraph(view, writer)),
    ...(full
      ? part(
          "Names in the commands",
          view.notes.flatMap(({ text }) => block(text, INDENT)),
        )
      : []),
    ...(full ? [] : view.notes.flatMap(({ text }) => block(paint("dim", text), INDENT))),
    ...(full
      ? part(
          "Sources",
          view.sources.flatMap((source) => sourceLine(source, writer)),
        )
      : []),
    ...part(
      "Warnings",
      view.warnings.flatMap((message) => {
        const room = full ? Number.POSITIVE_INFINITY : LINES.warning * (writer.width - 2 * INDENT - 2);
        return block(paint("yellow", shortened(message, room)), 2 * INDENT, "  ! ");
      }),
    ),
    ...(full ? part("Next", next) : next.length > 0 ? ["", ...next] : []),
  ];
}

function headLines(
  { title, facts }: AnswerView,
  { block, paint, width }: Writer,
  { full, isBelowIncident }: { readonly full: boolean; readonly isBelowIncident: boolean },
): string[] {
  const factsLine = (texts: readonly string[]) => block(paint("dim", texts.join(" · ")), 0);
  // The incident above has the place of all its alerts.
  if (isBelowIncident) return factsLine(facts.filter((fact) => !fact.startsWith("target ")));
  return [...block(paint("bold", full ? title : shortened(title, LINES.title * width)), 0), ...factsLine(facts)];
}

function verdictLines({ verdict }: AnswerView, { block, paint }: Writer): string[] {
  const line = verdictLine({ ...verdict, name: verdict.name.toUpperCase() });
  return block(`${paint(["bold", VERDICT_STYLES[verdict.tone]], line)}: ${verdict.meaning}`, 0);
}

function explanationLines({ fix, verdict: { explanation, origin } }: AnswerView, { block, paint }: Writer): string[] {
  return [...(fix === null ? [] : [""]), ...block(paint("dim", [...explanation, origin].join(" ")), INDENT)];
}

function summaryLines(
  { summary, verdict, fix, sections }: AnswerView,
  writer: Writer,
  { full }: { readonly full: boolean },
): string[] {
  if (summary === null) return [];
  // A recap is nothing but its summary.
  const isAll = full || (verdict.tone === "neutral" && sections.length === 0);
  const lines = verdict.tone === "good" ? LINES.summary : LINES.longSummary;
  const room = isAll ? null : lines * (writer.width - INDENT) - SPARE;
  return [
    ...(full || fix !== null ? [""] : []),
    ...itemLines(summary, writer, { indent: INDENT, first: " ".repeat(INDENT), room }),
  ];
}

function sectionLines({ kind, items }: Section, writer: Writer, { full }: { readonly full: boolean }): string[] {
  const isAlone = !full && items.length === 1 && ["confirm", "mitigate", "look_next", "evidence"].includes(kind);
  const isPlain = isAlone || (!full && kind === "evidence");
  const indent = isPlain ? INDENT : ITEM_INDENT;
  return items.flatMap((item, i) => {
    const first = isPlain ? " ".repeat(INDENT) : NUMBERED.has(kind) ? `  ${i + 1}. ` : "   - ";
    // A step that changes something keeps all its sentences: they say what it costs.
    const room = full || item.warning === "changes state" ? null : LINES.item * (writer.width - indent) - SPARE;
    return itemLines(item, writer, { indent, first, room });
  });
}

interface Place {
  readonly indent: number;
  /** The beginning of the first line. */
  readonly first: string;
  /** Characters of a text; null for all of it. */
  readonly room: number | null;
}

/** The item, its command ready to copy, how to undo it, and its checks. */
function itemLines(item: Item, writer: Writer, { indent, first, room }: Place): string[] {
  const { block, command, paint } = writer;
  const { lead, leadTone, warning, quote, details, ran, undo, checks } = item;
  const within = (text: string, cut = shortened) => (room === null ? text : cut(text, room));
  const parts = [
    ...(lead === null ? [] : [`${paint(LEAD_STYLES[leadTone], lead)}:`]),
    ...(warning === null ? [] : [`${paint(warning === "changes state" ? "red" : "yellow", warning)}:`]),
    ...(quote === null ? [] : [paint("cyan", `"${within(quote, firstWords)}"`)]),
    ...(item.text.length === 0 ? [] : [textOf(item, writer, room)]),
    ...(item.note === null ? [] : [paint("yellow", `(${item.note})`)]),
    ...(item.citations.length === 0 ? [] : [paint("dim", item.citations.map((number) => `[${number}]`).join(""))]),
  ];
  return [
    ...block(parts.join(" "), indent, first),
    ...details.flatMap((detail) => block(paint("dim", within(detail)), indent)),
    ...command(item.command ?? ran?.query ?? null, indent + 2),
    ...(ran?.link == null ? [] : block(paint("dim", ran.link), indent + 2)),
    ...(undo === null
      ? []
      : undo.isCommand
        ? [...block(paint("dim", "undo:"), indent), ...command(undo.text, indent + 2)]
        : block(paint("dim", `undo: ${undo.text}`), indent)),
    ...checks.flatMap((check) => itemLines(check, writer, { indent, first: " ".repeat(indent), room })),
  ];
}

/** An address may have parentheses, as those of dashboards do. */
const LINK = /\[([^[\]]{1,300})\]\([^\s[]{1,2000}\)/g;

/** Former fixes are struck through in a whole text. A shortened one ends with a sentence, and has no addresses of links. */
function textOf({ text }: Item, { color, paint }: Writer, room: number | null): string {
  return room === null
    ? withStruck(text, (former) => (color ? paint("strikethrough", former) : `~~${former}~~`))
    : shortened(withStruck(text, (former) => former).replace(LINK, "$1"), room);
}

function sourceLine({ id, number, name }: AnswerView["sources"][number], { block, paint }: Writer): string[] {
  return block(`${name} ${paint("dim", id)}`, ITEM_INDENT + 1, `  ${`[${number}]`.padEnd(3)} `);
}

function sourceParagraph({ sources }: AnswerView, { block, paint }: Writer): string[] {
  if (sources.length === 0) return [];
  const names = sources.map(({ number, name }) => paint("dim", `[${number}] ${name}`));
  return block(
    `${paint("dim", sources.length === 1 ? "Source:" : "Sources:")} ${names.join(paint("dim", " · "))}`,
    INDENT,
  );
}
