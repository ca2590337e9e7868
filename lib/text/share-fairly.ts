// Fair sharing of a length by water-filling. Pure functions.

/**
 * Shares `total` whole units among demands. No share exceeds its demand. Units that a small demand leaves go to the larger
 * ones, so every unmet demand gets as much as the largest share, less one unit at most.
 */
export function shareFairly(demands: readonly number[], total: number): number[] {
  const shares = demands.map(() => 0);
  const ascending = demands.map((demand, index) => ({ demand, index })).sort((a, b) => a.demand - b.demand);
  let rest = Math.max(0, Math.floor(total));
  for (const [rank, { demand, index }] of ascending.entries()) {
    const share = Math.min(demand, Math.floor(rest / (ascending.length - rank)));
    shares[index] = share;
    rest -= share;
  }
  return shares;
}
