// Steps "synthesise" and "reflect": a model writes a draft or improves it, and code verifies it. The text is streamed
// while the model writes it, if the caller streams.

import type { z } from "zod";
import { DependencyError } from "../../dependencies.ts";
import { askModel, type StepRequest } from "../model/ask-model.ts";
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

/** An answer made of the verified parts of a model's draft. */
export interface VerifiedDraft extends VerifiedAnswer {
  /** Number of the draft within the run, from 1. The events of the stream carry it. */
  readonly draft: number;
}

export interface Critique {
  /** 0 to 1. */
  readonly score: number;
  /** Never empty. */
  readonly feedback: string;
}

/** Shares of the time budget that are reserved for the critique, 0 to 1. Its score is the answer's confidence. */
const RESERVED_FOR_CRITIQUE = 0.2;
const RESERVED_FOR_SECOND_CRITIQUE = 0.1;

/** Writes the first draft. @throws DependencyError of the language model */
export async function synthesise(context: AnswerContext): Promise<VerifiedDraft> {
  const { drafted } = await writeDraft(context, {
    step: "synthesise",
    instructions: SYNTHESISE_INSTRUCTIONS,
    prompt: synthesisePrompt(context.material),
    schema: draftSchema,
    reserved: RESERVED_FOR_CRITIQUE,
  });
  return drafted;
}

/**
 * Improves the first draft by the feedback of its critique.
 * @returns the improved draft, and the model's summary of its changes
 * @throws DependencyError of the language model
 */
export async function reflect(
  context: AnswerContext,
  first: VerifiedDraft,
  { score, feedback }: Critique,
): Promise<{ readonly drafted: VerifiedDraft; readonly changes: string }> {
  if (context.run.remainingTokens() <= 0)
    throw new DependencyError("language_model", "busy", "today's tokens are used up");
  const { drafted, value } = await writeDraft(context, {
    step: "reflect",
    instructions: REFLECT_INSTRUCTIONS,
    prompt: reflectPrompt(context.material, answerBlock(first.outcome, first.answer, context.texts), feedback),
    schema: reflectedSchema,
    attributes: { "dejavu.critique.rejected_score": score, "dejavu.critique.rejected_feedback": feedback },
    reserved: RESERVED_FOR_SECOND_CRITIQUE,
  });
  return { drafted, changes: context.clean(value.changes) };
}

async function writeDraft<T extends Draft>(
  context: AnswerContext,
  task: {
    readonly step: string;
    readonly instructions: string;
    readonly prompt: string;
    readonly schema: z.ZodType<T>;
    readonly attributes?: StepRequest<T>["attributes"];
    readonly reserved: number;
  },
): Promise<{ readonly value: T; readonly drafted: VerifiedDraft }> {
  const { models, run, verifier, config } = context;
  // A corrected draft is a new one: the client replaces the text of the invalid draft.
  const startDraft = () => {
    const draft = context.nextDraft();
    const emit = (path: string, text: string) => run.emit({ event: "token", data: { draft, path, text } });
    const stream = createAnswerStream(verifier, emit, config.REDACT_PRIVATE_ADDRESSES);
    return { draft, stream };
  };
  let current = startDraft();
  let currentAttempt = 1;
  const onPartial = (partial: unknown, attempt: number) => {
    if (attempt > currentAttempt) current = startDraft();
    currentAttempt = attempt;
    current.stream.update(partial);
  };
  const value = await askModel(models, run, {
    ...task,
    nameHints: context.nameHints,
    role: "answer",
    retries: config.AGENT_RETRIES,
    objection: missingTextError,
    maxOutputTokens: config.MODEL_MAX_OUTPUT_TOKENS,
    ...(run.isStreamed ? { onPartial } : {}),
  });
  if (run.isStreamed) current.stream.end(value);
  return { value, drafted: { draft: current.draft, ...verifyDraft(value, verifier) } };
}

/** An error for the model when an item has no text: it would be shown as an empty bullet. */
function missingTextError({
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
