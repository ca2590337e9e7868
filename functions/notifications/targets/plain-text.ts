// A message as lines of plain text, for systems without markup of their own. Pure functions.

import { displayText } from "../../../lib/text/display-text.ts";
import { handoverSections, LEFT_OUT, NOTHING_TO_HAND_OVER } from "../../answer-view/handover-text.ts";
import { minuteOf } from "../../answer-view/time-text.ts";
import { truncate } from "../../schemas/incident.ts";
import type { Content, FailureMessage, HandoverMessage, Reply, StepText, Summary } from "./target.ts";

const MAX_LENGTHS = { title: 300, line: 500, entry: 200, command: 1_000 } as const;
/** Systems cut or refuse longer notes. */
const MAX_TEXT_LENGTH = 8_000;

/** Foreign text on one line, without characters that control a display. */
export function plainLine(text: string, maxLength: number = MAX_LENGTHS.line): string {
  return truncate(displayText(text).replace(/\s+/g, " ").trim(), maxLength);
}

/** The lines of a message: title, severity and outcome; then what worked before. */
function plainLines(message: FailureMessage): string[] {
  const {
    title,
    severity,
    verdict,
    fix,
    quotes,
    lacks,
    checked,
    firstCheck,
    firstStep,
    changes,
    recurrence,
    holder,
    resolution,
    muted,
    link,
  } = message;
  return [
    `${plainLine(title, MAX_LENGTHS.title)} (${severity}): ${plainLine(verdict)}`,
    ...(fix === null ? [] : [`${fix.lead}: ${plainLine(fix.text)}`]),
    ...(resolution === null ? [] : [plainLine(resolution)]),
    ...(recurrence === null ? [] : [recurrence]),
    ...(holder === null ? [] : [plainLine(holder)]),
    ...quotes.map((quote) => `> ${plainLine(quote)}`),
    ...lacks.map((text) => `Incomplete: ${plainLine(text)}`),
    ...checked.map((text) => `Checked: ${plainLine(text)}`),
    ...stepLines("First check", firstCheck),
    ...stepLines("First step", firstStep),
    ...changes.map((text) => `Changed: ${plainLine(text)}`),
    ...muted.map((text) => plainLine(text)),
    ...(link === null ? [] : [link]),
  ];
}

export function stepLines(name: string, step: StepText | null): string[] {
  if (step === null) return [];
  const { text, warning, command } = step;
  const note = warning === null ? "" : ` (${warning})`;
  return [
    `${name}${note}: ${plainLine(text)}`,
    ...(command === null ? [] : [`    ${plainLine(command, MAX_LENGTHS.command)}`]),
  ];
}

/** `195 more incidents of 12 failures: 5 critical, 190 low; 40 are open` */
export function summaryHead({ total, open, failures, bySeverity }: Summary): string {
  const counts = bySeverity.map(([severity, count]) => `${count} ${severity}`).join(", ");
  const of = failures === total ? "" : ` of ${failures} failure${failures === 1 ? "" : "s"}`;
  const state = open === total ? "" : open === 0 ? "; all have ended" : `; ${open} ${open === 1 ? "is" : "are"} open`;
  return `${total} more incident${total === 1 ? "" : "s"}${of}: ${counts}${state}`;
}

/** `critical · Pod is crash looping on 10 services · 10 incidents` */
export function summaryItem({ severity, title, target, incidents }: Omit<Summary["worst"][number], "link">): string {
  return [severity, title, target, ...(incidents > 1 ? [`${incidents} incidents`] : [])].filter(Boolean).join(" · ");
}

export function summaryLines(summary: Summary): string[] {
  const { worst, muted, link } = summary;
  return [
    summaryHead(summary),
    ...worst.map(({ link: page, ...each }) =>
      [plainLine(summaryItem(each), MAX_LENGTHS.title), page].filter(Boolean).join(" · "),
    ),
    ...muted.map((text) => plainLine(text)),
    ...(link === null ? [] : [link]),
  ];
}

/** The title and the sections of a handover, each with its lines. */
export function handoverBlocks({
  handover,
}: HandoverMessage): { readonly title: string; readonly lines: readonly string[] }[] {
  const period = `Handover, ${minuteOf(handover.since)} to ${minuteOf(handover.until)} UTC, ${LEFT_OUT}`;
  const sections = handoverSections(handover).map(({ title, lines, more }) => ({
    title,
    lines: [...lines.map(({ text }) => plainLine(text, MAX_LENGTHS.entry)), ...(more > 0 ? [`and ${more} more`] : [])],
  }));
  return [{ title: period, lines: sections.length === 0 ? [NOTHING_TO_HAND_OVER] : [] }, ...sections];
}

function handoverLines(message: HandoverMessage): string[] {
  const blocks = handoverBlocks(message).flatMap(({ title, lines }) => [title, ...lines.map((text) => `- ${text}`)]);
  return [...blocks, ...(message.link === null ? [] : [message.link])];
}

function linesOf(content: Content): string[] {
  switch (content.kind) {
    case "failure":
      return plainLines(content.message);
    case "summary":
      return summaryLines(content.summary);
    case "handover":
      return handoverLines(content.handover);
  }
}

export function plainContent(content: Content): string {
  const lines = linesOf(content);
  return truncate(lines.join("\n"), MAX_TEXT_LENGTH);
}

export function plainReply({ text, message: { link } }: Reply): string {
  return [plainLine(text), ...(link === null ? [] : [link])].join("\n");
}
