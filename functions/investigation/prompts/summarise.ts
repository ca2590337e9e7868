// Prompt and schema for the summary of a session.

import { z } from "zod";
import { BASE_INSTRUCTIONS } from "./base-instructions.ts";
import { dataBlock } from "./data-block.ts";

export const summarySchema = z.object({ summary: z.string() });

export const SUMMARISE_INSTRUCTIONS = `${BASE_INSTRUCTIONS}

Your task: sum up the questions and answers in <session>, which take up too much room one by one. The summary takes their place: what it leaves out is lost. Field:
- "summary": at most 500 words of plain sentences, in the order of events. For each failure: what was reported, with the names of services and the error lines verbatim; the cause, if its outcome is "cause"; what was ruled out and why; what fixed it. A turn with the outcome "possible" or "unknown" has no cause: say so. Leave out greetings and repetitions. Add nothing that is not there, and keep guesses recognisable as guesses.`;

/** @param turns blocks of lines, one block for each turn, as digestTurns writes them */
export function summarisePrompt(turns: string): string {
  return `${dataBlock("session", turns)}\n\nSum up the session now.`;
}
