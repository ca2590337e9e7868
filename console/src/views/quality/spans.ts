// Days, or weeks where days would be too thin to see. Pure functions.

import type { Body } from "../../api/types.ts";

type Day = Body<"/v1/quality/outcomes">["days"][number];

/** More bars than this are thinner than a pixel on a phone. */
const MAX_BARS = 100;
const WEEK = 7;

export interface Span extends Pick<Day, "answers" | "judgements"> {
  /** Its first day, YYYY-MM-DD. */
  readonly from: string;
  /** Such as `1 Mar`; a week has the name of its first day. */
  readonly name: string;
}

/** The days, or whole weeks that end with the last day; the first week may be shorter. */
export function spansOf(days: readonly Day[]): Span[] {
  const size = days.length > MAX_BARS ? WEEK : 1;
  const first = days.length % size;
  const groups: (readonly Day[])[] = first > 0 ? [days.slice(0, first)] : [];
  for (let at = first; at < days.length; at += size) groups.push(days.slice(at, at + size));
  return groups.flatMap((group) => {
    const [start] = group;
    return start === undefined
      ? []
      : [group.reduce<Span>(added, { from: start.date, name: dayName(start.date), ...EMPTY })];
  });
}

const EMPTY = {
  answers: { cause: 0, possible: 0, unknown: 0, benign: 0 },
  judgements: { up: 0, down: 0, worked: 0, did_not_work: 0 },
};

function added(span: Span, { answers, judgements }: Day): Span {
  return { ...span, answers: sum(span.answers, answers), judgements: sum(span.judgements, judgements) };
}

function sum<T extends Readonly<Record<string, number>>>(one: T, other: T): T {
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, value + (other[name] ?? 0)])) as T;
}

const NAME = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "2-digit", timeZone: "UTC" });

function dayName(date: string): string {
  return NAME.format(new Date(`${date}T00:00:00Z`));
}
