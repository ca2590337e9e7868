// The listed items of a recalled runbook, by the roles of its sections. Pure functions.

import { beginsWithInstruction, isInstruction, ordersLook } from "../../../lib/commands/ordered-change.ts";
import { stepEffect } from "../../../lib/commands/step-effect.ts";
import { withoutOverlap } from "../../../lib/markdown/chunk-markdown.ts";
import { isFenced } from "../../../lib/markdown/fences.ts";
import { splitBlocks } from "../../../lib/markdown/markdown-sections.ts";
import { parseRunbookItems, type RunbookItem } from "../../../lib/markdown/runbook-items.ts";
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
  const parts = withoutRepeatedText(sections).map((part) => ({ ...part, role: sectionRole(part.section.headingPath) }));
  const read = (wanted: SectionRole | undefined, itemsIn: (body: string) => RunbookItem[]) =>
    parts.flatMap((part) =>
      part.role === wanted ? itemsIn(part.body).map((item) => ({ item, section: part.section })) : [],
    );
  const isSplit = (role === "confirm" || role === "mitigate") && !parts.some((part) => part.role === "mitigate");
  if (!isSplit) return read(role, (body) => parseRunbookItems(body, { areSteps: role !== "causes" }));
  const hasChecks = parts.some((part) => part.role === "confirm");
  const steps = hasChecks
    ? read("confirm", (body) => parseRunbookItems(body, { areSteps: true }))
    : read(undefined, readInstructions);
  return steps.filter(({ item }) => (role === "confirm") === isCheck(item, hasChecks));
}

/** @param otherwise whether a step that orders neither a change nor a look is a check */
function isCheck(item: RunbookItem, otherwise: boolean): boolean {
  const effect = stepEffect(item);
  return effect === "read_only" || (effect !== "changes_state" && (otherwise || ordersLook(item.text)));
}

/** The list items, and the paragraphs that begin with an instruction, with the code below each. */
function readInstructions(body: string): RunbookItem[] {
  const blocks: string[] = [];
  for (const block of splitBlocks(body.split("\n"))) {
    const above = blocks.at(-1);
    if (isFenced(block) && above !== undefined) blocks[blocks.length - 1] = `${above}\n${block}`;
    else blocks.push(block);
  }
  return blocks.flatMap((block) => {
    const isOrder = LIST_ITEM.test(block) ? isInstruction : beginsWithInstruction;
    return parseRunbookItems(block).filter(({ text }) => isOrder(text.replace(LINK, "")));
  });
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
