// What a provider of language models consists of. Each provider has one file here, and one line in index.ts.

import type { z } from "zod";
import type { StartTimer } from "../../timers.ts";
import type { LanguageModel } from "../language-model.ts";

type SettingShape = Readonly<Record<string, z.ZodType>>;

export interface ModelProvider<Name extends string = string, Shape extends SettingShape = SettingShape> {
  /** What MODEL has before the colon: `anthropic` of `anthropic:claude-haiku-4-5`. */
  readonly name: Name;
  /** Its settings, each with its meaning. That of a secret begins with "Secret.". */
  readonly settings: Shape;
  /** The setting without which the service does not start. */
  readonly requires?: string & keyof Shape;
  /** Whether it needs the Worker's binding `AI`. */
  readonly needsAiBinding?: boolean;
  /**
   * Creates the model of this name; null without its key: answers are extractive then. A method, so that providers with
   * different settings fit into one list.
   */
  create(model: string, settings: SettingsOf<Shape>, platform: ModelPlatform): LanguageModel | null;
}

export interface ModelPlatform {
  readonly startTimer: StartTimer;
  /** The Worker's binding `AI`. */
  readonly ai: unknown;
}

/** The values that a provider receives. zod gives an empty shape no type that other objects fit. */
export type SettingsOf<Shape extends SettingShape> = [keyof Shape] extends [never]
  ? object
  : Readonly<z.output<z.ZodObject<Shape>>>;
