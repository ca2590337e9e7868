// Owns how ranked lists become one list. Pure; every score can be taken apart again.

/** The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): damps the very first ranks. */
export const RRF_K = 60;

export interface RankedList<Signal extends string> {
  readonly signal: Signal;
  /** Ids, best first, none twice. */
  readonly ids: readonly string[];
  /** The list is a set: all its members share the first rank. */
  readonly unordered?: boolean;
}

export interface Contribution {
  /** Position in that signal's list, from 1. */
  readonly rank: number;
  /** What the signal added to the score. */
  readonly value: number;
}

export interface Fused<Signal extends string> {
  readonly id: string;
  /** The sum of the contributions' values. */
  readonly score: number;
  readonly contributions: Partial<Record<Signal, Contribution>>;
}

/**
 * Reciprocal rank fusion: score(d) = Σ over lists of 1 / (60 + rank of d in the list), best first; ties by id, so
 * that the same lists always give the same order. A document in one list only is kept with that list's share.
 */
export function fuseByReciprocalRank<Signal extends string>(lists: readonly RankedList<Signal>[]): Fused<Signal>[] {
  const contributions = new Map<string, Partial<Record<Signal, Contribution>>>();
  for (const { signal, ids, unordered } of lists) {
    ids.forEach((id, i) => {
      const rank = unordered ? 1 : i + 1;
      const entry: Partial<Record<Signal, Contribution>> = contributions.get(id) ?? {};
      if (entry[signal] === undefined) entry[signal] = { rank, value: 1 / (RRF_K + rank) };
      contributions.set(id, entry);
    });
  }
  return [...contributions]
    .map(([id, parts]) => ({ id, score: sumOf(parts), contributions: parts }))
    .sort(byScoreThenId);
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
