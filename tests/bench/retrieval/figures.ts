// Owns the figures by which rankings are judged.

export interface Figures {
  readonly "R@1": number;
  readonly "R@3": number;
  readonly "R@5": number;
  /** Mean reciprocal rank; what is not among the first ten counts nothing. */
  readonly "MRR@10": number;
}

/** @param ranks of what is right, from 1; Infinity where it was not found */
export function figuresOf(ranks: readonly number[]): Figures {
  const within = (limit: number) => ranks.filter((rank) => rank <= limit).length / ranks.length;
  const reciprocal = ranks.reduce((sum, rank) => sum + (rank <= 10 ? 1 / rank : 0), 0);
  return { "R@1": within(1), "R@3": within(3), "R@5": within(5), "MRR@10": reciprocal / ranks.length };
}

export const FIGURES = ["R@1", "R@3", "R@5", "MRR@10"] as const;

export function figureCells(figures: Figures): string[] {
  return FIGURES.map((name) => figures[name].toFixed(3));
}
