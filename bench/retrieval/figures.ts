// Quality figures of rankings: recall at 1, 3 and 5, and mean reciprocal rank.

export interface Figures {
  readonly "R@1": number;
  readonly "R@3": number;
  readonly "R@5": number;
  /** Mean reciprocal rank; ranks above 10 count 0. */
  readonly "MRR@10": number;
}

/** @param ranks ranks of the right results, from 1; Infinity when not found */
export function figuresOf(ranks: readonly number[]): Figures {
  const within = (limit: number) => ranks.filter((rank) => rank <= limit).length / ranks.length;
  const reciprocal = ranks.reduce((sum, rank) => sum + (rank <= 10 ? 1 / rank : 0), 0);
  return { "R@1": within(1), "R@3": within(3), "R@5": within(5), "MRR@10": reciprocal / ranks.length };
}

export const FIGURES = ["R@1", "R@3", "R@5", "MRR@10"] as const;

export function figureCells(figures: Figures): string[] {
  return FIGURES.map((name) => figures[name].toFixed(3));
}
