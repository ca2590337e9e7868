// Owns the shape of a domain: what is particular to one technology, as data. The rules that use it live in route.ts
// and classify.ts.

import type { DomainName } from "../../schemas/domain.ts";
/** A pattern that speaks for a domain or an incident type when it is found in an incident's text. */
export interface Cue {
  readonly pattern: RegExp;
  /** How strongly it speaks: 1 for a hint, 3 for a string that hardly occurs elsewhere. */
  readonly weight: 1 | 2 | 3;
}

export interface IncidentType {
  /** snake_case, unique in its domain; stored with each incident. */
  readonly name: string;
  readonly cues: readonly Cue[];
}

/** Where to look when nothing else is known; changes nothing. */
export interface Look {
  readonly text: string;
  readonly command: string;
}

export interface Domain {
  readonly name: DomainName;
  /** The label that decides for this domain, if there is one. */
  readonly label?: { readonly key: string; readonly value: string };
  readonly cues: readonly Cue[];
  /** Technologies that are taken for this domain's by their labels or words, and that its runbooks do not cover. */
  readonly foreign?: RegExp;
  /** The closed list of incident types; `unknown` stands for none of them. */
  readonly incidentTypes: readonly IncidentType[];
  /** The first looks of somebody who knows nothing yet. */
  readonly firstLooks: readonly Look[];
}

/** A cue that matches case-insensitively. */
export function cue(pattern: RegExp, weight: Cue["weight"]): Cue {
  return { pattern: new RegExp(pattern.source, "iu"), weight };
}
