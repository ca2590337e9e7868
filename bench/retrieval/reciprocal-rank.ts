// Plain reciprocal rank fusion (RRF), the baseline of the retrieval benchmarks.

/** The constant of Cormack, Clarke and Büttcher, SIGIR 2009. */
const RRF_K = 60;

/** Best first: Σ over lists of 1 / (60 + rank), rank from 1. */
export function reciprocalRankFusion(lists: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const list of lists) {
    for (const [i, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_K + i + 1));
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([id]) => id);
}
