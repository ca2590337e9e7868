// Prompt and schema for the critique of an answer.

import { z } from "zod";
import { BASE_INSTRUCTIONS } from "./base-instructions.ts";

export const critiqueSchema = z.object({ feedback: z.string(), score: z.number() });

export const CRITIQUE_INSTRUCTIONS = `${BASE_INSTRUCTIONS}

Your task: judge the answer in <answer>, which somebody else wrote about the incident in <report> (and <error_lines>, <logs>) from the <runbook> sections and <past_incident> records that you see. Assume that an engineer will act on it within the minute. Fields:
- "feedback": 1 to 4 sentences, never empty. What is wrong, unsupported, missing or dangerous, most serious first; where nothing is, what carries the answer.
- "score": 0 to 1, how likely it is that the answer is right and enough to act on. 0.9 and more: evidence and sources name this very failure and the steps fit. 0.7: likely, one link is not shown. 0.5: as good as a guess. 0.3: the sources are about something else, or the steps do not follow. 0: wrong or dangerous.

Look at each in turn:
- Does the quoted evidence show what the answer says that it shows?
- Do the cited sources say what the answer says, about this system and this error? Content of a source that is merely near is no support.
- <unexplained_lines> holds the error lines that the answer does not quote, the most important of the report is L1. Does the stated cause explain them? Where it does not explain L1, the score is at most 0.4; name the line in the feedback.
- <cited_sources> holds the probability of each cited source, and what speaks for and against it. A cause that rests on a source below 0.3, or on its title alone, needs a line of the report that only this cause explains.
- <check> blocks are results of queries to the live system. A stated cause that a refuted check belongs to scores at most 0.2; one that a confirmed check belongs to and that is cited is verified.
- Does a source or a log line contradict the answer, or name a likelier cause?
- Are the commands right, and do steps marked as read-only really change nothing? Is there a way back from those that do? "from_source": false marks a command that stands in no cited source.
- "unknown" is a good answer when the sources explain nothing, and a bad one when they do. "possible" claims nothing: judge whether the right cause is among the candidates.`;

/**
 * @param material the sources and the report, as the answer's author saw them
 * @param answer the answer, its sources and the error lines that it does not quote
 */
export function critiquePrompt(material: string, answer: string): string {
  return `${material}\n\n${answer}\n\nJudge the answer now.`;
}
