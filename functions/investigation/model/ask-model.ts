// Requests to a language model: within the step's share of the budget, and again with the error if an answer is invalid.

import type { z } from "zod";
import type { ModelResult, ModelTurn, TokenUsage } from "../../adapters/language-model.ts";
import { DependencyError } from "../../dependencies.ts";
import type { Attributes } from "../../telemetry/openinference.ts";
import { inSpan } from "../../telemetry/span.ts";
import type { Models, PricedModel } from "../run/investigation-services.ts";
import type { ModelRole, Run } from "../run/run.ts";
import { modelInputAttributes, modelOutputAttributes, modelUsageAttributes } from "./model-attributes.ts";

export interface StepRequest<T> {
  /** Name of the step in traces. */
  readonly step: string;
  readonly role: ModelRole;
  readonly instructions: string;
  readonly prompt: string;
  /** Texts that show what is a name in the prompt. They are not sent. */
  readonly nameHints?: readonly string[];
  readonly schema: z.ZodType<T>;
  /** Further attributes of the spans of its requests. */
  readonly attributes?: Attributes | undefined;
  /** Describes to the model what is wrong with an answer of the right shape; undefined if nothing is. */
  readonly objection?: (answer: T) => string | undefined;
  /** How often an invalid answer is sent back, while time and tokens of the run are left. */
  readonly retries: number;
  readonly maxOutputTokens: number;
  /** 0 to 2; the model's default without it. Low where words should only be shortened. */
  readonly temperature?: number;
  /** Share of the budget for the steps after this one, 0 to 1. */
  readonly reserved: number;
  /** For all attempts together. */
  readonly maxMs?: number;
  /** Receives the partial answer; a higher attempt replaces the one before. */
  readonly onPartial?: (value: unknown, attempt: number) => void;
}

/** For summaries of what is stored: they keep to the text that they shorten. */
export const COMPRESS_TEMPERATURE = 0.1;

/** Turns any error of a model's step into a DependencyError: a bug there must not cost the extractive answer. */
export function asModelFailure(error: unknown): DependencyError {
  if (error instanceof DependencyError) return error;
  const name = error instanceof Error ? error.name : "an unknown error";
  return new DependencyError("language_model", "invalid_response", `${name} while its answer was processed`, {
    cause: error,
  });
}

/** @throws DependencyError of the language model */
export async function askModel<T>(models: Models, run: Run, request: StepRequest<T>): Promise<T> {
  const { role, retries, maxMs = Number.POSITIVE_INFINITY, reserved } = request;
  const turns: ModelTurn[] = [{ role: "user", text: request.prompt }];
  let requests = 0;
  const budgetMs = run.remainingBudget(0);
  for (let retriesLeft = retries; ; retriesLeft--) {
    const passedMs = budgetMs - run.remainingBudget(0);
    const timeoutMs = Math.floor(Math.min(run.remainingBudget(reserved), maxMs - passedMs));
    if (timeoutMs <= 0) throw new DependencyError("language_model", "timeout", "no time is left for it in the budget");
    const attempt = { turns: [...turns], number: retries - retriesLeft + 1, requestsBefore: requests, timeoutMs };
    const { reply, error } = await askOnce(models[role], run, request, {
      ...attempt,
      onRequest: () => {
        requests += 1;
      },
    });
    if (reply.ok && error === undefined) return reply.value;
    if (retriesLeft <= 0 || run.remainingTokens() <= 0)
      throw new DependencyError("language_model", "invalid_response", "its answers are invalid");
    const text = textOf(reply).trim();
    turns.push(
      { role: "assistant", text: text === "" ? "(empty)" : textOf(reply) },
      { role: "user", text: `Your answer could not be used. ${error} Answer again, with the JSON object alone.` },
    );
  }
}

interface Attempt {
  readonly turns: readonly ModelTurn[];
  /** From 1. */
  readonly number: number;
  /** Requests to the model in earlier attempts: an adapter may send more than one. */
  readonly requestsBefore: number;
  readonly timeoutMs: number;
  readonly onRequest: () => void;
}

function askOnce<T>(
  priced: PricedModel,
  run: Run,
  request: StepRequest<T>,
  { turns, number, requestsBefore, timeoutMs, onRequest }: Attempt,
): Promise<{ readonly reply: ModelResult<T>; readonly error: string | undefined }> {
  const { step, role, instructions, schema, maxOutputTokens, temperature, objection, onPartial } = request;
  return inSpan("LLM", step, async (span) => {
    const used: TokenUsage[] = [];
    const traced = { step, attempt: number, instructions, turns, maxOutputTokens, temperature, priced };
    span.set(() => ({ ...request.attributes, ...modelInputAttributes(traced), ...modelUsageAttributes(used, priced) }));
    const reply = await priced.model.ask({
      instructions,
      turns,
      nameHints: request.nameHints,
      schema,
      maxOutputTokens,
      temperature,
      timeoutMs,
      cancelled: run.cancelled,
      onUsage: (usage) => {
        onRequest();
        used.push(usage);
        run.spend(role, usage);
      },
      onPartial: onPartial && ((value, attempt) => onPartial(value, requestsBefore + attempt)),
    });
    const error = reply.ok ? objection?.(reply.value) : reply.error;
    span.set(() => modelOutputAttributes(textOf(reply)));
    if (error !== undefined) span.fail("UnusableAnswer", error);
    return { reply, error };
  });
}

function textOf(reply: ModelResult<unknown>): string {
  return reply.ok ? JSON.stringify(reply.value) : reply.text;
}
