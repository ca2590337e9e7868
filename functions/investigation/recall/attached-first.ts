// Ranks a runbook that the report names before the runbooks that the search returned. The author of the alert chose it, so
// it counts as covering the incident. Pure functions.

import type { HybridHit } from "../../search-index/hybrid-search.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import { atLeast, type Relevance } from "../relevance/relevance.ts";
import { splitByFoundFailure } from "./found-failure.ts";
import type { RecalledRunbook } from "./recall-result.ts";

/** More than all other features together can add, so that an attached runbook ranks first. */
const ATTACHED_VALUE = 10;
/** A person chose the runbook. Less than 1, because alerts are copied and links become outdated. */
const ATTACHED_PROBABILITY = 0.8;

const NOT_ASSESSED: Relevance = { probability: 0, logOdds: 0, contributions: {} };

/** @param sections of the attached runbook; empty if it is not stored here */
export function placeAttachedFirst(
  runbooks: readonly RecalledRunbook[],
  sections: readonly SearchDocument[],
): readonly RecalledRunbook[] {
  const [opening] = sections;
  if (opening === undefined) return runbooks;
  const source = opening.source ?? opening.id;
  const searched = runbooks.find((runbook) => runbook.source === source);
  const [best, ...others] = searched?.hits ?? [];
  // Only its best section gets the bonus: all of them would displace the other runbooks.
  const hits = [withAttachment(best ?? { document: opening, score: 0, contributions: {} }), ...others];
  const attached: RecalledRunbook = {
    source,
    title: opening.title,
    relevance: atLeast(searched?.relevance ?? NOT_ASSESSED, ATTACHED_PROBABILITY, "attached"),
    hits,
    ...splitByFoundFailure({ title: opening.title, hits }, sections),
  };
  return [attached, ...runbooks.filter((runbook) => runbook !== searched)];
}

function withAttachment(hit: HybridHit): HybridHit {
  return {
    ...hit,
    score: hit.score + ATTACHED_VALUE,
    contributions: { ...hit.contributions, attached: { rank: 1, value: ATTACHED_VALUE } },
  };
}
