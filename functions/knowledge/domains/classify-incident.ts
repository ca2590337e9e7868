// Chooses the incident type by hints. Pure functions.

import { type Classification, type DomainRoute, UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import type { Domain, DomainCatalog } from "./domain-catalog.ts";
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
  const indexes = domainsOf(catalog, { name, decidedBy, excluded }).map(({ types }) => types);
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

/** Whether a text has hints that are strong enough for a type of the domain. */
export function namesType(
  catalog: DomainCatalog,
  domain: Pick<DomainRoute, "name" | "decidedBy" | "excluded">,
  { type, text }: { readonly type: string; readonly text: string },
): boolean {
  const isDefined = ({ definition }: Domain) => definition.incident_types.some(({ name }) => name === type);
  const indexes = domainsOf(catalog, domain).filter(isDefined);
  return indexes.some(({ types }) => (types(text).get(type)?.weight ?? 0) >= MIN_WEIGHT);
}

/** The domain; without one, all that are not excluded. */
function domainsOf(
  catalog: DomainCatalog,
  { name, decidedBy, excluded }: Pick<DomainRoute, "name" | "decidedBy" | "excluded">,
): Domain[] {
  const own = catalog.domains.get(name);
  if (decidedBy !== "none") return own ? [own] : [];
  return [...catalog.domains].filter(([domain]) => !excluded.includes(domain)).map(([, compiled]) => compiled);
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
