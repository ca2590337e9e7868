// Steps "synthesise" and "reflect": a model writes or improves a draft, and code verifies it.

import type { z } from "zod";
import { askModel } from "../model/ask-model.ts";
import { answerBlock } from "../prompts/answer-block.ts";
import {
  type Draft,
  draftSchema,
  REFLECT_INSTRUCTIONS,
  reflectedSchema,
  reflectPrompt,
  SYNTHESISE_INSTRUCTIONS,
  synthesisePrompt,
} from "../prompts/synthesise.ts";
import type { AnswerContext } from "./answer-context.ts";
import { createAnswerStream } from "./answer-stream.ts";
import { type VerifiedAnswer, verifyDraft } from "./verify-draft.ts";

export interface Drafted extends VerifiedAnswer {
  /** Its number in the stream; from 1. */
  readonly draft: number;
}

/** Shares of the budget, 0 to 1. Without a critique an answer has no confidence. */
const RESERVED_FOR_CRITIQUE = 0.2;
const RESERVED_FOR_SECOND_CRITIQUE = 0.1;
/** How often an invalid draft is sent back. */
const RETRIES = 1;

/** @throws DependencyError of the language model */
export async function synthesise(context: AnswerContext): Promise<Drafted> {
  const { drafted } = await write(context, {
    step: "synthesise",
    instructions: SYNTHESISE_INSTRUCTIONS,
    prompt: synthesisePrompt(context.material),
    schema: draftSchema,
    reserved: RESERVED_FOR_CRITIQUE,
  });
  return drafted;
}

/** @returns the improved draft and a summary of its changes @throws DependencyError of the language model */
export async function reflect(
  context: AnswerContext,
  first: Drafted,
  feedback: string,
): Promise<{ readonly drafted: Drafted; readonly changes: string }> {
  const { drafted, value } = await write(context, {
    step: "reflect",
    instructions: REFLECT_INSTRUCTIONS,
    prompt: reflectPrompt(context.material, answerBlock(first.outcome, first.answer, context.texts), feedback),
    schema: reflectedSchema,
    reserved: RESERVED_FOR_SECOND_CRITIQUE,
  });
  return { drafted, changes: context.clean(value.changes) };
}

async function write<T extends Draft>(
  context: AnswerContext,
  task: {
    readonly step: string;
    readonly instructions: string;
    readonly prompt: string;
    readonly schema: z.ZodType<T>;
    readonly reserved: number;
  },
): Promise<{ readonly value: T; readonly drafted: Drafted }> {
  const { models, run, verifier, config } = context;
  const start = () => {
    const draft = context.nextDraft();
    const stream = createAnswerStream(verifier, (path, text) =>
      run.emit({ event: "token", data: { draft, path, text } }),
    );
    return { draft, stream };
  };
  let current = start();
  let currentAttempt = 1;
  const onPartial = (partial: unknown, attempt: number) => {
    if (attempt > currentAttempt) current = start();
    currentAttempt = attempt;
    current.stream.update(partial);
  };
  const value = await askModel(models, run, {
    ...task,
    role: "answer",
    retries: RETRIES,
    objection: missingText,
    maxOutputTokens: config.MODEL_MAX_OUTPUT_TOKENS,
    ...(run.isStreamed ? { onPartial } : {}),
  });
  if (run.isStreamed) current.stream.finish(value);
  return { value, drafted: { draft: current.draft, ...verifyDraft(value, verifier) } };
}

/** Objects to items without text: they would show as empty bullets. */
function missingText({
  evidence,
  hypotheses,
  summary,
  confirm,
  mitigate,
  prevention,
  look_next,
}: Draft): string | undefined {
  const texts = [summary, ...evidence, ...confirm, ...mitigate, ...prevention, ...look_next].map(({ text }) => text);
  const isMissing = [...texts, ...hypotheses.map(({ cause }) => cause)].some((text) => text.trim() === "");
  return isMissing ? "An item has no text." : undefined;
}
