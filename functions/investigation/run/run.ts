// The budget of one investigation run: the time that its steps share, the tokens it used, and its cancellation.

import { costOf, type TokenUsage } from "../../adapters/language-model.ts";
import type { RunUsage } from "../../incidents/run-records.ts";
import type { Traffic } from "../../schemas/traffic.ts";
import { requestContext } from "../../telemetry/request-context.ts";
import type { EmitEvent } from "./events.ts";
import type { InvestigationServices, Models } from "./investigation-services.ts";

export type ModelRole = keyof Models;

export interface Run {
  /** UUID; also in the tables `runs` and `model_usage`. */
  readonly id: string;
  readonly startedAt: Date;
  readonly traffic: Traffic;
  /** Fires when the caller disconnects. */
  readonly cancelled: AbortSignal | undefined;
  /** Whether the caller streams; otherwise models answer in one piece. */
  readonly isStreamed: boolean;
  readonly emit: EmitEvent;
  /** Milliseconds that a step may take. @param reserved share of the whole budget for the steps after it, 0 to 1 */
  remainingBudget(reserved: number): number;
  /** Tokens that the run may still use; infinite without a limit. */
  remainingTokens(): number;
  /** @param tokens for the whole run */
  limitTokens(tokens: number): void;
  /** Adds the usage of one request to a model. */
  spend(role: ModelRole, usage: TokenUsage): void;
  usage(): RunUsage;
}

/** Largest share of the budget that is reserved for storing the triage; less if the database timeout is shorter. */
const RESERVED_FOR_STORING = 0.2;

export function createRun(
  services: Pick<InvestigationServices, "config" | "models" | "now" | "newId">,
  {
    id,
    emit,
    cancelled,
  }: {
    /** Default: a new id. */
    readonly id?: string;
    readonly emit?: EmitEvent | undefined;
    readonly cancelled?: AbortSignal | undefined;
  },
): Run {
  const { config, models, now } = services;
  const budgetMs = config.TRIAGE_BUDGET_MS;
  const startedAt = now();
  const end = startedAt.getTime() + budgetMs - Math.min(config.DEPENDENCY_TIMEOUT_MS, RESERVED_FOR_STORING * budgetMs);
  let tokenLimit = Number.POSITIVE_INFINITY;
  let used: RunUsage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null };
  return {
    id: id ?? services.newId(),
    startedAt,
    traffic: requestContext().traffic ?? "production",
    cancelled,
    isStreamed: emit !== undefined,
    emit: emit ?? (() => {}),
    remainingBudget: (reserved) => Math.max(0, Math.round(end - now().getTime() - reserved * budgetMs)),
    remainingTokens: () => tokenLimit - used.inputTokens - used.outputTokens,
    limitTokens(tokens) {
      tokenLimit = tokens;
    },
    spend(role, usage) {
      const price = models?.[role].price ?? null;
      // The sum is unknown as soon as one call has no price.
      const costBefore = used.calls === 0 ? 0 : used.costUsd;
      used = {
        calls: used.calls + 1,
        inputTokens: used.inputTokens + usage.input,
        cachedInputTokens: used.cachedInputTokens + usage.cachedInput,
        outputTokens: used.outputTokens + usage.output,
        costUsd: price === null || costBefore === null ? null : costBefore + costOf(usage, price),
      };
    },
    usage: () => used,
  };
}
