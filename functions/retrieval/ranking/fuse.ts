// Owns how the strengths of several signals become one score. Pure; every score can be taken apart again.

export interface Contribution {
  /** Place by this signal's strength, from 1; equals share a place. */
  readonly rank: number;
  /** What the signal added to the score: its weight × its strength. */
  readonly value: number;
}

export interface Fused<Signal extends string> {
  readonly id: string;
  /** The sum of the contributions' values. */
  readonly score: number;
  readonly contributions: Partial<Record<Signal, Contribution>>;
}

/** Strengths of what was found, 0 to 1; a signal that says nothing of it is missing. */
export type Strengths<Signal extends string> = Partial<Record<Signal, number>>;

/** score(d) = Σ over signals of weight · strength(d), best first; ties by id, so that the same input gives the same order. */
export function fuse<Signal extends string>(
  found: ReadonlyMap<string, Strengths<Signal>>,
  weights: Readonly<Record<Signal, number>>,
): Fused<Signal>[] {
  const signals = Object.keys(weights) as Signal[];
  const places = new Map(signals.map((signal) => [signal, placesBy(signal, found)]));
  return [...found]
    .map(([id, strengths]) => {
      const contributions: Partial<Record<Signal, Contribution>> = {};
      for (const signal of signals) {
        const strength = strengths[signal] ?? 0;
        if (strength === 0) continue;
        contributions[signal] = { rank: places.get(signal)?.get(strength) ?? 1, value: weights[signal] * strength };
      }
      return { id, score: sumOf(contributions), contributions };
    })
    .sort(byScoreThenId);
}

/** The place of each strength that a signal has. */
function placesBy<Signal extends string>(
  signal: Signal,
  found: ReadonlyMap<string, Strengths<Signal>>,
): ReadonlyMap<number, number> {
  const sorted = [...found.values()].flatMap((strengths) => strengths[signal] ?? []).sort((a, b) => b - a);
  const places = new Map<number, number>();
  sorted.forEach((strength, i) => {
    if (!places.has(strength)) places.set(strength, i + 1);
  });
  return places;
}

/** Multiplies a fused hit's score, and each contribution with it, so that the parts still sum to the whole. */
export function scaleFused<Signal extends string>(hit: Fused<Signal>, factor: number): Fused<Signal> {
  const contributions: Partial<Record<Signal, Contribution>> = {};
  for (const signal of Object.keys(hit.contributions) as Signal[]) {
    const part = hit.contributions[signal];
    if (part) contributions[signal] = { rank: part.rank, value: part.value * factor };
  }
  return { id: hit.id, score: sumOf(contributions), contributions };
}

export function byScoreThenId(a: { score: number; id: string }, b: { score: number; id: string }): number {
  return b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function sumOf(parts: Partial<Record<string, Contribution>>): number {
  return Object.values(parts).reduce((sum, part) => sum + (part?.value ?? 0), 0);
}
