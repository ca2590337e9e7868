// Owns the investigation by models, from what was recalled to an answer with a confidence: synthesise → critique →
// reflect once if the critic is not convinced → critique again → the better of the two.

import { OutsideError } from "../../dependencies.ts";
import type { Desk } from "./answer-context.ts";
import { type Critique, critique } from "./critique.ts";
import { type Drafted, reflect, synthesise } from "./draft.ts";

export interface Deliberation {
  readonly drafted: Drafted;
  /** The score of the answer that is given. */
  readonly confidence: number;
  readonly initialConfidence: number;
  /** What the critic said last. */
  readonly feedback: string;
  readonly reflected: boolean;
  /** What reflection changed; null where the first answer is given. */
  readonly changes: string | null;
  /** What went wrong with the second look. */
  readonly failure?: { readonly step: "reflect" | "critique"; readonly error: OutsideError } | undefined;
}

/** @throws OutsideError of the system `model` when there is no answer, or none with a confidence */
export async function deliberate(desk: Desk): Promise<Deliberation> {
  const first = await synthesise(desk);
  const judged = await critique(desk, first);
  const unreflected: Deliberation = {
    drafted: first,
    confidence: judged.score,
    initialConfidence: judged.score,
    feedback: judged.feedback,
    reflected: false,
    changes: null,
  };
  if (judged.score >= desk.config.CONFIDENCE_THRESHOLD) return unreflected;

  const second = await orFailure(reflect(desk, first, judged.feedback));
  if (second instanceof OutsideError) return { ...unreflected, failure: { step: "reflect", error: second } };
  const { drafted, changes } = second;
  desk.run.emit({ event: "reflection", data: { draft: drafted.draft, changes } });

  const again = await orFailure(critique(desk, drafted));
  // An answer that nobody judged keeps the score of the one that it improves on.
  const scored: Critique = again instanceof OutsideError ? judged : again;
  const failure = again instanceof OutsideError ? ({ step: "critique", error: again } as const) : undefined;
  if (scored.score < judged.score) return { ...unreflected, reflected: true };
  return {
    ...unreflected,
    drafted,
    confidence: scored.score,
    feedback: scored.feedback,
    reflected: true,
    changes,
    failure,
  };
}

async function orFailure<T>(step: Promise<T>): Promise<T | OutsideError> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof OutsideError) return error;
    throw error;
  }
}
