// Quotations of a recalled runbook by the roles of its sections: description, checks, mitigations, prevention. Pure functions.

import { commandEffect } from "../../../lib/commands/command-effect.ts";
import { beginsWithInstruction } from "../../../lib/commands/ordered-change.ts";
import { beginsCommand, stepEffect } from "../../../lib/commands/step-effect.ts";
import { isFenced } from "../../../lib/markdown/fences.ts";
import { paragraphsOf, splitBlocks } from "../../../lib/markdown/markdown-sections.ts";
import type { RunbookItem } from "../../../lib/markdown/runbook-items.ts";
import { sectionRole } from "../../../lib/markdown/section-role.ts";
import type { Statement, Step } from "../../schemas/answer.ts";
import { truncate } from "../../schemas/incident.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import { checksOf } from "../evidence/check-verdicts.ts";
import { itemsOf, type SectionItem } from "../evidence/section-items.ts";
import { kindOf, type Recall, type RecalledRunbook } from "../recall/recall-result.ts";

/** A sentence or paragraph of a section. */
export interface Quotation {
  readonly text: string;
  readonly section: SearchDocument;
}

/** More than a runbook for people lists. */
const MAX_STEPS = 10;
const MAX_PREVENTION = 3;
/** Characters of a quoted paragraph. A note may be one long paragraph. */
const QUOTED_LENGTH = 600;
const NONE: ReadonlySet<string> = new Set();
const LIST_MARKER = /^(?:[-*+]|\d{1,3}[.)])\s+/;

/** The sentence that says only which text matches. */
export function matchSentence(runbook: RecalledRunbook): string {
  return `This matches the ${kindOf(runbook)} "${runbook.title}".`;
}

/** What the text is about: the first paragraph of its opening, else of a section on symptoms or meaning. */
export function descriptionOf(runbook: RecalledRunbook): Quotation | undefined {
  const opening = openingOf(runbook);
  const quoted = opening && quotedParagraph(opening, runbook.title);
  if (quoted) return quoted;
  const meaning = runbook.sections.find(({ headingPath }) => sectionRole(headingPath) === "symptoms");
  return meaning && quotedParagraph(meaning, runbook.title);
}

/**
 * A paragraph that may be quoted as the cause where no section lists causes: one that names a cause, of a section about causes, on
 * symptoms or without a role; else the first statement of a section that is not on symptoms, unless it says when an alert fires.
 * Checks and mitigations are no causes.
 */
export function explanationOf(runbook: RecalledRunbook): Quotation | undefined {
  const opening = [openingOf(runbook)].filter((section) => section !== undefined);
  const ownHits = runbook.hits.filter(({ document: { id } }) => runbook.sections.some((section) => section.id === id));
  const statements = [...ownHits.map(({ document }) => document), ...opening].flatMap((section) => {
    const role = sectionRole(section.headingPath);
    if (IMPACT.test(section.headingPath.at(-1) ?? "")) return [];
    if (role === "confirm" || role === "mitigate" || role === "prevent") return [];
    return statementsOf(section, runbook.title).map((quotation) => ({ ...quotation, role }));
  });
  const others = statements.filter(({ role }) => role !== "symptoms");
  return (
    [...others, ...statements].find(({ text }) => NAMES_CAUSE.test(text)) ??
    others.find(({ text }) => !ON_ALERT.test(text))
  );
}

/** What follows from the failure. */
const IMPACT = /\b(?:impact|consequence)/i;
/** Says when an alert fires, not why. */
const ON_ALERT =
  /^(?:the|this)(?: \S{1,60}){0,2} (?:alert|alarm|metric|rule)\b|\b(?:alert|alarm)s?\b.{0,40}\b(?:fires?|raised|sent)\b/i;
const NAMES_CAUSE =
  /\b(?:because|caused? by|due to|(?:happens|occurs) (?:if|when)|most common cause|result of|results from|symptom of|triggered by)\b/i;

/** The text above all headings of a topic. */
function openingOf({ sections, source, key }: RecalledRunbook): SearchDocument | undefined {
  if (key === source) return sections.find(({ headingPath }) => headingPath.length === 0);
  const depth = Math.min(...sections.map(({ headingPath }) => headingPath.length));
  const [first] = sections;
  return first?.headingPath.length === depth && sectionRole(first.headingPath) === undefined ? first : undefined;
}

/** The first statement of a section. */
function quotedParagraph(section: SearchDocument, title: string): Quotation | undefined {
  return statementsOf(section, title)[0];
}

/** Without the end of a sentence, a shorter line is a label or a link. */
const MIN_UNENDED = 80;

/** Of a block such as "**Severity:** warning", which states nothing about the failure. */
const FIELD = /\*\*[^*]{2,40}:\*\*/g;

/** The paragraphs of a section that state something and order nothing, without its title: of a plain text file, its first line. */
function statementsOf(section: SearchDocument, title: string): Quotation[] {
  const [first = "", ...rest] = section.body.split("\n");
  const isTitle = first.replace(/^#+\s+/, "").trim() === title;
  return (
    paragraphsOf(withoutRemarks(isTitle ? rest.join("\n") : section.body))
      .filter((paragraph) => !LIST_MARKER.test(paragraph) && (paragraph.match(FIELD) ?? []).length < 2)
      .map((paragraph) => paragraph.replaceAll("**", ""))
      // What ends with a colon introduces something.
      .filter((text) => (text.length >= MIN_UNENDED ? !text.endsWith(":") : /[^\s.!?:。][.!?。]$/.test(text)))
      .filter((text) => !beginsWithInstruction(text))
      .map((text) => ({ text: truncate(text, QUOTED_LENGTH), section }))
  );
}

/** Without the paragraphs below commands, which speak of them: "This deletes all of them." */
function withoutRemarks(body: string): string {
  const blocks = splitBlocks(body.split("\n"));
  const isCommand = (block = "") => isFenced(block) && beginsCommand(block.split("\n")[1] ?? "");
  return blocks.filter((_, i) => !isCommand(blocks[i - 1])).join("\n\n");
}

/** Items of a runbook as steps. @param done names of checks that were decided already */
function stepsOf(items: readonly SectionItem[], done: ReadonlySet<string> = NONE): Step[] {
  return authorsFirst(items)
    .filter(({ item }) => item.check === undefined || !done.has(item.check.name))
    .slice(0, MAX_STEPS)
    .map(({ item, section }) => ({
      text: item.text,
      command: item.command,
      effect: stepEffect(item),
      undo: item.undo,
      citations: [section.id],
      supported: true,
      from_source: true,
    }));
}

const CODE_SPAN = /`([^`]+)`/g;

/** Mitigations as steps. One with a command that is not known to only read is not verified, if nothing says more of its effect. */
export function mitigationsOf(items: readonly SectionItem[]): Step[] {
  return stepsOf(items).map((step) => {
    // One word names something. Several may be a command of a program that nobody knows.
    const codes = [...step.text.matchAll(CODE_SPAN)].map(([, code = ""]) => code.trim());
    const mayChange = codes.some((code) => code.includes(" ") && commandEffect(code) !== "read_only");
    return { ...step, effect: step.effect ?? (mayChange ? "unverified" : null) };
  });
}

/** The steps that confirm the runbook, without the checks that have run and were decided. */
export function openChecks(runbook: RecalledRunbook, recall: Pick<Recall, "checks">): Step[] {
  const decided = checksOf(recall, runbook).filter(
    ({ result: { verdict } }) => verdict === "confirmed" || verdict === "refuted",
  );
  return stepsOf(itemsOf(runbook, "confirm"), new Set(decided.map(({ definition }) => definition.name)));
}

/** Checks that belong to no step of the author come last, so that they take no place of a step for people. */
function authorsFirst<T extends { readonly item: RunbookItem }>(items: readonly T[]): T[] {
  const isAlone = ({ item }: T) => item.check?.isAlone === true;
  return [...items.filter((each) => !isAlone(each)), ...items.filter(isAlone)];
}

export function preventionOf(runbook: RecalledRunbook): Statement[] {
  return itemsOf(runbook, "prevent")
    .slice(0, MAX_PREVENTION)
    .map(({ item, section }) => ({ text: item.text, citations: [section.id], supported: true }));
}
