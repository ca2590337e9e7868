// Quotations of a recalled runbook by the roles of its sections: description, checks, mitigations, prevention. Pure functions.

import { isInstruction } from "../../../lib/commands/ordered-change.ts";
import { stepEffect } from "../../../lib/commands/step-effect.ts";
import { paragraphsOf } from "../../../lib/markdown/markdown-sections.ts";
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
 * A paragraph that may be quoted as the cause where no section lists causes: of a section about causes or without a role, that orders
 * nothing. Else one on symptoms that names their cause. Checks and mitigations are no causes.
 */
export function explanationOf(runbook: RecalledRunbook): Quotation | undefined {
  const opening = [openingOf(runbook)].filter((section) => section !== undefined);
  const ownHits = runbook.hits.filter(({ document: { id } }) => runbook.sections.some((section) => section.id === id));
  const documents = [...ownHits.map(({ document }) => document), ...opening].map((section) => ({
    section,
    role: sectionRole(section.headingPath),
  }));
  for (const { section, role } of documents) {
    if (role !== undefined && role !== "causes") continue;
    const paragraphs = paragraphsWithoutTitle(section, runbook.title).filter(mayExplain);
    const text = paragraphs.find((paragraph) => NAMES_CAUSE.test(paragraph)) ?? paragraphs[0];
    if (text !== undefined) return quote(text, section);
  }
  for (const { section, role } of documents) {
    const text = paragraphsWithoutTitle(section, runbook.title).find((paragraph) => NAMES_CAUSE.test(paragraph));
    if (role === "symptoms" && text !== undefined) return quote(text, section);
  }
  return undefined;
}

const NAMES_CAUSE = /\b(?:caused by|due to|happens when|occurs when|result of|symptom of|triggered by)\b/i;
/** Without the end of a sentence, a shorter line is a label or a link. */
const MIN_UNENDED = 80;

/** Whether a paragraph states something and orders nothing. */
function mayExplain(paragraph: string): boolean {
  const isStatement = paragraph.length >= MIN_UNENDED || (/[.!?。]$/.test(paragraph) && /\s/.test(paragraph));
  return isStatement && !isInstruction(paragraph);
}

/** The text above all headings of a topic. */
function openingOf({ sections, source, key }: RecalledRunbook): SearchDocument | undefined {
  if (key === source) return sections.find(({ headingPath }) => headingPath.length === 0);
  const depth = Math.min(...sections.map(({ headingPath }) => headingPath.length));
  const [first] = sections;
  return first?.headingPath.length === depth && sectionRole(first.headingPath) === undefined ? first : undefined;
}

/** The first paragraph of a section that is no instruction, without the title. */
function quotedParagraph(section: SearchDocument, title: string): Quotation | undefined {
  const first = paragraphsWithoutTitle(section, title).find((paragraph) => !isInstruction(paragraph));
  return first === undefined ? undefined : quote(first, section);
}

/** Of a plain text file, the title is its first line. */
function paragraphsWithoutTitle({ body }: SearchDocument, title: string): string[] {
  const [first = "", ...rest] = body.split("\n");
  const isTitle = first.replace(/^#+\s+/, "").trim() === title;
  return paragraphsOf(isTitle ? rest.join("\n") : body)
    .map((paragraph) => paragraph.replace(LIST_MARKER, "").replaceAll("**", ""))
    .filter((text) => text !== "");
}

function quote(text: string, section: SearchDocument): Quotation {
  return { text: truncate(text, QUOTED_LENGTH), section };
}

/** Items of a runbook as steps. @param done names of checks that were decided already */
export function stepsOf(items: readonly SectionItem[], done: ReadonlySet<string> = NONE): Step[] {
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
