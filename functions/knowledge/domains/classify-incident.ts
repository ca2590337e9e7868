// Chooses the incident type by hints. Pure functions.

import { type Classification, type DomainRoute, UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import type { DomainCatalog } from "./domain-catalog.ts";
import type { HintIndex, HintMatch } from "./hint-index.ts";
import { describeHints, type ReportText } from "./route-domain.ts";

/** One faint hint (weight 1) is not enough: type `unknown` is better than a wrong term in the search. */
const MIN_WEIGHT = 2;

export interface TypeText extends Pick<ReportText, "headline" | "details"> {
  /** Lines whose hints come before those of the headline, most important first. */
  readonly decisiveLines?: readonly string[];
}

/** Hints in the headline decide; without any, hints in the details. Undecided reports may be of any domain's types. */
export function classifyIncident(
  catalog: DomainCatalog,
  { name, decidedBy, excluded }: Pick<DomainRoute, "name" | "decidedBy" | "excluded">,
  { headline, details, decisiveLines = [] }: TypeText,
): Classification {
  const own = catalog.domains.get(name);
  const others = [...catalog.domains].filter(([domain]) => !excluded.includes(domain));
  const indexes = decidedBy === "none" ? others.map(([, { types }]) => types) : own ? [own.types] : [];
  for (const line of decisiveLines) {
    const type = strongestType(indexes, line, "words in error lines");
    if (type) return type;
  }
  return (
    strongestType(indexes, headline, "words") ??
    strongestType(indexes, details, "words in labels or logs") ?? {
      name: UNKNOWN_INCIDENT_TYPE,
      rule: "no word was a strong enough hint",
    }
  );
}

function strongestType(indexes: readonly HintIndex[], text: string, source: string): Classification | undefined {
  let best: { readonly name: string; readonly match: HintMatch } | undefined;
  for (const index of indexes) {
    for (const [name, match] of index(text)) {
      if (match.weight >= MIN_WEIGHT && match.weight > (best?.match.weight ?? 0)) best = { name, match };
    }
  }
  return best && { name: best.name, rule: describeHints(source, best.match.matches) };
}
