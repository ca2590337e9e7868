// Step "answer": the answer of a model if one is available and its draft passes verification, else an extractive answer.

import { firstLooks } from "../../knowledge/domains/domain-catalog.ts";
import type { Look } from "../../knowledge/domains/domain-definition.ts";
import type { Incident } from "../../schemas/incident.ts";
import type { LiveEvidence } from "../../schemas/live-evidence.ts";
import type { Warning } from "../../schemas/triage-result.ts";
import { ruledOutBy } from "../evidence/check-verdicts.ts";
import { asModelFailure } from "../model/ask-model.ts";
import type { Recall } from "../recall/recall-result.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import type { Run } from "../run/run.ts";
import type { StartedRun } from "../run/run-outcome.ts";
import { answerWarning, recheckWarning, reflectionWarning } from "../run/warnings.ts";
import { createAnswerContext } from "./answer-context.ts";
import { confidenceOf } from "./cause-support.ts";
import { withDistinctStatements } from "./distinct-statements.ts";
import { createExtractiveAnswer, lookStep, namedCause, namedPossibleCause } from "./extractive-answer.ts";
import type { FinalAnswer } from "./final-answer.ts";
import { type GeneratedAnswer, generateAnswer } from "./generate-answer.ts";
import { type Thresholds, workedBefore } from "./past-incidents.ts";
import { withReportedLines } from "./report-evidence.ts";

export interface AnswerResult {
  readonly finalAnswer: FinalAnswer;
  /** What the answer lacks. */
  readonly missing: readonly Warning[];
}

export async function answer(
  services: InvestigationServices,
  run: Run,
  work: {
    readonly incident: Incident;
    readonly recalled: Recall;
    readonly startedRun: StartedRun;
    /** A model's answer waits for it. */
    readonly observing: Promise<LiveEvidence>;
  },
): Promise<AnswerResult> {
  const { incident, recalled, startedRun, observing } = work;
  const thresholds = services.config;
  const { models, turns, catalog, sessionNames } = startedRun;
  const looks = firstLooks(catalog, incident.domain);
  const extractive = createExtractiveAnswer(incident, recalled, { thresholds, looks });
  // Without a text to cite, a model can only answer `unknown`.
  const hasSources = recalled.runbooks.length > 0 || recalled.incidents.length > 0;
  // A report of a working system has no cause, and an empty one supports none, whatever a model would say.
  const hasFailure = incident.evidence.state === null;
  if (models === null || !hasSources || !hasFailure) return { finalAnswer: extractive, missing: [] };
  try {
    const context = createAnswerContext(services, {
      ...{ models, run, incident, recalled, turns, sessionNames },
      live: await observing,
    });
    const generated = await generateAnswer(context);
    // A person's cause answers what the sources of a model do not.
    const isNamedOnly = generated.drafted.outcome === "unknown" && recalled.namedCause !== null;
    const finalAnswer = isNamedOnly
      ? extractive
      : toFinalAnswer(generated, extractive, { incident, recalled, thresholds, looks });
    const { failure } = generated;
    if (!failure) return { finalAnswer, missing: [] };
    services.log("warn", "triage.reflection_failed", { error: failure.error.message });
    const warning = failure.step === "reflect" ? reflectionWarning(failure.error) : recheckWarning(failure.error);
    return { finalAnswer, missing: [warning] };
  } catch (error) {
    const failure = asModelFailure(error);
    services.log("warn", "triage.model_failed", { error: failure.message });
    return { finalAnswer: extractive, missing: [answerWarning(failure)] };
  }
}

function toFinalAnswer(
  generated: GeneratedAnswer,
  extractive: FinalAnswer,
  context: {
    readonly incident: Incident;
    readonly recalled: Recall;
    readonly thresholds: Thresholds;
    readonly looks: readonly Look[];
  },
): FinalAnswer {
  const { incident, recalled, thresholds, looks } = context;
  const { drafted, confidence, initialConfidence, feedback, reflected, changes } = generated;
  const { outcome, answer: written, removed, precedents, limit } = drafted;
  const hasNoCheck =
    written.confirm.length === 0 && written.possible_causes.every(({ confirm }) => confirm.length === 0);
  const hasNowhereToLook =
    (outcome === "unknown" && written.look_next.length === 0) || (outcome === "possible" && hasNoCheck);
  return {
    mode: "model",
    outcome,
    // A critic may be sure of "unknown". No text explains the failure better for that.
    confidence: confidenceOf(confidence, limit ?? extractive.confidence),
    answer: withDistinctStatements({
      ...written,
      evidence: withReportedLines(written.evidence, incident),
      likely_causes: [...(outcome === "cause" ? namedCause(recalled) : []), ...written.likely_causes],
      possible_causes: [...(outcome === "possible" ? namedPossibleCause(recalled) : []), ...written.possible_causes],
      ruled_out: ruledOutBy(recalled),
      worked_before: workedBefore(incident, recalled, { thresholds, precedents }),
      look_next: hasNowhereToLook ? looks.map(lookStep) : written.look_next,
    }),
    removed,
    critique: { initial_confidence: initialConfidence, feedback, reflected, changes },
  };
}
