// Bindings of the Worker: rate limits, which count in each location, and Workers AI.

import { DependencyError } from "../../../../functions/dependencies.ts";
import type { Figures } from "../figures/figures.ts";
import { createRate, type Rate, type UseRecorder } from "./resources.ts";
import type { VirtualClock } from "./virtual-clock.ts";

interface BindingOptions {
  readonly clock: VirtualClock;
  readonly recorder: UseRecorder;
}

/** A binding of one location: one counter for each key. */
export function createRateLimitBinding(
  options: BindingOptions,
  { limit, periodSeconds }: { readonly limit: number; readonly periodSeconds: number },
) {
  const rates = new Map<string, Rate>();
  return {
    async limit({ key }: { readonly key: string }): Promise<{ success: boolean }> {
      const rate =
        rates.get(key) ??
        createRate({ ...options, name: "requests_of_a_token", size: limit, periodMs: periodSeconds * 1_000 });
      rates.set(key, rate);
      return { success: rate.take() };
    },
  };
}

export interface WorkersAiOptions extends BindingOptions {
  readonly figures: Figures;
  /** @param startedAt when the answered request was sent */
  readonly onAnswered: (startedAt: number) => void;
}

/** Requests for embeddings: the account's requests a minute are limited. @returns false for a refused request */
export function createEmbeddingService({
  clock,
  recorder,
  figures,
}: Omit<WorkersAiOptions, "onAnswered">): () => Promise<boolean> {
  const size = figures.limits.embeddingRequestsPerMinute;
  const rate = createRate({ clock, recorder, name: "embedding_requests", size, periodMs: 60_000 });
  return async () => {
    await clock.sleep(figures.drawMs("workers-ai embed"));
    return rate.take();
  };
}

/** Embeds every text as the same vector. */
export function createWorkersAiBinding(options: WorkersAiOptions, dimensions: number) {
  const embed = createEmbeddingService(options);
  const vector = Array.from({ length: dimensions }, () => 1 / Math.sqrt(dimensions));
  return {
    async run(_model: string, { text }: { readonly text: readonly string[] }): Promise<unknown> {
      const startedAt = options.clock.now();
      if (!(await embed())) throw new DependencyError("embedder", "busy", "too many requests");
      options.onAnswered(startedAt);
      return { data: text.map(() => vector) };
    },
  };
}
