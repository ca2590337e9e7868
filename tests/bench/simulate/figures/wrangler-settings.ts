// The settings of wrangler.toml that a burst meets: queues, rate limits and variables of production.

import { unstable_readConfig } from "wrangler";
import { z } from "zod";
import { REPO_DIR } from "../../../../dev/stack/paths.ts";

export interface QueueSettings {
  readonly name: string;
  readonly maxBatchSize: number;
  readonly maxBatchTimeoutSeconds: number;
  readonly maxRetries: number;
  /** Undefined for as many as the platform allows. */
  readonly maxConcurrency: number | undefined;
  readonly deadLetterQueue: string | undefined;
}

export interface RateLimitSettings {
  readonly binding: string;
  readonly limit: number;
  readonly periodSeconds: number;
}

export interface WranglerSettings {
  readonly queues: readonly QueueSettings[];
  /** Names of queues, by binding. */
  readonly producers: Readonly<Record<string, string>>;
  readonly rateLimits: readonly RateLimitSettings[];
  readonly variables: Readonly<Record<string, string>>;
}

const configSchema = z.object({
  queues: z.object({
    consumers: z.array(
      z
        .object({
          queue: z.string(),
          max_batch_size: z.number(),
          max_batch_timeout: z.number(),
          max_retries: z.number(),
          max_concurrency: z.number().nullish(),
          dead_letter_queue: z.string().optional(),
        })
        .transform((consumer) => ({
          name: consumer.queue,
          maxBatchSize: consumer.max_batch_size,
          maxBatchTimeoutSeconds: consumer.max_batch_timeout,
          maxRetries: consumer.max_retries,
          maxConcurrency: consumer.max_concurrency ?? undefined,
          deadLetterQueue: consumer.dead_letter_queue,
        })),
    ),
    producers: z.array(z.object({ binding: z.string(), queue: z.string() })),
  }),
  ratelimits: z.array(
    z
      .object({ name: z.string(), simple: z.object({ limit: z.number(), period: z.number() }) })
      .transform(({ name, simple }) => ({ binding: name, limit: simple.limit, periodSeconds: simple.period })),
  ),
  vars: z.record(z.string(), z.string()),
});

/** @throws Error when wrangler.toml has another structure */
export function readWranglerSettings(): WranglerSettings {
  const config = unstable_readConfig({ config: `${REPO_DIR}/wrangler.toml`, env: "production" });
  const { queues, ratelimits, vars } = configSchema.parse(config);
  return {
    queues: queues.consumers,
    producers: Object.fromEntries(queues.producers.map(({ binding, queue }) => [binding, queue])),
    rateLimits: ratelimits,
    variables: vars,
  };
}
