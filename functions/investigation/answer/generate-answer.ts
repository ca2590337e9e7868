// The steps of a model's answer: synthesise, critique, and if the score is low, reflect and critique once more. Returns the
// draft with the higher score.

import { type DependencyError, settle } from "../../dependencies.ts";
import { askModel } from "../model/ask-model.ts";
import { answerBlock } from "../prompts/answer-block.ts";
import { CRITIQUE_INSTRUCTIONS, critiquePrompt, critiqueSchema } from "../prompts/critique.ts";
import { reviewBlocks } from "../prompts/review-blocks.ts";
import { roundShare } from "../relevance/relevance.ts";
import type { AnswerContext } from "./answer-context.ts";
import { type Critique, reflect, synthesise, type VerifiedDraft } from "./draft.ts";

export interface GeneratedAnswer {
  readonly drafted: VerifiedDraft;
  /** The critique's score of the returned draft. */
  readonly confidence: number;
  readonly initialConfidence: number;
  /** Feedback of the last critique that counts. */
  readonly feedback: string;
  /** Whether a second draft was written. If it scored lower, the first one is returned and `changes` is null. */
  readonly reflected: boolean;
  /** What the reflection changed; null if the first draft is returned. */
  readonly changes: string | null;
  /** The failure of the reflection or of its critique. */
  readonly failure?: { readonly step: "reflect" | "critique"; readonly error: DependencyError } | undefined;
}

/** @throws DependencyError of the language model when the first draft or its critique fails */
export async function generateAnswer(context: AnswerContext): Promise<GeneratedAnswer> {
  const first = await synthesise(context);
  const firstCritique = await critique(context, first);
  const unreflected: GeneratedAnswer = {
    drafted: first,
    confidence: firstCritique.score,
    initialConfidence: firstCritique.score,
    feedback: firstCritique.feedback,
    reflected: false,
    changes: null,
  };
  if (firstCritique.score >= context.config.CONFIDENCE_THRESHOLD) return unreflected;

  const second = await settle(reflect(context, first, firstCritique));
  if (!second.ok) return { ...unreflected, failure: { step: "reflect", error: second.error } };
  const { drafted, changes } = second.value;
  context.run.emit({ event: "reflection", data: { draft: drafted.draft, changes } });

  const secondCritique = await settle(critique(context, drafted));
  // Without a score of its own, the second draft keeps the score of the first.
  const scored: Critique = secondCritique.ok ? secondCritique.value : firstCritique;
  const failure = secondCritique.ok ? undefined : ({ step: "critique", error: secondCritique.error } as const);
  if (scored.score < firstCritique.score) return { ...unreflected, reflected: true };
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

const MAX_OUTPUT_TOKENS = 600;

/** @throws DependencyError of the language model, also after `AGENT_RETRIES` further invalid answers */
async function critique(context: AnswerContext, { draft, outcome, answer }: VerifiedDraft): Promise<Critique> {
  const shown = [answerBlock(outcome, answer, context.texts), reviewBlocks(answer, context.incident, context.texts)];
  const { score, feedback } = await askModel(context.models, context.run, {
    step: "critique",
    role: "small",
    instructions: CRITIQUE_INSTRUCTIONS,
    prompt: critiquePrompt(context.material, shown.filter((block) => block !== "").join("\n")),
    nameHints: context.nameHints,
    schema: critiqueSchema,
    objection: (reply) => (reply.feedback.trim() === "" ? '"feedback" is empty.' : undefined),
    retries: context.config.AGENT_RETRIES,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    reserved: 0,
  });
  const scored = { score: roundShare(Math.min(1, Math.max(0, score))), feedback: context.clean(feedback) };
  context.run.emit({ event: "critique", data: { draft, ...scored } });
  return scored;
}
