// Owns the place of a runbook that the report came with: whoever wrote the alert named it, so it stands before whatever
// the search found, and counts as covering the incident. Pure.

import type { HybridHit } from "../../search-index/hybrid-search.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import type { RecalledRunbook } from "./recall-result.ts";

/** More than all other features together can add, so that an attached runbook outranks every found one. */
const ATTACHED_VALUE = 10;
/** A person's word that this is the runbook; not certain, since alerts are copied and links grow old. */
const ATTACHED_GROUNDING = 0.8;

/** @param sections of the attached runbook; none where it is not one of ours */
export function placeAttachedFirst(
  runbooks: readonly RecalledRunbook[],
  sections: readonly SearchDocument[],
): readonly RecalledRunbook[] {
  const [opening] = sections;
  if (opening === undefined) return runbooks;
  const source = opening.source ?? opening.id;
  const found = runbooks.find((runbook) => runbook.source === source);
  const [best, ...others] = found?.hits ?? [];
  const attached: RecalledRunbook = {
    source,
    title: opening.title,
    grounding: Math.max(found?.grounding ?? 0, ATTACHED_GROUNDING),
    // Its best section alone is lifted: all of them would crowd out what the search knows better.
    hits: [withAttachment(best ?? { document: opening, score: 0, contributions: {} }), ...others],
    sections,
  };
  return [attached, ...runbooks.filter((runbook) => runbook !== found)];
}

function withAttachment(hit: HybridHit): HybridHit {
  return {
    ...hit,
    score: hit.score + ATTACHED_VALUE,
    contributions: { ...hit.contributions, attached: { rank: 1, value: ATTACHED_VALUE } },
  };
}
