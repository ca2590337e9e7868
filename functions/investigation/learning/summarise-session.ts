// Makes one text of a session's turns: a small model writes it where one may be asked; whatever goes wrong, the turns
// are quoted in short.

import { digestTurns } from "../../memory/digest-turns.ts";
import { SUMMARY_LENGTH } from "../../memory/past-answers.ts";
import type { RememberedTurn } from "../../memory/session-summary.ts";
import { truncate } from "../../schemas/incident.ts";
import { ask, asModelFailure } from "../model/ask-model.ts";
import { SUMMARISE_INSTRUCTIONS, summarisePrompt, summarySchema } from "../prompts/summarise.ts";
import { createRun } from "../run/run.ts";
import type { InvestigationServices, Models } from "../run/services.ts";
import { recordUsage, sanitiseModelText } from "./background-model.ts";

/** Characters of the turns that the model sees: what 200 short ones take, and no more than a model reads in seconds. */
const MATERIAL_LENGTH = 40_000;
const MAX_OUTPUT_TOKENS = 1_000;
/** Time for one session: a batch of them has to end before its claim runs out. */
const MODEL_TIME_MS = 10_000;

/** At most SUMMARY_LENGTH characters, fit to be remembered. Never throws an expected failure. */
export async function summariseSession(
  services: InvestigationServices,
  turns: readonly RememberedTurn[],
): Promise<string> {
  const { models, config } = services;
  // What a day's tokens are limited for is triages; a job must not use up what they may need.
  const mayAsk = models !== null && config.DAILY_TOKEN_BUDGET === undefined;
  const written = mayAsk ? await askForSummary(services, models, turns) : null;
  return written ?? digestTurns(turns, SUMMARY_LENGTH);
}

/** Null where nothing usable came. */
async function askForSummary(
  services: InvestigationServices,
  models: Models,
  turns: readonly RememberedTurn[],
): Promise<string | null> {
  const run = createRun(services, {});
  try {
    const { summary } = await ask(models, run, {
      step: "summarise",
      role: "small",
      instructions: SUMMARISE_INSTRUCTIONS,
      prompt: summarisePrompt(digestTurns(turns, MATERIAL_LENGTH)),
      schema: summarySchema,
      objection: (given) => (given.summary.trim() === "" ? '"summary" is empty.' : undefined),
      retries: 1,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      leave: 0,
      atMostMs: MODEL_TIME_MS,
    });
    const text = sanitiseModelText(summary);
    return text === "" ? null : truncate(text, SUMMARY_LENGTH);
  } catch (error) {
    services.log("warn", "session.summary_failed", { run_id: run.id, error: asModelFailure(error).message });
    return null;
  } finally {
    await recordUsage(services, run, null);
  }
}
