// The parts of a search score in plain words. Pure functions.

import type { SearchHit } from "./types.ts";

export interface ScoreFeature {
  readonly name: string;
  readonly value: number;
  /** Share of the positive parts, 0 to 1. */
  readonly share: number;
  /** Rank by this part alone, from 1. */
  readonly rank: number;
  readonly meaning: string;
  /** Which colour of the bar, from 1. */
  readonly colour: number;
}

type Name = keyof SearchHit["features"];

const FEATURES: Readonly<Record<Name, { readonly name: string; readonly meaning: string }>> = {
  document: { name: "Whole text", meaning: "how well the whole runbook matches the words" },
  title: { name: "Title", meaning: "how well its title matches" },
  dense: { name: "Meaning", meaning: "how near this section is in meaning" },
  bm25: { name: "Words", meaning: "how many rare words of the query this section holds" },
  lead: { name: "Beginning", meaning: "how well its beginning matches the words" },
  proximity: { name: "Close together", meaning: "how many words of the query stand close together" },
  type: { name: "Incident type", meaning: "it is about the recognised type of incident" },
  domain: { name: "Domain", meaning: "the words hint at its domain" },
  name: { name: "Name", meaning: "the query contains its title or file name" },
  attached: { name: "Attached", meaning: "the report or a person names this runbook" },
};
/** As many as the classes `.runbooks-colour-*` in runbooks.css; the features share them in their order. */
const COLOURS = 6;

/** Greatest first. */
export function scoreFeatures({ features }: Pick<SearchHit, "features">): ScoreFeature[] {
  const present = (Object.keys(FEATURES) as Name[]).flatMap((key, index) => {
    const part = features[key];
    return part === undefined ? [] : [{ ...FEATURES[key], ...part, colour: (index % COLOURS) + 1 }];
  });
  const total = present.reduce((sum, { value }) => sum + Math.max(0, value), 0);
  return present
    .map(({ name, meaning, value, rank, colour }) => {
      const share = total === 0 ? 0 : Math.max(0, value) / total;
      return { name, meaning, value, rank, colour, share };
    })
    .sort((a, b) => b.value - a.value);
}
