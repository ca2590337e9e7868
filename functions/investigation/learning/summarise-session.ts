// Summary of a session's turns: a small model's words if one is available, then the turns in shares of equal length.

import { digestTurns } from "../../memory/digest-turns.ts";
import { SUMMARY_LENGTH } from "../../memory/past-answers.ts";
import type { StoredTurn } from "../../memory/session-summary.ts";
import { truncate } from "../../schemas/incident.ts";
import { askModel, asModelFailure, COMPRESS_TEMPERATURE } from "../model/ask-model.ts";
import { readSessionNames } from "../model/session-names.ts";
import { SUMMARISE_INSTRUCTIONS, summarisePrompt, summarySchema } from "../prompts/summarise.ts";
import type { InvestigationServices, Models } from "../run/investigation-services.ts";
import { createRun } from "../run/run.ts";
import { recordUsage, sanitiseModelText } from "./background-model.ts";

/** Characters of the turns in the prompt: about 200 short turns, which a model reads within seconds. */
const MATERIAL_LENGTH = 40_000;
const MAX_OUTPUT_TOKENS = 1_000;
/** Characters of the model's words; the rest of the summary is for the turns. */
const WRITTEN_LENGTH = 4_000;
/** For one session: a batch of sessions has to end before its claim expires. */
const MODEL_TIME_MS = 10_000;

/** @returns at most SUMMARY_LENGTH characters, scrubbed. Never throws a DependencyError. */
export async function summariseSession(
  services: InvestigationServices,
  sessionId: string,
  turns: readonly StoredTurn[],
): Promise<string> {
  const { models, config } = services;
  // With a daily token budget of their own, operators leave all tokens to triages.
  const mayAsk = models !== null && typeof config.DAILY_TOKEN_BUDGET !== "number";
  const written = mayAsk ? await askForSummary(services, models, { sessionId, turns }) : null;
  if (written === null) return digestTurns(turns, SUMMARY_LENGTH);
  // A model's words are too few for the error lines of many turns.
  const separator = "\n\n";
  return written + separator + digestTurns(turns, SUMMARY_LENGTH - written.length - separator.length);
}

/** Null if the model failed or its text is empty after sanitising. */
async function askForSummary(
  services: InvestigationServices,
  models: Models,
  { sessionId, turns }: { readonly sessionId: string; readonly turns: readonly StoredTurn[] },
): Promise<string | null> {
  const run = createRun(services, {});
  try {
    const names = services.config.PSEUDONYMISE ? await readSessionNames(services.background.database, sessionId) : [];
    const { summary } = await askModel(models, run, {
      step: "summarise",
      role: "small",
      instructions: SUMMARISE_INSTRUCTIONS,
      prompt: summarisePrompt(digestTurns(turns, MATERIAL_LENGTH)),
      nameHints: names,
      schema: summarySchema,
      objection: (reply) => (reply.summary.trim() === "" ? '"summary" is empty.' : undefined),
      retries: services.config.AGENT_RETRIES,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      temperature: COMPRESS_TEMPERATURE,
      reserved: 0,
      maxMs: MODEL_TIME_MS,
    });
    const text = sanitiseModelText(summary);
    return text === "" ? null : truncate(text.replace(/\n{2,}/g, "\n"), WRITTEN_LENGTH);
  } catch (error) {
    services.log("warn", "session.summary_failed", { run_id: run.id, error: asModelFailure(error).message });
    return null;
  } finally {
    await recordUsage(services, run, null);
  }
}
