// Chooses the incident type by cues. Pure functions.

import type { Classification } from "../../schemas/domain.ts";
import { type DomainName, UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import { DOMAINS } from "./index.ts";
import { describeCues, matchCues } from "./route-domain.ts";

/** One hint (weight 1) is not enough: type `unknown` is better than a wrong term in the search. */
const MIN_WEIGHT = 2;

/** Cues in the headline decide; without any, cues in the details (labels, logs). */
export function classifyIncident(domain: DomainName, headline: string, details: string): Classification {
  return (
    strongestType(domain, headline, "text cue") ??
    strongestType(domain, details, "cue in labels or logs") ?? {
      name: UNKNOWN_INCIDENT_TYPE,
      rule: "no cue was strong enough",
    }
  );
}

function strongestType(domain: DomainName, text: string, source: string): Classification | undefined {
  let best: { name: string; weight: number; matches: string[] } | undefined;
  for (const type of DOMAINS[domain].incidentTypes) {
    const match = matchCues(type.cues, text);
    if (match.weight >= MIN_WEIGHT && match.weight > (best?.weight ?? 0)) best = { name: type.name, ...match };
  }
  return best && { name: best.name, rule: describeCues(source, best.matches) };
}
