// Prompt and schema for the sentences of a postmortem.

import { z } from "zod";
import { BASE_INSTRUCTIONS } from "./base-instructions.ts";
import { dataBlock } from "./data-block.ts";

const sentences = z.array(z.object({ citations: z.array(z.string()), text: z.string() }));

export const proseSchema = z.object({ summary: sentences, impact: sentences, cause: sentences });

export const PROSE_INSTRUCTIONS = `${BASE_INSTRUCTIONS}

Your task: write sentences of a postmortem from the facts in <report>, in the past tense. Fields:
- "summary": 3 to 6, "impact": 1 to 3, "cause": 1 to 3, none without a cause. "citations": the facts that the sentence rests on, such as "F3"; "text": the sentence.

Use the words of the cited facts: names, numbers, times, and every "not" and "likely". A sentence with other words is dropped.`;

export function prosePrompt(facts: readonly string[]): string {
  return `${dataBlock("report", facts.map((fact, i) => `F${i + 1}: ${fact}`).join("\n"))}\n\nWrite the sentences now.`;
}
