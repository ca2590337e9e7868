// The providers of language models with an HTTP API, against their contract.

import { createAnthropicModel } from "../../../functions/adapters/model-providers/anthropic.ts";
import { createOpenAiCompatibleModel } from "../../../functions/adapters/model-providers/openai-compatible.ts";
import { describeLanguageModel } from "./language-model-contract.ts";

describeLanguageModel({
  name: "anthropic:claude-haiku-4-5",
  wire: "anthropic",
  create: (options) => createAnthropicModel("claude-haiku-4-5", { apiKey: "a-key", ...options }),
});

for (const json of ["schema", "object"] as const) {
  describeLanguageModel({
    name: `openai-compatible:local-${json}`,
    wire: "openai",
    create: (options) => createOpenAiCompatibleModel(`local-${json}`, { thinking: "default", json, ...options }),
  });
}
