// The listed items of a recalled runbook, by the roles of its sections. Pure functions.

import { beginsWithInstruction, isInstruction, ordersLook } from "../../../lib/commands/ordered-change.ts";
import { stepEffect } from "../../../lib/commands/step-effect.ts";
import { withoutOverlap } from "../../../lib/markdown/chunk-markdown.ts";
import { isFenced } from "../../../lib/markdown/fences.ts";
import { splitBlocks } from "../../../lib/markdown/markdown-sections.ts";
import { parseRunbookItems, type RunbookItem, STEP_NUMBER } from "../../../lib/markdown/runbook-items.ts";
import { type SectionRole, sectionRole } from "../../../lib/markdown/section-role.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import type { RecalledRunbook } from "../recall/recall-result.ts";

export interface SectionItem {
  readonly item: RunbookItem;
  readonly section: SearchDocument;
}

/**
 * The items of the sections with a role, in document order. Where no section has mitigations, the steps of checks that change
 * something mitigate. Where none has checks either, the steps are the instructions in sections without a role.
 */
export function itemsOf({ sections }: Pick<RecalledRunbook, "sections">, role: SectionRole): SectionItem[] {
  const parts = withoutRepeatedText(sections).map((part) => ({
    ...part,
    role: sectionRole(part.section.headingPath),
    heading: part.section.headingPath.at(-1) ?? "",
  }));
  const read = (wanted: readonly (typeof parts)[number][], itemsIn: (body: string, heading: string) => RunbookItem[]) =>
    wanted.flatMap(({ body, section, heading }) => itemsIn(body, heading).map((item) => ({ item, section })));
  const ofRole = (wanted: SectionRole | undefined) => parts.filter((part) => part.role === wanted);
  const isSplit = (role === "confirm" || role === "mitigate") && ofRole("mitigate").length === 0;
  if (!isSplit) return read(ofRole(role), role === "causes" ? (body) => parseRunbookItems(body) : readSteps);
  const hasChecks = ofRole("confirm").length > 0;
  // Of numbered steps, some check something and others have no role.
  const isStep = (part: (typeof parts)[number]) =>
    part.role === "confirm" || (part.role === undefined && STEP_NUMBER.test(part.heading));
  const steps = hasChecks ? read(parts.filter(isStep), readSteps) : read(ofRole(undefined), readInstructions);
  return steps.filter(({ item }) => (role === "confirm") === isCheck(item, hasChecks));
}

/** @param otherwise whether a step that orders neither a change nor a look is a check */
function isCheck(item: RunbookItem, otherwise: boolean): boolean {
  const effect = stepEffect(item);
  return effect === "read_only" || (effect !== "changes_state" && (otherwise || ordersLook(item.text)));
}

function readSteps(body: string, heading: string): RunbookItem[] {
  return parseRunbookItems(body, { areSteps: true, heading });
}

/** The list items, and the paragraphs that begin with an instruction, with the code below each; else the code below a heading that does. */
function readInstructions(body: string, heading: string): RunbookItem[] {
  const blocks: string[] = [];
  for (const block of splitBlocks(body.split("\n"))) {
    const above = blocks.at(-1);
    if (isFenced(block) && above !== undefined) blocks[blocks.length - 1] = `${above}\n${block}`;
    else blocks.push(block);
  }
  const instructions = blocks.flatMap((block) => {
    const isOrder = LIST_ITEM.test(block) ? isInstruction : beginsWithInstruction;
    return parseRunbookItems(block).filter(({ text }) => STEP_NUMBER.test(text) || isOrder(text.replace(LINK, "")));
  });
  const isNamed = instructions.length === 0 && isInstruction(heading.replace(STEP_NUMBER, ""));
  return isNamed ? readSteps(body, heading).filter(({ command }) => command !== null) : instructions;
}

const LIST_ITEM = /^(?:[-*+]|\d{1,3}[.)])\s/;
/** A link alone is no instruction: "[Read more](…)". */
const LINK = /\[[^\]]{0,200}\]\([^()\s]{0,1000}\)/g;

/** Each section with its text, without what it repeats of the section before it. */
function withoutRepeatedText(
  sections: readonly SearchDocument[],
): { readonly section: SearchDocument; readonly body: string }[] {
  return sections.map((section, i) => {
    const before = sections[i - 1];
    const body = before && continues(section, before) ? withoutOverlap(section.body, before.body) : section.body;
    return { section, body };
  });
}

function continues(section: SearchDocument, before: SearchDocument): boolean {
  const sameSection =
    section.source === before.source && section.headingPath.join("\n") === before.headingPath.join("\n");
  return sameSection && section.chunkIndex === (before.chunkIndex ?? 0) + 1;
}
