// Span attributes of a request to a language model.

import type { ModelTurn, TokenUsage } from "../../adapters/language-model.ts";
import { costOf } from "../../adapters/language-model.ts";
import type { Attributes } from "../../telemetry/openinference.ts";
import { genAi, input, messages, output, SemanticConventions } from "../../telemetry/openinference.ts";
import { PROMPT_VERSION } from "../prompts/version.ts";
import type { PricedModel } from "../run/investigation-services.ts";

/** Steps whose prompts are part of PROMPT_VERSION. */
const VERSIONED = new Set(["classify", "synthesise", "critique", "reflect"]);

export interface ModelInput {
  readonly step: string;
  /** From 1. Each further attempt sends an invalid answer back. */
  readonly attempt: number;
  readonly instructions: string;
  readonly turns: readonly ModelTurn[];
  readonly maxOutputTokens: number;
  readonly temperature?: number | undefined;
  readonly priced: PricedModel;
}

export function modelInputAttributes({
  step,
  attempt,
  instructions,
  turns,
  maxOutputTokens,
  temperature,
  priced,
}: ModelInput): Attributes {
  const { name, spanNames } = priced.model;
  const [vendor = ""] = name.split(":", 1);
  return {
    ...input(turns.at(-1)?.text ?? ""),
    ...messages("LLM_INPUT_MESSAGES", [{ role: "system", text: instructions }, ...turns]),
    [SemanticConventions.LLM_MODEL_NAME]: name.slice(vendor.length + 1),
    ...genAi("chat", { provider: spanNames?.provider ?? spanNames?.system, model: name.slice(vendor.length + 1) }),
    "gen_ai.request.max_tokens": maxOutputTokens,
    "gen_ai.request.temperature": temperature,
    [SemanticConventions.LLM_PROVIDER]: spanNames?.provider,
    [SemanticConventions.LLM_SYSTEM]: spanNames?.system,
    [SemanticConventions.LLM_INVOCATION_PARAMETERS]: JSON.stringify({ max_tokens: maxOutputTokens, temperature }),
    [SemanticConventions.PROMPT_TEMPLATE_VERSION]: VERSIONED.has(step) ? PROMPT_VERSION : null,
    "dejavu.attempt": attempt,
  };
}

export function modelOutputAttributes(text: string): Attributes {
  return { ...output(text), ...messages("LLM_OUTPUT_MESSAGES", [{ role: "assistant", text }]) };
}

/** @param used one entry a request; empty if none was sent */
export function modelUsageAttributes(used: readonly TokenUsage[], { price }: PricedModel): Attributes {
  const sum = (count: (usage: TokenUsage) => number) => used.reduce((total, usage) => total + count(usage), 0);
  const prompt = sum((usage) => usage.input);
  const completion = sum((usage) => usage.output);
  return {
    [SemanticConventions.LLM_TOKEN_COUNT_PROMPT]: prompt,
    [SemanticConventions.LLM_TOKEN_COUNT_COMPLETION]: completion,
    "gen_ai.usage.input_tokens": prompt,
    "gen_ai.usage.output_tokens": completion,
    [SemanticConventions.LLM_TOKEN_COUNT_TOTAL]: prompt + completion,
    [SemanticConventions.LLM_TOKEN_COUNT_PROMPT_DETAILS_CACHE_READ]: sum(({ cachedInput }) => cachedInput),
    [SemanticConventions.LLM_COST_TOTAL]: price && sum((usage) => costOf(usage, price)),
    "dejavu.requests": used.length,
  };
}
