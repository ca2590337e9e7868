// Models of Cloudflare Workers AI, through the Worker's AI binding.

import { createWorkersAI, type WorkersAISettings } from "workers-ai-provider";
import { createSdkModel, withoutThinking } from "../ai-sdk-model.ts";
import type { LanguageModel } from "../language-model.ts";
import type { ModelPlatform, ModelProvider } from "./model-provider.ts";

const settings = {};

export const workersAi: ModelProvider<"workers-ai", typeof settings> = {
  name: "workers-ai",
  settings,
  needsAiBinding: true,
  create: (model, _, platform) => createWorkersAiModel(model, platform),
};

export function createWorkersAiModel(model: string, { ai, startTimer }: ModelPlatform): LanguageModel {
  // The provider's type of the binding lists all models; it only calls `run`.
  const provider = createWorkersAI({ binding: ai } as WorkersAISettings);
  // Workers AI does not stream answers with a schema.
  return createSdkModel(`workers-ai:${model}`, withoutThinking(provider(model)), {
    streams: false,
    schemaInPrompt: false,
    spanNames: { provider: "cloudflare" },
    startTimer,
  });
}
