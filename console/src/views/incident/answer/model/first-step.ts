// The one step to do first. Pure functions.

import type { AnswerView, Item } from "../../../../../../functions/answer-view/answer-view.ts";

/** A check comes before what changes something. Null if the answer has no step. */
export function firstStep({ sections }: Pick<AnswerView, "sections">): Item | null {
  const itemOf = (kind: AnswerView["sections"][number]["kind"]) =>
    sections.find((each) => each.kind === kind)?.items[0];
  return itemOf("confirm") ?? itemOf("candidates")?.checks[0] ?? itemOf("look_next") ?? itemOf("mitigate") ?? null;
}
