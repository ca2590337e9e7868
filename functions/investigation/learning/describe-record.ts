// The text of a record from one of its stored incidents, as triage and resolution of that incident would have written it. Pure
// functions.

import type { Config } from "../../config.ts";
import { observationRow } from "../../memory/observation.ts";
import { DID_NOT_HELP } from "./resolve-incident.ts";
import { type StoredIncident, storedReportOf } from "./stored-report.ts";
import { reportedFacts } from "./summarise-triage.ts";

export type RecordRow = ReturnType<typeof observationRow>;

/** Extractive, also where a model had written a summary of another incident of the record. */
export function describeRecord(
  current: StoredIncident,
  context: { readonly now: Date; readonly config: Pick<Config, "CONFIDENCE_THRESHOLD" | "PROCEDURAL_THRESHOLD"> },
): RecordRow {
  const { incident, update } = storedReportOf(current, context);
  const row = observationRow(update.observation, update.report);
  if (current.incident.worked !== false) return row;
  return { ...row, narrative: DID_NOT_HELP, facts: reportedFacts(incident) };
}
