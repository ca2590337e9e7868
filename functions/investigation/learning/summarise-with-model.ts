// Owns how a model compresses a finished investigation, after the answer has left: its telling takes the place of the
// extractive one, which stays wherever anything goes wrong.

import { DependencyError } from "../../dependencies.ts";
import type { ObservationUpdate } from "../../memory/memory-updates.ts";
import { type Observation, observationDocument } from "../../memory/observation.ts";
import { withoutQuotedSentences } from "../../retrieval/text/quoted-sentences.ts";
import { type Incident, truncate } from "../../schemas/incident.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import { pendingWritesSchema } from "../../search-index/outbox.ts";
import { documentRow } from "../../search-index/search-document.ts";
import { plainAnswer } from "../answer/plain-answer.ts";
import { ask, asModelFailure } from "../model/ask-model.ts";
import { COMPRESS_INSTRUCTIONS, compressedSchema, compressPrompt } from "../prompts/compress.ts";
import { reportBlocks } from "../prompts/context-blocks.ts";
import { dataBlock } from "../prompts/data-block.ts";
import { createRun, type Run } from "../run/run.ts";
import type { InvestigationServices, Models } from "../run/services.ts";
import { recordUsage, sanitiseModelText } from "./background-model.ts";
import {
  FACT_LENGTH,
  isTrustedCause,
  MAX_FACTS,
  NARRATIVE_LENGTH,
  recalledTexts,
  reportedFacts,
  TITLE_LENGTH,
} from "./summarise-triage.ts";

/** Work behind an answer has half a minute on Workers; the memory writes need their part of it. */
const AT_MOST_MS = 12_000;
const RETRIES = 1;
const MAX_OUTPUT_TOKENS = 800;
const MIN_FACTS = 5;

type Summary = Pick<Observation, "title" | "narrative" | "facts">;

export interface SummaryJob {
  readonly incident: Incident;
  readonly result: TriageResult;
  readonly update: ObservationUpdate;
}

/** Never throws an expected failure. What nobody believed, and what no model wrote, is told without one. */
export async function summariseWithModel(
  services: InvestigationServices,
  models: Models | null,
  finished: SummaryJob,
): Promise<void> {
  const { incident, result, update } = finished;
  if (models === null || result.mode !== "model" || !isTrustedCause(result, services.config)) return;
  const run = createRun(services, {});
  try {
    const told = await compress(services, models, run, finished).catch((error: unknown) => {
      throw asModelFailure(error);
    });
    if (told) await revise(services, models, { update, told });
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    services.log("warn", "memory.not_refined", { error: error.message });
  }
  await recordUsage(services, run, incident.id);
}

async function compress(
  services: InvestigationServices,
  models: Models,
  run: Run,
  { incident, result, update }: SummaryJob,
): Promise<Summary | null> {
  const report = reportBlocks(incident, { turns: [], logLength: services.config.LOG_CONTEXT_LENGTH });
  const compressed = await ask(models, run, {
    step: "refine",
    role: "small",
    instructions: COMPRESS_INSTRUCTIONS,
    prompt: compressPrompt(`${report}\n${dataBlock("answer", plainAnswer(result))}`),
    schema: compressedSchema,
    objection: ({ title, narrative, facts }) =>
      title.trim() === "" || narrative.trim() === "" || facts.length < MIN_FACTS
        ? `"title" and "narrative" need words, and "facts" ${MIN_FACTS} items at least.`
        : undefined,
    retries: RETRIES,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    leave: 0,
    atMostMs: AT_MOST_MS,
  });
  return keepOwn(compressed, recalledTexts(result, update.replaces?.id ?? null), incident);
}

/** What may be remembered of a model's telling, its facts made up to five; null where nothing is left that tells it. */
function keepOwn(told: Summary, recalled: readonly string[], incident: Incident): Summary | null {
  const own = (text: string, length: number): string =>
    truncate(withoutQuotedSentences(sanitiseModelText(text).replace(/\s+/g, " ").trim(), recalled), length);
  const title = own(told.title, TITLE_LENGTH);
  const narrative = own(told.narrative, NARRATIVE_LENGTH);
  const facts = told.facts.map((fact) => own(fact, FACT_LENGTH)).filter((fact) => fact !== "");
  if (title === "" || narrative === "" || facts.length === 0) return null;
  const more = reportedFacts(incident).slice(0, Math.max(0, MIN_FACTS - facts.length));
  return { title, narrative, facts: [...facts, ...more].slice(0, MAX_FACTS) };
}

async function revise(
  services: InvestigationServices,
  models: Models,
  { update, told }: { readonly update: ObservationUpdate; readonly told: Summary },
): Promise<void> {
  const observation = { ...update.observation, ...told };
  const reply = await services.background.database.call(
    "revise_observation",
    {
      p: {
        now: services.now().toISOString(),
        claim_until: claimUntil(services),
        id: observation.id,
        // The version that storing the triage made: whoever changed the record since knows more.
        version: update.replaces === null ? 1 : update.replaces.version + 1,
        title: told.title,
        narrative: told.narrative,
        facts: [...told.facts],
        written_by: models.small.model.name,
        document: documentRow(observationDocument(observation)),
      },
    },
    pendingWritesSchema,
  );
  await flushOutbox(services, reply);
}
