// An environment of wrangler.toml, as wrangler itself resolves it.

import { unstable_readConfig as readWranglerConfig } from "wrangler";
import { z } from "zod";
import { settingsSchema } from "../../functions/config/settings.ts";

/** The top level of wrangler.toml. */
export const PRODUCTION = "production";

const configSchema = z.object({
  name: z.string(),
  account_id: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).default({}),
  queues: z.object({
    producers: z.array(z.object({ binding: z.string(), queue: z.string() })).default([]),
    consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() })).default([]),
  }),
  ratelimits: z.array(z.object({ name: z.string(), namespace_id: z.string() })).default([]),
  ai: z.object({ binding: z.string() }).optional(),
  assets: z.object({ binding: z.string().optional() }).optional(),
  triggers: z.object({ crons: z.array(z.string()).optional() }),
  definedEnvironments: z.array(z.string()).optional(),
});
export type WorkerEnvironment = z.infer<typeof configSchema>;

/** @throws Error that says what is wrong in the file, or which environments it has */
export function readEnvironment(configPath: string, environment: string): WorkerEnvironment {
  const env = nameForWrangler(environment);
  return configSchema.parse(readWranglerConfig({ config: configPath, env }, { hideWarnings: true }));
}

/** The value of wrangler's `--env`. */
export function nameForWrangler(environment: string): string {
  return environment === PRODUCTION ? "" : environment;
}

/** The option that chooses the environment in a wrangler command for a person, with a space before it. */
export function optionForWrangler(environment: string): string {
  return environment === PRODUCTION ? "" : ` --env ${environment}`;
}

/** The option that chooses the environment of `npm run deploy` and `npm run deploy:check`. */
export function optionForDeploy(environment: string): string {
  return environment === PRODUCTION ? "" : ` -- --env ${environment}`;
}

/** The names of all queues, without repetition. */
export function queueNames({ queues }: WorkerEnvironment): string[] {
  const names = [
    ...queues.producers.map(({ queue }) => queue),
    ...queues.consumers.flatMap(({ queue, dead_letter_queue }) => [queue, ...(dead_letter_queue ?? "").split(" ")]),
  ];
  return [...new Set(names)].filter((name) => name !== "");
}

/** Settings that hold a secret: docs/reference/settings.md marks them alike. */
export const SECRET_SETTINGS: readonly string[] = Object.entries(settingsSchema.shape)
  .filter(([, schema]) => schema.description?.startsWith("Secret."))
  .map(([name]) => name);
