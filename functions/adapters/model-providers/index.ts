// The registry of providers of language models: what MODEL may be, and the providers' settings, come from this list.

import { anthropic } from "./anthropic.ts";
import { openAiCompatible } from "./openai-compatible.ts";
import { workersAi } from "./workers-ai.ts";

export const MODEL_PROVIDERS = [anthropic, workersAi, openAiCompatible] as const;

type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (value: infer All) => void
  ? All
  : never;

/** The settings of all providers, in their order. */
export const MODEL_PROVIDER_SETTINGS = Object.fromEntries(
  MODEL_PROVIDERS.flatMap(({ settings }) => Object.entries(settings)),
) as Intersection<(typeof MODEL_PROVIDERS)[number]["settings"]>;
