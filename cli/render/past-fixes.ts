// Past incidents of an answer for a terminal. Pure functions.

import {
  cameBack,
  didNotHelpSentence,
  likenessLines,
  percentOf,
  proofOf,
  withStruck,
} from "../../functions/answer-view/past-incident-text.ts";
import type { PastFix } from "../../functions/schemas/answer.ts";
import { shortened, type Writer } from "./terminal-text.ts";

/** Characters of a fix, of failed actions, and of a record without a fix. */
const FIX_LENGTH = 240;
const FAILED_LENGTH = 160;
const RECORD_LENGTH = 200;
/** Services of a record. */
const MAX_TARGETS = 3;

/** A fix of what is only possibly the same failure does not count as one that worked for it. */
export function pastFixesTitle(items: readonly PastFix[]): string {
  if (items.every(({ fix }) => fix === null)) return "Seen before";
  return items.some((item) => item.same_failure)
    ? "Worked before"
    : "Worked before, for a failure that may be the same";
}

/** The whole record. Former fixes are struck through. */
export function fullPastFix(item: PastFix, { cite, block, paint, color }: Writer): string[] {
  const text = withStruck(item, (former) => (color ? paint("strikethrough", former) : `~~${former}~~`));
  return [
    ...block(`${text} ${cite(item.citations)}`, 5, "   - "),
    ...likenessLines(item).flatMap((line) => block(paint("dim", line), 5)),
  ];
}

/** What fixed it, who says so, how often it worked, and what did not help. */
export function shortPastFix(item: PastFix, { cite, block, paint }: Writer): string[] {
  const { fix, probability, recurrence } = item;
  if (fix === null) return block(`${shortened(item.text, RECORD_LENGTH)} ${cite(item.citations)}`, 4, "  - ");
  const targets = (recurrence?.targets ?? []).slice(0, MAX_TARGETS);
  const details = [
    [fix.by, (fix.last_worked_at ?? fix.at).slice(0, 10)].filter((part) => part !== null && part !== "").join(", "),
    ...(targets.length === 0 ? [] : [`seen on ${targets.join(", ")}`]),
    ...proofOf(fix),
    ...cameBack(fix),
    ...(probability === null ? [] : [`${percentOf(probability)} likely the same failure`]),
  ].filter((detail) => detail !== "");
  return [
    ...block(
      `${shortened(fix.text, FIX_LENGTH)} ${paint("dim", `(${details.join("; ")})`)} ${cite(item.citations)}`,
      4,
      "  - ",
    ),
    ...didNotHelpSentence(item).flatMap((sentence) => block(shortened(sentence, FAILED_LENGTH), 4)),
  ];
}
