// Slack message for a triage result: the view of its answer, and buttons. Pure functions.

import {
  actions,
  button,
  codeBlock,
  context,
  header,
  line,
  list,
  type Message,
  type MessageBlock,
  prose,
  ratingButtons,
  section,
} from "../../adapters/block-kit.ts";
import { BUTTONS, buttonValueOf, RATING } from "../../adapters/slack-buttons.ts";
import { answerView, type Item, type Section, type SectionKind } from "../../answer-view/answer-view.ts";
import { incidentLink } from "../../answer-view/console-link.ts";
import { verdictLine } from "../../answer-view/verdict.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { suggestedFix } from "./suggested-fix.ts";

/** Maximum characters of each section. */
const MAX_SECTION_LENGTHS: Readonly<Record<SectionKind, number>> = {
  evidence: 1_000,
  worked_before: 1_000,
  checked: 700,
  undecided: 400,
  observed: 400,
  causes: 900,
  considered: 400,
  candidates: 1_900,
  confirm: 1_400,
  mitigate: 1_800,
  prevention: 400,
  look_next: 800,
};
/** Of all sections together. With the other parts, the sum is below Slack's limit of a message. */
const MAX_SECTIONS_LENGTH = 6_800;
const MAX_PART_LENGTHS = { title: 300, facts: 500, summary: 900, names: 400, sources: 500, warnings: 500 } as const;
/** Maximum characters of one item. */
const MAX_ITEM_LENGTHS = {
  lead: 150,
  quote: 300,
  text: 350,
  command: 500,
  undo: 150,
  name: 150,
  /** A past incident, and within it the fix. */
  past: 540,
  fix: 250,
  detail: 120,
  warning: 200,
  names: 200,
} as const;

const NUMBERED: ReadonlySet<SectionKind> = new Set([
  "causes",
  "candidates",
  "confirm",
  "mitigate",
  "prevention",
  "look_next",
]);

/** @param origin the address of the console; null for no link */
export function renderTriage(result: TriageResult, channel: string, origin: string | null = null): Message {
  const view = answerView(result);
  const { fix, summary, verdict, notes, sources, warnings } = view;
  const elsewhere = elsewhereOf(result.incident_id);
  const small = (heading: string, items: readonly string[], maxLength: number, noun: string) =>
    list(heading, items, { maxLength, noun, elsewhere }).map(context);
  return {
    text: `${verdictLine(verdict)}. Incident ${shortId(result.incident_id)}.`,
    blocks: [
      header(verdictLine(verdict)),
      section(`*${line(view.title, MAX_PART_LENGTHS.title)}*`),
      ...(fix === null ? [] : sectionTexts([fix], elsewhere).map(section)),
      context(`${verdict.meaning} · ${line(view.facts.join(" · "), MAX_PART_LENGTHS.facts)}`),
      section((summary && itemText(summary, { maxLength: MAX_PART_LENGTHS.summary })) || "_No summary._"),
      ...sectionTexts(view.sections, elsewhere).map(section),
      ...small(
        "Names in the commands",
        notes.map(({ text }) => line(text, MAX_ITEM_LENGTHS.names)),
        MAX_PART_LENGTHS.names,
        "note",
      ),
      ...small(
        "Sources",
        sources.map(({ number, name }) => `[${number}] ${line(name, MAX_ITEM_LENGTHS.name)}`),
        MAX_PART_LENGTHS.sources,
        "source",
      ),
      ...small("Warnings", warningItems(warnings), MAX_PART_LENGTHS.warnings, "warning"),
      ...feedbackButtons(result, channel),
      context(incidentLine(result.incident_id, origin)),
    ],
  };
}

/** The sections, as many items of each as fit. */
function sectionTexts(sections: readonly Section[], elsewhere: string): string[] {
  let room = MAX_SECTIONS_LENGTH;
  return sections.flatMap((each) => {
    const maxLength = Math.min(MAX_SECTION_LENGTHS[each.kind], room);
    const texts = list(each.title, sectionItems(each), { maxLength, noun: "item", elsewhere });
    room -= texts.join("").length;
    return texts;
  });
}

function sectionItems({ kind, items }: Section): string[] {
  return items.map((item, i) => `${NUMBERED.has(kind) ? `${i + 1}.` : "•"} ${itemText(item)}`);
}

/** An item with its command, ready to copy. @param maxLength characters of its text */
export function itemText(item: Item, { maxLength = MAX_ITEM_LENGTHS.text as number } = {}): string {
  const { lead, warning, quote, text, note, citations, details, command, undo, checks } = item;
  const words = [
    ...(lead === null ? [] : [`*${line(lead, MAX_ITEM_LENGTHS.lead)}:*`]),
    ...(warning === null ? [] : [`*${warning.charAt(0).toUpperCase()}${warning.slice(1)}:*`]),
    ...(quote === null ? [] : [`"${line(quote, MAX_ITEM_LENGTHS.quote)}"`]),
    text.length > 1 ? pastText(text) : prose(text[0]?.text ?? "", maxLength),
    note === null
      ? citations
          .slice(0, 10)
          .map((number) => `[${number}]`)
          .join("")
      : `_(${note})_`,
  ];
  return [
    words.filter((part) => part !== "").join(" "),
    ...details.map((detail) => line(detail, MAX_ITEM_LENGTHS.detail)),
    ...(command === null ? [] : [codeBlock(command, MAX_ITEM_LENGTHS.command)]),
    ...(undo === null
      ? []
      : [`_Undo:_ ${prose(undo.isCommand ? `\`${undo.text}\`` : undo.text, MAX_ITEM_LENGTHS.undo)}`]),
    // The first check of a candidate; the others are in the incident.
    ...checks.slice(0, 1).map((check) => `• ${itemText(check)}`),
  ].join("\n");
}

/** A past incident: a long fix is cut so that what follows stays, and former fixes are struck through. */
function pastText(parts: Item["text"]): string {
  let room: number = MAX_ITEM_LENGTHS.past;
  const texts = parts.map(({ text, role }) => {
    // Leaves the outer blanks, which `prose` cuts off.
    const words = text.trim();
    const before = text.slice(0, text.length - text.trimStart().length);
    const after = text.slice(before.length + words.length);
    const limit = Math.min(role === "plain" ? room : MAX_ITEM_LENGTHS.fix, room);
    const shown = words === "" || limit <= 0 ? "" : role === "retired" ? struck(words, limit) : line(words, limit);
    room -= shown.length;
    return before + shown + after;
  });
  return texts.join("").trim();
}

/** A tilde or a code span of the text would end the strike. */
function struck(text: string, maxLength: number): string {
  return `~${line(text.replaceAll("~", "\u223c").replaceAll("`", "'"), maxLength)}~`;
}

/** Warnings of a triage or a search, as items of a section. */
export function warningItems(messages: readonly string[]): string[] {
  return messages.map((message) => `• ${prose(message, MAX_ITEM_LENGTHS.warning)}`);
}

/** Where an omitted item of an incident stands. */
export function elsewhereOf(incidentId: string): string {
  return `in \`GET /v1/incidents/${incidentId}\``;
}

/** The id, and the page of the console. Neither is foreign text. */
export function incidentLine(id: string, origin: string | null): string {
  return `Incident \`${id}\`${origin === null ? "" : ` · <${incidentLink(origin, id)}|Open in the console>`}`;
}

/** The digits of an incident's id that people type. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

export function feedbackButtons(
  result: Pick<TriageResult, "triage_id" | "incident_id" | "outcome" | "answer" | "recalled">,
  channel: string,
): MessageBlock[] {
  const value = buttonValueOf(result, channel);
  const rating = (name: "helpful" | "not_helpful") => ({ label: BUTTONS[name], value: `${name} ${value}` });
  return [
    ...(suggestedFix(result) === null ? [] : [actions("feedback", [button("resolved", BUTTONS.resolved, value)])]),
    ratingButtons("rating", RATING, { positive: rating("helpful"), negative: rating("not_helpful") }),
  ];
}
