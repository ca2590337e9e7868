// Step "critique": a model scores an answer in a separate request. It sees the relevance of the cited sources and the error
// lines that the answer does not quote.

import { askModel } from "../model/ask-model.ts";
import { answerBlock } from "../prompts/answer-block.ts";
import { CRITIQUE_INSTRUCTIONS, critiquePrompt, critiqueSchema } from "../prompts/critique.ts";
import { reviewBlocks } from "../prompts/review-blocks.ts";
import { roundShare } from "../relevance/relevance.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { Critique, VerifiedDraft } from "./draft.ts";

const MAX_OUTPUT_TOKENS = 600;

/** @throws DependencyError of the language model, also after `AGENT_RETRIES` further invalid answers */
export async function critique(context: AnswerContext, { draft, outcome, answer }: VerifiedDraft): Promise<Critique> {
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
