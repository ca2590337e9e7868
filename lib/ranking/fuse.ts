// Weighted sum of ranking features. Pure functions; the contributions of a hit sum to its score.

export interface Contribution {
  /** Rank by this feature's strength, from 1; equal strengths share a rank. */
  readonly rank: number;
  /** The feature's weight × its strength. */
  readonly value: number;
}

export interface Fused<Feature extends string> {
  readonly id: string;
  /** The sum of the contributions' values. */
  readonly score: number;
  readonly contributions: Partial<Record<Feature, Contribution>>;
}

/** Strengths of a candidate's features, 0 to 1; an absent feature counts as 0. */
export type Strengths<Feature extends string> = Partial<Record<Feature, number>>;

/** Sorts by score(d) = Σ over features of weight · strength(d), best first; ties by id, for a stable order. */
export function fuse<Feature extends string>(
  candidates: ReadonlyMap<string, Strengths<Feature>>,
  weights: Readonly<Record<Feature, number>>,
): Fused<Feature>[] {
  const features = Object.keys(weights) as Feature[];
  const ranks = new Map(features.map((feature) => [feature, ranksBy(feature, candidates)]));
  return [...candidates]
    .map(([id, strengths]) => {
      const contributions: Partial<Record<Feature, Contribution>> = {};
      for (const feature of features) {
        const strength = strengths[feature] ?? 0;
        if (strength === 0) continue;
        contributions[feature] = { rank: ranks.get(feature)?.get(strength) ?? 1, value: weights[feature] * strength };
      }
      return { id, score: sumOf(contributions), contributions };
    })
    .sort(byScoreThenId);
}

/** The rank of each strength of a feature. */
function ranksBy<Feature extends string>(
  feature: Feature,
  candidates: ReadonlyMap<string, Strengths<Feature>>,
): ReadonlyMap<number, number> {
  const sorted = [...candidates.values()].flatMap((strengths) => strengths[feature] ?? []).sort((a, b) => b - a);
  const ranks = new Map<number, number>();
  sorted.forEach((strength, i) => {
    if (!ranks.has(strength)) ranks.set(strength, i + 1);
  });
  return ranks;
}

/** Multiplies a hit's contributions by a factor, so that they still sum to its score. */
export function scaleFused<Feature extends string>(hit: Fused<Feature>, factor: number): Fused<Feature> {
  const contributions: Partial<Record<Feature, Contribution>> = {};
  for (const feature of Object.keys(hit.contributions) as Feature[]) {
    const part = hit.contributions[feature];
    if (part) contributions[feature] = { rank: part.rank, value: part.value * factor };
  }
  return { id: hit.id, score: sumOf(contributions), contributions };
}

export function byScoreThenId(a: { score: number; id: string }, b: { score: number; id: string }): number {
  return b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function sumOf(parts: Partial<Record<string, Contribution>>): number {
  return Object.values(parts).reduce((sum, part) => sum + (part?.value ?? 0), 0);
}
