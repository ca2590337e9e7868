// Step "answer": a model's, where one may be asked and its answer holds; else what the recalled texts say themselves.

import type { Incident } from "../../schemas/incident.ts";
import type { Warning } from "../../schemas/triage-result.ts";
import { asModelFailure } from "../model/ask-model.ts";
import type { Recall } from "../recall/recall-result.ts";
import type { Run } from "../run/run.ts";
import type { Started } from "../run/run-outcome.ts";
import type { InvestigationServices } from "../run/services.ts";
import { answerWarning, recheckWarning, reflectionWarning } from "../run/warnings.ts";
import { createDesk } from "./answer-context.ts";
import type { Composition } from "./composition.ts";
import { composeExtractiveAnswer, firstLooks, workedBefore } from "./extractive-answer.ts";
import { type Deliberation, deliberate } from "./generate-answer.ts";

export interface Answered {
  readonly composition: Composition;
  /** What is missing from it. */
  readonly missing: readonly Warning[];
}

export async function answer(
  services: InvestigationServices,
  run: Run,
  work: { readonly incident: Incident; readonly recalled: Recall; readonly begun: Started },
): Promise<Answered> {
  const { incident, recalled, begun } = work;
  const threshold = services.config.GROUNDING_THRESHOLD;
  const extractive = composeExtractiveAnswer(incident, recalled, threshold);
  const { models, turns } = begun;
  // A model that can cite nothing could only say that it knows nothing.
  const isKnown = recalled.runbooks.length > 0 || recalled.incidents.length > 0;
  if (models === null || !isKnown) return { composition: extractive, missing: [] };
  try {
    const desk = createDesk(services, { models, run, incident, recalled, turns });
    const deliberation = await deliberate(desk);
    const composition = compositionOf(deliberation, { incident, recalled, threshold });
    const { failure } = deliberation;
    if (!failure) return { composition, missing: [] };
    services.log("warn", "triage.reflection_failed", { error: failure.error.message });
    const warning = failure.step === "reflect" ? reflectionWarning(failure.error) : recheckWarning(failure.error);
    return { composition, missing: [warning] };
  } catch (error) {
    const failure = asModelFailure(error);
    services.log("warn", "triage.model_failed", { error: failure.message });
    return { composition: extractive, missing: [answerWarning(failure)] };
  }
}

function compositionOf(
  deliberation: Deliberation,
  known: { readonly incident: Incident; readonly recalled: Recall; readonly threshold: number },
): Composition {
  const { drafted, confidence, initialConfidence, feedback, reflected, changes } = deliberation;
  const { outcome, answer: written, removed, precedents } = drafted;
  const hasNowhereToLook = outcome === "unknown" && written.look_next.length === 0;
  return {
    mode: "model",
    outcome,
    confidence,
    answer: {
      ...written,
      worked_before: outcome === "benign" ? [] : workedBefore(known.recalled, known.threshold, precedents),
      look_next: hasNowhereToLook ? firstLooks(known.incident) : written.look_next,
    },
    removed,
    critique: { initial_confidence: initialConfidence, feedback, reflected, changes },
  };
}
