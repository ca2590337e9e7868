// An environment of wrangler.toml, as wrangler itself resolves it, and the values of its secrets.

import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { unstable_readConfig as readWranglerConfig } from "wrangler";
import { z } from "zod";
import { settingsSchema } from "../../functions/config/settings.ts";

const configSchema = z.object({
  name: z.string(),
  account_id: z.string().optional(),
  vars: z.record(z.string(), z.unknown()),
  queues: z.object({
    producers: z.array(z.object({ binding: z.string(), queue: z.string() })).default([]),
    consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() })).default([]),
  }),
  ratelimits: z.array(z.object({ name: z.string(), namespace_id: z.string() })).default([]),
  ai: z.object({ binding: z.string() }).optional(),
  assets: z.object({ binding: z.string().optional() }).optional(),
  triggers: z.object({ crons: z.array(z.string()).optional() }),
  secrets: z.object({ required: z.array(z.string()).default([]) }).default({ required: [] }),
  definedEnvironments: z.array(z.string()).optional(),
});
export type WorkerEnvironment = z.infer<typeof configSchema>;

/** @throws Error that says what is wrong in the file, or which environments it has */
export function readEnvironment(configPath: string, environment: string): WorkerEnvironment {
  return configSchema.parse(readWranglerConfig({ config: configPath, env: environment }, { hideWarnings: true }));
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

/**
 * Values of secrets: those of the file, else those of the shell.
 * @param file in the form of `.env`; undefined for the shell alone
 * @throws Error if the file cannot be read
 */
export function readSecretValues(
  file: string | undefined,
  shell: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of SECRET_SETTINGS) {
    const value = shell[name];
    if (value !== undefined && value !== "") values[name] = value;
  }
  if (file === undefined) return values;
  for (const [name, value] of Object.entries(parseEnv(readSecretsFile(file)))) {
    if (value !== undefined && value !== "") values[name] = value;
  }
  return values;
}

function readSecretsFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const advice = "Write the secrets into it as NAME=value lines, or leave the option out to take those of the shell.";
    throw new Error(`The file of --secrets-file, ${path}, cannot be read. ${advice}`, { cause });
  }
}
