// A time as its age, with the exact time as its title.

import type { ComponentChildren } from "preact";
import { now } from "../format/now.ts";
import { ageOf, exactTime, shortAgeOf } from "../format/time.ts";

interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  /** Such as `35m`. */
  readonly isShort?: boolean;
}

export function Time({ at, isShort = false }: TimeProps) {
  return (
    <time datetime={at} title={exactTime(at)}>
      {isShort ? shortAgeOf(at, now.value) : ageOf(at, now.value)}
    </time>
  );
}

/** Such as "ended 3 min ago by dana". Nothing without a time. */
export function When({
  what,
  at,
  children,
}: {
  readonly what: string;
  readonly at: string | null;
  readonly children?: ComponentChildren;
}) {
  return at === null ? null : (
    <span>
      {what} <Time at={at} />
      {children}
    </span>
  );
}
