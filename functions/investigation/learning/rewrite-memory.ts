// The memory of a triage from whose result a deleted text was removed: as that result would have made it. Pure functions.

import type { Config } from "../../config.ts";
import type { AffectedMemory, RewrittenMemory } from "../../incidents/detail/text-removals.ts";
import { observationDocument } from "../../memory/observation.ts";
import { FIXED_BY, pastAnswerRow } from "../../memory/past-answers.ts";
import { procedureAnswer } from "../../memory/procedures.ts";
import { documentRow } from "../../search-index/search-document.ts";
import { pastAnswerOf, withFix } from "./create-memory-updates.ts";
import { describeRecord } from "./describe-record.ts";
import { NO_RESULT, storedReportOf } from "./stored-report.ts";
import { ownAnswer } from "./summarise-triage.ts";

/** An unreadable result makes memory without a cause. */
export function rewriteMemory(
  affected: Pick<
    AffectedMemory,
    "triageId" | "incident" | "result" | "latest" | "pastAnswer" | "hasProcedure" | "observation"
  >,
  context: { readonly now: Date; readonly config: Pick<Config, "CONFIDENCE_THRESHOLD" | "PROCEDURAL_THRESHOLD"> },
): RewrittenMemory {
  const { triageId, incident: row, pastAnswer, hasProcedure, observation } = affected;
  const { incident, result } = storedReportOf({ incident: row, triage: affected.result }, context);
  const summarised = { ...(result ?? NO_RESULT), triage_id: triageId };
  return {
    past_answer: pastAnswer && {
      ...pastAnswerColumns(pastAnswerOf(incident, summarised, context), pastAnswer, row),
      replaces: pastAnswer.content_hash,
    },
    procedure_answer: hasProcedure ? procedureAnswer(ownAnswer(summarised, context.config)) : null,
    observation: observation && observationColumns(observation, affected, context),
  };
}

function pastAnswerColumns(
  own: Parameters<typeof withFix>[0],
  stored: NonNullable<AffectedMemory["pastAnswer"]>,
  { resolution, resolved_by, worked }: AffectedMemory["incident"],
) {
  const isFixed = resolution !== null && stored.answer.startsWith(FIXED_BY);
  const { answer, content_hash } = pastAnswerRow(
    isFixed ? withFix(own, { text: resolution, by: resolved_by }, worked) : own,
  );
  return { answer, content_hash };
}

function observationColumns(
  observation: NonNullable<AffectedMemory["observation"]>,
  { incident, result, latest }: Pick<AffectedMemory, "incident" | "result" | "latest">,
  context: Parameters<typeof describeRecord>[1],
) {
  const { title, narrative, facts, written_by } = describeRecord({ incident, triage: latest ?? result }, context);
  const document = documentRow(observationDocument({ ...observation, title, narrative, facts }));
  return { version: observation.version, title, narrative, facts, written_by, document };
}
