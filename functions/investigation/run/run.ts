// Owns what one investigation may use and has used: the time that its steps share, the tokens, and whether anybody waits.

import { costOf, type TokenUsage } from "../../adapters/language-model.ts";
import type { RunUsage } from "../../incidents/run-records.ts";
import type { Traffic } from "../../schemas/traffic.ts";
import { requestContext } from "../../telemetry/request-context.ts";
import type { EmitEvent } from "./events.ts";
import type { InvestigationServices, Models } from "./services.ts";

export type ModelRole = keyof Models;

export interface Run {
  /** UUID; names the run in the episode log and in the books. */
  readonly id: string;
  readonly startedAt: Date;
  readonly traffic: Traffic;
  /** Fires when the caller has gone away. */
  readonly cancelled: AbortSignal | undefined;
  /** Whether somebody reads along; otherwise a model may as well answer in one piece. */
  readonly isStreamed: boolean;
  readonly emit: EmitEvent;
  /** Milliseconds that a step may take when it leaves this share (0 to 1) of the whole budget to those after it. */
  remainingBudget(leave: number): number;
  /** Books one request to a model. */
  spend(role: ModelRole, usage: TokenUsage): void;
  usage(): RunUsage;
}

/** The share of the budget that the steps leave to the last one, which stores the triage, where it may take so long. */
const RESERVED_FOR_STORING = 0.2;

export function createRun(
  services: Pick<InvestigationServices, "config" | "models" | "now" | "newId">,
  {
    id,
    emit,
    cancelled,
  }: {
    /** A new one where none is given. */
    readonly id?: string;
    readonly emit?: EmitEvent | undefined;
    readonly cancelled?: AbortSignal | undefined;
  },
): Run {
  const { config, models, now } = services;
  const budgetMs = config.TRIAGE_BUDGET_MS;
  const startedAt = now();
  const end = startedAt.getTime() + budgetMs - Math.min(config.DEPENDENCY_TIMEOUT_MS, RESERVED_FOR_STORING * budgetMs);
  let used: RunUsage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null };
  return {
    id: id ?? services.newId(),
    startedAt,
    traffic: requestContext().traffic ?? "production",
    cancelled,
    isStreamed: emit !== undefined,
    emit: emit ?? (() => {}),
    remainingBudget: (leave) => Math.max(0, Math.round(end - now().getTime() - leave * budgetMs)),
    spend(role, usage) {
      const price = models?.[role].price ?? null;
      // One call without a price, and the sum would be a guess.
      const before = used.calls === 0 ? 0 : used.costUsd;
      used = {
        calls: used.calls + 1,
        inputTokens: used.inputTokens + usage.input,
        cachedInputTokens: used.cachedInputTokens + usage.cachedInput,
        outputTokens: used.outputTokens + usage.output,
        costUsd: price === null || before === null ? null : before + costOf(usage, price),
      };
    },
    usage: () => used,
  };
}
