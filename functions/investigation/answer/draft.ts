// Steps "synthesise" and "reflect": a model writes a draft, or a better one, and what leaves of it is verified.

import type { z } from "zod";
import { ask } from "../model/ask-model.ts";
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

/** The shares of the budget that stay for the steps behind: a criticism, without which an answer has no confidence. */
const RESERVED_FOR_CRITIQUE = 0.2;
const RESERVED_FOR_SECOND_CRITIQUE = 0.1;
/** Times that a draft in the wrong shape is sent back. */
const RETRIES = 1;

/** @throws DependencyError of the system `model` */
export async function synthesise(context: AnswerContext): Promise<Drafted> {
  const { drafted } = await write(context, {
    step: "synthesise",
    instructions: SYNTHESISE_INSTRUCTIONS,
    prompt: synthesisePrompt(context.material),
    schema: draftSchema,
    leave: RESERVED_FOR_CRITIQUE,
  });
  return drafted;
}

/** @returns the better answer and what was changed. @throws DependencyError of the system `model` */
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
    leave: RESERVED_FOR_SECOND_CRITIQUE,
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
    readonly leave: number;
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
  let writing = 1;
  const follow = (partial: unknown, attempt: number) => {
    if (attempt > writing) current = start();
    writing = attempt;
    current.stream.update(partial);
  };
  const value = await ask(models, run, {
    ...task,
    role: "answer",
    retries: RETRIES,
    objection: missingText,
    maxOutputTokens: config.MODEL_MAX_OUTPUT_TOKENS,
    ...(run.isStreamed ? { onPartial: follow } : {}),
  });
  if (run.isStreamed) current.stream.finish(value);
  return { value, drafted: { draft: current.draft, ...verifyDraft(value, verifier) } };
}

/** An item that says nothing would be a bullet without words. */
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
