// Prompt and schema for the summary of a session.

import { z } from "zod";
import { BASE_INSTRUCTIONS } from "./base-instructions.ts";
import { dataBlock } from "./data-block.ts";

export const summarySchema = z.object({ summary: z.string() });

export const SUMMARISE_INSTRUCTIONS = `${BASE_INSTRUCTIONS}

Your task: sum up the questions and answers in <session>, which take up too much room one by one. The summary takes their place: what it leaves out is lost. Field:
- "summary": at most 500 words of plain sentences, in the order of events. For each failure: what was reported, with the names of services, error codes and messages verbatim; what the cause was, if it was found; what fixed it. Leave out greetings, repetitions and what came to nothing. Add nothing that is not there, and keep guesses recognisable as guesses.`;

/** @param turns `Q: …` and `A: …` lines */
export function summarisePrompt(turns: string): string {
  return `${dataBlock("session", turns)}\n\nSum up the session now.`;
}
