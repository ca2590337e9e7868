// The view of an answer as text for a model: steps, sources and confidence. Pure functions.

import { type AnswerView, answerView, type Item } from "../../answer-view/answer-view.ts";
import { incidentLink } from "../../answer-view/console-link.ts";
import { withStruck } from "../../answer-view/past-incident-text.ts";
import { verdictLine } from "../../answer-view/verdict.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { fenced, indented, paragraphs, section } from "./text.ts";

/** Ends with the confidence: `(confidence: 0.00)`. */
export function answerText(result: TriageResult): string {
  return paragraphs([answerBody(result), answerEnd(result, null)]);
}

/** @param brief what matters first */
export function answerBody(result: TriageResult, { brief = false } = {}): string {
  return paragraphs(viewTexts(answerView(result, { brief })));
}

/** The warnings, and what names the answer, for feedback and for people. @param origin the address of the console; null for no link */
export function answerEnd(result: TriageResult, origin: string | null): string {
  return paragraphs([
    section(
      "Warnings",
      answerView(result).warnings.map((message) => `- ${message}`),
    ),
    `Incident ${result.incident_id}, triage ${result.triage_id}.`,
    origin === null ? "" : `For people: ${incidentLink(origin, result.incident_id)}`,
    `(confidence: ${result.confidence.toFixed(2)})`,
  ]);
}

function viewTexts({ verdict, facts, fix, summary, sections, notes, sources }: AnswerView): string[] {
  return [
    `${verdictLine(verdict)}: ${verdict.meaning}.`,
    fix === null ? "" : section(fix.title, fix.items.map(itemText)),
    `${facts.join("; ")}.`,
    summary === null ? "" : wordsOf(summary),
    ...sections.map(({ title, items }) => section(title, items.map(itemText))),
    section(
      "Names in the commands",
      notes.map(({ text }) => text),
    ),
    section(
      "Sources",
      sources.map(({ id, number, name }) => `[${number}] ${name} (id ${id})`),
    ),
  ];
}

/** An item of a list, with its command and checks below it. Former fixes are struck through. */
export function itemText(item: Item): string {
  const { details, command, undo, checks } = item;
  return [
    `- ${wordsOf(item)}`,
    ...details.map(indented),
    ...(command === null ? [] : [indented(fenced(command))]),
    ...(undo === null ? [] : [indented(`Undo: ${undo.text}`)]),
    ...checks.map((check) => indented(itemText(check).slice(2))),
  ].join("\n");
}

function wordsOf({ lead, warning, quote, text, note, citations }: Item): string {
  return [
    ...(lead === null ? [] : [`${lead}:`]),
    ...(warning === null ? [] : [`${warning.toUpperCase()}:`]),
    ...(quote === null ? [] : [`"${quote}":`]),
    withStruck(text, (former) => `~~${former}~~`),
    note === null ? citations.map((number) => `[${number}]`).join("") : `(${note})`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}
