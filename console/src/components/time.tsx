// A time as its age, with the exact time as its title.

import { now } from "../format/now.ts";
import { ageOf, exactTime } from "../format/time.ts";

/** @param at ISO 8601 */
export function Time({ at }: { readonly at: string }) {
  return (
    <time datetime={at} title={exactTime(at)}>
      {ageOf(at, now.value)}
    </time>
  );
}
