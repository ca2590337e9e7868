// The recorded fix of the same failure. Pure functions.

import type { PastFix } from "../../../../../../functions/schemas/answer.ts";
import type { TriageResult } from "../../../../../../functions/schemas/triage-result.ts";

/** Null unless the answer starts with a past incident that is the same failure and has a fix. */
export function startsWithSameFailure({
  answer: {
    worked_before: [first],
  },
}: Pick<TriageResult, "answer">) {
  if (first === undefined || !first.same_failure || first.fix === null) return null;
  return { ...first, fix: first.fix } satisfies PastFix;
}
