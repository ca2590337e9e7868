// The listed items of a recalled runbook, by the roles of its sections. Pure functions.

import { isInstruction, ordersLook } from "../../../lib/commands/ordered-change.ts";
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
 * The items of the sections with a role, in document order. Where no section has checks or mitigations, those are the instructions
 * in sections without a role: what only looks is a check, the others mitigate.
 */
export function itemsOf({ sections }: Pick<RecalledRunbook, "sections">, role: SectionRole): SectionItem[] {
  const isStep = role === "confirm" || role === "mitigate";
  const roles = sections.map(({ headingPath }) => sectionRole(headingPath));
  if (isStep && !roles.includes("confirm") && !roles.includes("mitigate"))
    return withoutRepetitions(sections.filter((_, i) => roles[i] === undefined))
      .flatMap(({ section, body }) => readInstructions(body).map((item) => ({ item, section })))
      .filter(({ item }) => (role === "confirm") === isCheck(item));
  return withoutRepetitions(sections.filter((_, i) => roles[i] === role)).flatMap(({ section, body }) =>
    parseRunbookItems(body, { areSteps: role !== "causes" }).map((item) => ({ item, section })),
  );
}

function isCheck(item: RunbookItem): boolean {
  const effect = stepEffect(item);
  return effect === "read_only" || (effect !== "changes_state" && ordersLook(item.text));
}

/** The paragraphs and list items that order something, with the code below each. */
function readInstructions(body: string): RunbookItem[] {
  const blocks: string[] = [];
  for (const block of splitBlocks(body.split("\n"))) {
    const above = blocks.at(-1);
    if (isFenced(block) && above !== undefined) blocks[blocks.length - 1] = `${above}\n${block}`;
    else blocks.push(block);
  }
  return blocks.flatMap((block) => parseRunbookItems(block)).filter(({ text }) => isInstruction(text));
}

/** Each section with its text, without what it repeats of the section before it. */
export function withoutRepetitions(
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
