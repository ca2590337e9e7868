// Random numbers by a seed: the same seed gives the same weights.

import { randomNumbers } from "../support/random-numbers.ts";

export interface Random {
  /** At least 0 and below 1. */
  next(): number;
  /** An integer from 0 to below `limit`. */
  below(limit: number): number;
  /** Normal, mean 0, variance 1 (Box and Muller 1958). */
  normal(): number;
  shuffle<T>(values: T[]): T[];
}

export function createRandom(seed: number): Random {
  const next = randomNumbers(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    shuffle<T>(values: T[]) {
      for (let i = values.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [values[i], values[j]] = [values[j] as T, values[i] as T];
      }
      return values;
    },
  };
}
