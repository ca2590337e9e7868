// Made-up vectors of length 1.

/** Without a preferred axis: a sum of uniform numbers is nearly normal. */
export function unitVector(random: () => number, dimensions: number): number[] {
  return normalize(Array.from({ length: dimensions }, () => random() + random() + random() - 1.5));
}

/** Near a centre. @param spread length of the difference before the result is normalised; the centre has length 1 */
export function unitVectorNear(centre: readonly number[], spread: number, random: () => number): number[] {
  const difference = unitVector(random, centre.length);
  return normalize(centre.map((number, i) => number + spread * (difference[i] ?? 0)));
}

function normalize(numbers: readonly number[]): number[] {
  const length = Math.hypot(...numbers);
  return numbers.map((number) => Number((number / length).toFixed(5)));
}
