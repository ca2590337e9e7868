// Owns which incident type of its domain an incident is, as far as cues can tell. Pure.

import type { Classification } from "../../schemas/domain.ts";
import { type DomainName, UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import { DOMAINS } from "./index.ts";
import { describeCues, matchCues } from "./route-domain.ts";

/** A hint alone (weight 1) does not make a type: calling it unknown keeps a wrong word out of the search. */
const MINIMUM_WEIGHT = 2;

/** The headline speaks first; only where it is silent do labels and logs decide. */
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
  let best: { name: string; weight: number; found: string[] } | undefined;
  for (const type of DOMAINS[domain].incidentTypes) {
    const match = matchCues(type.cues, text);
    if (match.weight >= MINIMUM_WEIGHT && match.weight > (best?.weight ?? 0)) best = { name: type.name, ...match };
  }
  return best && { name: best.name, rule: describeCues(source, best.found) };
}
