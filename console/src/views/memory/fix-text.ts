// How well a fix is proven, in words. Pure functions.

interface Proof {
  readonly tried: number;
  readonly worked: number;
}

/** `worked 3 of 4 times`, `worked once`, `tried twice, never helped`. */
export function proofOf({ tried, worked }: Proof): string {
  if (tried === 0) return "not tried yet";
  if (worked === 0) return `tried ${times(tried)}, never helped`;
  return tried === 1 ? "worked once" : `worked ${worked} of ${tried} times`;
}

function times(count: number): string {
  if (count === 1) return "once";
  return count === 2 ? "twice" : `${count} times`;
}
