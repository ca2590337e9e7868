// A time as its age, with the exact time as its title.

import { now } from "../format/now.ts";
import { ageOf, exactTime, shortAgeOf } from "../format/time.ts";

/** @param props.at ISO 8601 @param props.isShort such as `35m` */
export function Time({ at, isShort = false }: { readonly at: string; readonly isShort?: boolean }) {
  return (
    <time datetime={at} title={exactTime(at)}>
      {isShort ? shortAgeOf(at, now.value) : ageOf(at, now.value)}
    </time>
  );
}
