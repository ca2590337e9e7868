// The part of a recalled text that an answer may use: a text may be about several failures, and only one of them was found.
// Pure functions.

import { failuresOf } from "../../../lib/markdown/failure-sections.ts";
import { sectionRole } from "../../../lib/markdown/section-role.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import type { RecalledRunbook } from "./recall-result.ts";

type FoundFailure = Pick<RecalledRunbook, "sections" | "otherSections">;

/**
 * Splits the chunks of a text by the failure of the best hit. A hit above all failures, such as a table of contents, chooses
 * none of them while another hit does.
 * @param sections in document order
 */
export function splitByFoundFailure(
  { title, hits }: Pick<RecalledRunbook, "title" | "hits">,
  sections: readonly SearchDocument[],
): FoundFailure {
  const failures = failuresOf(sections, title);
  const byId = new Map(sections.map(({ id }, i) => [id, failures[i] ?? 0]));
  const isShared = sections.every((section, i) => failures[i] !== 0 || !isStep(section));
  const ofHits = hits.map(({ document }) => byId.get(document.id) ?? 0);
  const ofFound = ofHits.find((failure) => failure !== 0 || !isShared) ?? 0;
  return {
    sections: sections.filter((_, i) => failures[i] === ofFound),
    otherSections: sections.filter((_, i) => failures[i] !== ofFound),
  };
}

/** Whether a text may state a cause. If only its other failures have causes or steps, the found one is not what they are for. */
export function mayStateCauses({ sections, otherSections }: FoundFailure): boolean {
  return sections.some(isStep) || !otherSections.some(isStep);
}

function isStep({ headingPath }: SearchDocument): boolean {
  const role = sectionRole(headingPath);
  return role === "causes" || role === "confirm" || role === "mitigate";
}
