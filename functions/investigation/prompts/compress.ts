// Prompt and schema for the summary of a finished investigation.

import { z } from "zod";
import { BASE_INSTRUCTIONS } from "./base-instructions.ts";

export const compressedSchema = z.object({ title: z.string(), narrative: z.string(), facts: z.array(z.string()) });

export const COMPRESS_INSTRUCTIONS = `${BASE_INSTRUCTIONS}

Your task: compress a finished investigation for the next engineer who meets the same failure. You see the report in <report> (and <logs>) and the answer that was given in <answer>. Fields:
- "title": one line, at most 120 characters: what failed and how, as it could be recognised again.
- "narrative": 2 or 3 sentences: what was looked at and what was concluded.
- "facts": 5 to 10 short sentences, each true by itself: error lines letter by letter, symptoms, names, versions, the cause, what was ruled out and why, the step that decides. Only what the report or the answer says.

Leave out advice, politeness, and all that would be true of any incident. Keep names, codes and commands letter by letter.`;

/** @param material the report, its logs and the answer */
export function compressPrompt(material: string): string {
  return `${material}\n\nCompress the investigation now.`;
}
