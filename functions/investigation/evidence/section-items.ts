// The listed items of a recalled runbook, by the roles of its sections. Pure functions.

import { withoutOverlap } from "../../../lib/markdown/chunk-markdown.ts";
import { parseRunbookItems, type RunbookItem } from "../../../lib/markdown/runbook-items.ts";
import { type SectionRole, sectionRole } from "../../../lib/markdown/section-role.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import type { RecalledRunbook } from "../recall/recall-result.ts";

export interface SectionItem {
  readonly item: RunbookItem;
  readonly section: SearchDocument;
}

/** The items of the sections with a role, in document order. */
export function itemsOf({ sections }: Pick<RecalledRunbook, "sections">, role: SectionRole): SectionItem[] {
  return withoutRepetitions(sections.filter((section) => sectionRole(section.headingPath) === role)).flatMap(
    ({ section, body }) => parseRunbookItems(body, { areSteps: role !== "causes" }).map((item) => ({ item, section })),
  );
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
