// The type of a domain: cues, incident types and first looks of one technology. route-domain.ts and classify-incident.ts
// apply them.

import type { DomainName } from "../../schemas/domain.ts";

/** A pattern that indicates a domain or an incident type when an incident's text matches it. */
export interface Cue {
  readonly pattern: RegExp;
  /** 1 for a hint, 3 for a string that rarely occurs elsewhere. */
  readonly weight: 1 | 2 | 3;
}

export interface IncidentType {
  /** snake_case, unique in its domain; stored with each incident. */
  readonly name: string;
  readonly cues: readonly Cue[];
}

/** A read-only command for an unknown cause. */
export interface Look {
  readonly text: string;
  readonly command: string;
}

export interface Domain {
  readonly name: DomainName;
  /** The label that selects this domain. */
  readonly label?: { readonly key: string; readonly value: string };
  readonly cues: readonly Cue[];
  /** Technologies that labels or words may route to this domain although its runbooks do not cover them. */
  readonly foreign?: RegExp;
  /** Closed list; `unknown` means none of them. */
  readonly incidentTypes: readonly IncidentType[];
  /** Shown when the cause is unknown. */
  readonly firstLooks: readonly Look[];
}

/** A cue that matches case-insensitively. */
export function cue(pattern: RegExp, weight: Cue["weight"]): Cue {
  return { pattern: new RegExp(pattern.source, "iu"), weight };
}
