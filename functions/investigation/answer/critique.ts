// Step "critique": a second look at an answer, apart from its writing. The confidence is its score and nobody else's.

import { ask } from "../model/ask-model.ts";
import { answerBlock } from "../prompts/answer-block.ts";
import { CRITIQUE_INSTRUCTIONS, critiquePrompt, critiqueSchema } from "../prompts/critique.ts";
import { roundShare } from "../relevance/relevance-criteria.ts";
import type { Desk } from "./answer-context.ts";
import type { Drafted } from "./draft.ts";

export interface Critique {
  /** 0 to 1. */
  readonly score: number;
  /** Never empty. */
  readonly feedback: string;
}

const MAX_OUTPUT_TOKENS = 600;

/** @throws OutsideError of the system `model`, also when no usable criticism came in `AGENT_RETRIES` further tries */
export async function critique(desk: Desk, { draft, outcome, answer }: Drafted): Promise<Critique> {
  const { score, feedback } = await ask(desk.models, desk.run, {
    step: "critique",
    role: "small",
    instructions: CRITIQUE_INSTRUCTIONS,
    prompt: critiquePrompt(desk.material, answerBlock(outcome, answer, desk.texts)),
    schema: critiqueSchema,
    objection: (given) => (given.feedback.trim() === "" ? '"feedback" is empty.' : undefined),
    retries: desk.config.AGENT_RETRIES,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    leave: 0,
  });
  const given = { score: roundShare(Math.min(1, Math.max(0, score))), feedback: desk.clean(feedback) };
  desk.run.emit({ event: "critique", data: { draft, ...given } });
  return given;
}
