// The configuration: settings from the environment, and the internal figures. services.ts alone reads the environment besides.

import { findContradictions } from "./config/contradictions.ts";
import { INTERNALS, type Internals } from "./config/internals.ts";
import { type Settings, settingsSchema } from "./config/settings.ts";

/** Plain strings, as Workers and Node give them. Unknown names are ignored. */
export type Environment = Readonly<Record<string, unknown>>;
export type Config = Settings & Internals;

/** Thrown at start-up. The message names each invalid variable and never its value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Validates the environment.
 * @param overrides internal figures, for tests and commands
 * @throws ConfigError that names every invalid variable
 */
export function readConfig(environment: Environment, overrides: Partial<Internals> = {}): Config {
  // A blank value counts as not set: Number("") would be 0.
  const values = Object.entries(environment).filter(([, value]) => typeof value !== "string" || value.trim() !== "");
  const parsed = settingsSchema.safeParse(Object.fromEntries(values));
  if (!parsed.success) {
    const errors = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigError(`The environment is not valid. ${errors.join("; ")}.`);
  }
  const config = { ...parsed.data, ...INTERNALS, ...overrides };
  const contradictions = findContradictions(config);
  if (contradictions.length > 0)
    throw new ConfigError(`The environment contradicts itself. ${contradictions.join(" ")}`);
  return config;
}

const DEFAULT_MODEL = "anthropic:claude-haiku-4-5";

/** The model that writes answers; undefined when answers are extractive. */
export function answerModel({
  MODEL,
  ANTHROPIC_API_KEY,
}: Pick<Config, "MODEL" | "ANTHROPIC_API_KEY">): string | undefined {
  if (MODEL === "none") return undefined;
  return MODEL ?? (ANTHROPIC_API_KEY === undefined ? undefined : DEFAULT_MODEL);
}
