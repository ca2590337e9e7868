// The one step to do first. A pure function.

import type { AnswerView, Item } from "../../../../../../functions/answer-view/answer-view.ts";

/** A check before what changes something. */
export function firstStep({ sections }: Pick<AnswerView, "sections">): Item | undefined {
  const itemOf = (kind: string) => sections.find((each) => each.kind === kind)?.items[0];
  return itemOf("confirm") ?? itemOf("candidates")?.checks[0] ?? itemOf("look_next") ?? itemOf("mitigate");
}
