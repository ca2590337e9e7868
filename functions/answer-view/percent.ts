// A probability as people read it. Pure functions.

/** `87 %`. Only 1 is 100 %, and only 0 is 0 %. @param probability 0 to 1 */
export function percentOf(probability: number): string {
  const percent = Math.round(probability * 100);
  if (probability < 1 && probability > 0) return `${Math.min(99, Math.max(1, percent))} %`;
  return `${percent} %`;
}
