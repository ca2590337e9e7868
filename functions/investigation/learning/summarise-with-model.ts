// Rewrites the summary of a finished investigation with a small model, after the response. If that fails, the extractive
// summary stays.

import { withoutQuotedSentences } from "../../../lib/text/quoted-sentences.ts";
import { settle } from "../../dependencies.ts";
import type { ObservationUpdate } from "../../memory/memory-updates.ts";
import { type Observation, observationDocument } from "../../memory/observation.ts";
import { type Incident, nameHints, truncate } from "../../schemas/incident.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import { pendingWritesSchema } from "../../search-index/outbox.ts";
import { documentRow } from "../../search-index/search-document.ts";
import { plainAnswer } from "../answer/final-answer.ts";
import { askModel, asModelFailure, COMPRESS_TEMPERATURE } from "../model/ask-model.ts";
import { COMPRESS_INSTRUCTIONS, compressedSchema, compressPrompt } from "../prompts/compress.ts";
import { reportBlocks } from "../prompts/context-blocks.ts";
import { dataBlock } from "../prompts/data-block.ts";
import type { InvestigationServices, Models } from "../run/investigation-services.ts";
import { createRun, type Run } from "../run/run.ts";
import { recordUsage, sanitiseModelText } from "./background-model.ts";
import {
  errorFacts,
  FACT_LENGTH,
  isTrustedCause,
  MAX_OBSERVATION_FACTS,
  NARRATIVE_LENGTH,
  recalledTexts,
  reportedFacts,
  TITLE_LENGTH,
} from "./summarise-triage.ts";

/** Workers allow background tasks 30 s after the response; the index writes need a part of it. */
const MAX_MS = 12_000;
const MAX_OUTPUT_TOKENS = 800;
const MIN_FACTS = 5;

type Summary = Pick<Observation, "title" | "narrative" | "facts">;

export interface SummaryJob {
  readonly incident: Incident;
  readonly result: TriageResult;
  readonly update: ObservationUpdate;
}

/** Does nothing for extractive answers and untrusted causes. Never throws a DependencyError. */
export async function summariseWithModel(
  services: InvestigationServices,
  models: Models | null,
  finished: SummaryJob,
): Promise<void> {
  const { incident, result, update } = finished;
  if (models === null || result.mode !== "model" || !isTrustedCause(result, services.config)) return;
  const run = createRun(services, {});
  const written = compress(services, models, run, finished).catch((error: unknown) => {
    throw asModelFailure(error);
  });
  const revised = await settle(
    written.then((summary) => (summary === null ? undefined : revise(services, models, { update, summary }))),
  );
  if (!revised.ok) services.log("warn", "observation.summary_failed", { error: revised.error.message });
  await recordUsage(services, run, incident.id);
}

async function compress(
  services: InvestigationServices,
  models: Models,
  run: Run,
  { incident, result, update }: SummaryJob,
): Promise<Summary | null> {
  const report = reportBlocks(incident, { turns: [], logLength: services.config.LOG_CONTEXT_LENGTH });
  const compressed = await askModel(models, run, {
    step: "summarise triage",
    role: "small",
    instructions: COMPRESS_INSTRUCTIONS,
    prompt: compressPrompt(`${report}\n${dataBlock("answer", plainAnswer(result))}`),
    nameHints: nameHints(incident),
    schema: compressedSchema,
    objection: ({ title, narrative, facts }) =>
      title.trim() === "" || narrative.trim() === "" || facts.length < MIN_FACTS
        ? `"title" and "narrative" need words, and "facts" ${MIN_FACTS} items at least.`
        : undefined,
    retries: services.config.AGENT_RETRIES,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    temperature: COMPRESS_TEMPERATURE,
    reserved: 0,
    maxMs: MAX_MS,
  });
  return keepOwn(compressed, recalledTexts(result, update.replaces?.id ?? null), incident);
}

/** The summary without quoted sentences, with the error lines and at least MIN_FACTS facts; null if a part is empty. */
export function keepOwn(summary: Summary, recalled: readonly string[], incident: Incident): Summary | null {
  const own = (text: string, length: number): string =>
    truncate(withoutQuotedSentences(sanitiseModelText(text).replace(/\s+/g, " ").trim(), recalled), length);
  const title = own(summary.title, TITLE_LENGTH);
  const narrative = own(summary.narrative, NARRATIVE_LENGTH);
  const facts = summary.facts.map((fact) => own(fact, FACT_LENGTH)).filter((fact) => fact !== "");
  if (title === "" || narrative === "" || facts.length === 0) return null;
  // A model may leave out or shorten an error line, by which the failure is recognised again.
  const lines = errorFacts(incident);
  const others = facts.filter((fact) => !lines.includes(fact));
  const more = reportedFacts(incident).filter((fact) => !lines.includes(fact));
  const missing = Math.max(0, MIN_FACTS - others.length - lines.length);
  return {
    title,
    narrative,
    facts: [...others.slice(0, MAX_OBSERVATION_FACTS - lines.length), ...lines, ...more.slice(0, missing)],
  };
}

async function revise(
  services: InvestigationServices,
  models: Models,
  { update, summary }: { readonly update: ObservationUpdate; readonly summary: Summary },
): Promise<void> {
  const observation = { ...update.observation, ...summary };
  const writes = await services.background.database.call(
    "revise_observation",
    {
      p: {
        now: services.now().toISOString(),
        claim_until: claimUntil(services),
        id: observation.id,
        // The version that this triage stored. A later change takes precedence over this summary.
        version: update.replaces === null ? 1 : update.replaces.version + 1,
        title: summary.title,
        narrative: summary.narrative,
        facts: [...summary.facts],
        written_by: models.small.model.name,
        document: documentRow(observationDocument(observation)),
      },
    },
    pendingWritesSchema,
  );
  await flushOutbox(services, writes);
}
