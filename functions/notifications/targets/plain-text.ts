// A message as lines of plain text, for systems without markup of their own. Pure functions.

import { displayText } from "../../../lib/text/display-text.ts";
import { truncate } from "../../schemas/incident.ts";
import type { Content, FailureMessage, Reply, StepText, Summary } from "./target.ts";

const MAX_LENGTHS = { title: 300, line: 500, command: 1_000 } as const;
/** Systems cut or refuse longer notes. */
const MAX_TEXT_LENGTH = 8_000;

/** Foreign text on one line, without characters that control a display. */
export function plainLine(text: string, maxLength: number = MAX_LENGTHS.line): string {
  return truncate(displayText(text).replace(/\s+/g, " ").trim(), maxLength);
}

/** The lines of a message: title, severity and outcome; then what worked before. */
export function plainLines(message: FailureMessage): string[] {
  const {
    title,
    severity,
    verdict,
    fix,
    quotes,
    checked,
    firstCheck,
    firstStep,
    changes,
    recurrence,
    holder,
    resolution,
    link,
  } = message;
  return [
    `${plainLine(title, MAX_LENGTHS.title)} (${severity}): ${plainLine(verdict)}`,
    ...(fix === null ? [] : [`${fix.lead}: ${plainLine(fix.text)}`]),
    ...(resolution === null ? [] : [plainLine(resolution)]),
    ...(recurrence === null ? [] : [recurrence]),
    ...(holder === null ? [] : [plainLine(holder)]),
    ...quotes.map((quote) => `> ${plainLine(quote)}`),
    ...checked.map((text) => `Checked: ${plainLine(text)}`),
    ...stepLines("First check", firstCheck),
    ...stepLines("First step", firstStep),
    ...changes.map((text) => `Changed before: ${plainLine(text)}`),
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

export function summaryLines({ total, bySeverity, worst, link }: Summary): string[] {
  return [
    `${total} more incidents: ${bySeverity.map(([severity, count]) => `${count} ${severity}`).join(", ")}`,
    ...worst.map(({ severity, title, target, link: page }) =>
      [`${severity}: ${plainLine(title, MAX_LENGTHS.title)}`, target && plainLine(target), page]
        .filter(Boolean)
        .join(", "),
    ),
    ...(link === null ? [] : [link]),
  ];
}

export function plainContent(content: Content): string {
  const lines = content.kind === "failure" ? plainLines(content.message) : summaryLines(content.summary);
  return truncate(lines.join("\n"), MAX_TEXT_LENGTH);
}

export function plainReply({ text, message: { link } }: Reply): string {
  return [plainLine(text), ...(link === null ? [] : [link])].join("\n");
}
