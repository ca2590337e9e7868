// Owns the investigation by models, from what was recalled to an answer with a confidence: synthesise → critique →
// reflect once if the critic is not convinced → critique again → the better of the two.

import { DependencyError } from "../../dependencies.ts";
import type { AnswerContext } from "./answer-context.ts";
import { type Critique, critique } from "./critique.ts";
import { type Drafted, reflect, synthesise } from "./draft.ts";

export interface GeneratedAnswer {
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
  readonly failure?: { readonly step: "reflect" | "critique"; readonly error: DependencyError } | undefined;
}

/** @throws DependencyError of the system `model` when there is no answer, or none with a confidence */
export async function generateAnswer(context: AnswerContext): Promise<GeneratedAnswer> {
  const first = await synthesise(context);
  const judged = await critique(context, first);
  const unreflected: GeneratedAnswer = {
    drafted: first,
    confidence: judged.score,
    initialConfidence: judged.score,
    feedback: judged.feedback,
    reflected: false,
    changes: null,
  };
  if (judged.score >= context.config.CONFIDENCE_THRESHOLD) return unreflected;

  const second = await orFailure(reflect(context, first, judged.feedback));
  if (second instanceof DependencyError) return { ...unreflected, failure: { step: "reflect", error: second } };
  const { drafted, changes } = second;
  context.run.emit({ event: "reflection", data: { draft: drafted.draft, changes } });

  const again = await orFailure(critique(context, drafted));
  // An answer that nobody judged keeps the score of the one that it improves on.
  const scored: Critique = again instanceof DependencyError ? judged : again;
  const failure = again instanceof DependencyError ? ({ step: "critique", error: again } as const) : undefined;
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

async function orFailure<T>(step: Promise<T>): Promise<T | DependencyError> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof DependencyError) return error;
    throw error;
  }
}
