// Owns how a step asks a model: within its share of the time, and once more with the error where the answer is unusable.

import type { z } from "zod";
import type { ModelReply, ModelTurn, TokenUsage } from "../../adapters/language-model.ts";
import { DependencyError } from "../../dependencies.ts";
import { inSpan } from "../../telemetry/span.ts";
import type { ModelRole, Run } from "../run/run.ts";
import type { Models } from "../run/services.ts";
import { modelInputAttributes, modelOutputAttributes, modelUsageAttributes } from "./model-attributes.ts";

export interface Question<T> {
  /** Which step asks: its name in traces. */
  readonly step: string;
  readonly role: ModelRole;
  readonly instructions: string;
  readonly prompt: string;
  readonly schema: z.ZodType<T>;
  /** What is wrong with an answer of the right shape, in words for the model; undefined where it can be used. */
  readonly objection?: (answer: T) => string | undefined;
  /** Times that an unusable answer is sent back. */
  readonly retries: number;
  readonly maxOutputTokens: number;
  /** The share of the budget that has to be left for the steps behind this one; 0 to 1. */
  readonly leave: number;
  /** The time that it may take at most. */
  readonly atMostMs?: number;
  /** The answer as far as it has come; a higher attempt replaces the former. */
  readonly onPartial?: (value: unknown, attempt: number) => void;
}

/** Also a mistake of our own in the model's steps must not cost the answer that there is without them. */
export function asModelFailure(error: unknown): DependencyError {
  if (error instanceof DependencyError) return error;
  const name = error instanceof Error ? error.name : "something unknown";
  return new DependencyError("language_model", "invalid_response", `${name} while its answer was worked on`, {
    cause: error,
  });
}

/** @throws DependencyError of the system `model` */
export async function ask<T>(models: Models, run: Run, question: Question<T>): Promise<T> {
  const { role, retries, objection, onPartial, leave } = question;
  const turns: ModelTurn[] = [{ role: "user", text: question.prompt }];
  let attempts = 0;
  for (let retriesLeft = retries; ; retriesLeft--) {
    const timeoutMs = Math.floor(Math.min(run.remainingBudget(leave), question.atMostMs ?? Number.POSITIVE_INFINITY));
    if (timeoutMs <= 0) throw new DependencyError("language_model", "timeout", "the triage has no time left for it");
    const asked = { ...question, turns: [...turns], attempt: retries - retriesLeft + 1, priced: models[role] };
    const { reply, error } = await inSpan("LLM", question.step, async (span) => {
      const before = attempts;
      const used: TokenUsage[] = [];
      span.set(() => ({ ...modelInputAttributes(asked), ...modelUsageAttributes(used, asked.priced) }));
      const given = await models[role].model.ask({
        instructions: question.instructions,
        turns: asked.turns,
        schema: question.schema,
        maxOutputTokens: question.maxOutputTokens,
        timeoutMs,
        cancelled: run.cancelled,
        onUsage: (usage) => {
          attempts += 1;
          used.push(usage);
          run.spend(role, usage);
        },
        onPartial: onPartial && ((value, attempt) => onPartial(value, before + attempt)),
      });
      const complaint = given.ok ? objection?.(given.value) : given.error;
      span.set(() => modelOutputAttributes(textOf(given)));
      if (complaint !== undefined) span.fail("UnusableAnswer", complaint);
      return { reply: given, error: complaint };
    });
    if (reply.ok && error === undefined) return reply.value;
    if (retriesLeft <= 0)
      throw new DependencyError("language_model", "invalid_response", "its answers could not be used");
    const said = textOf(reply);
    turns.push(
      { role: "assistant", text: said.trim() === "" ? "(empty)" : said },
      { role: "user", text: `Your answer could not be used. ${error} Answer again, with the JSON object alone.` },
    );
  }
}

function textOf(reply: ModelReply<unknown>): string {
  return reply.ok ? JSON.stringify(reply.value) : reply.text;
}
