// What else happened around the start of an incident: recent changes and other alerts. The start of a run reads them.

import { z } from "zod";
import { withoutExporter } from "../knowledge/domains/label-rules.ts";
import { liveEvidenceSchema } from "../schemas/live-evidence.ts";
import { comparableLabels } from "./comparable-labels.ts";
import { incidentNames, labelledScope } from "./service-names.ts";
import { STORM_LABELS, stormAlertSchema } from "./storm.ts";

export const surroundingsSchema = liveEvidenceSchema.pick({ changes: true, other_alerts: true }).extend({
  storm: z.array(stormAlertSchema),
  start: z.coerce.date().describe("Start of the first alert; without alerts, the time of the report."),
});
export type Surroundings = z.infer<typeof surroundingsSchema>;

/** For a run whose start could not be read. */
export function emptySurroundings(start: Date): Surroundings {
  return { start, changes: { reported: false, recent: [] }, other_alerts: [], storm: [] };
}

/** What the SQL function `run_surroundings` compares with. */
export function surroundingsArguments(incident: {
  readonly target: string | null;
  readonly labels: Readonly<Record<string, string>>;
}) {
  const subject = { target: incident.target, labels: withoutExporter(incident.labels) };
  return {
    names: incidentNames(subject),
    scope: { ...labelledScope(incident.labels) },
    labels: comparableLabels(subject).map((label) => ({ ...label })),
    storm_labels: [...STORM_LABELS],
  };
}
