// An observation with the incidents that it holds and the corrections of people.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { explainRecord } from "../memory/explain-record.ts";
import { observationEntrySchema } from "../memory/memory-lists.ts";
import { INCIDENT_STATUSES } from "../schemas/incident-values.ts";

const observedIncidentSchema = z.object({
  id: z.string(),
  target: z.string().nullable(),
  reported_at: z.string(),
  fingerprint: z
    .string()
    .nullable()
    .describe("Identifies the failure of its report; null for a report that cannot be read."),
  status: z.enum(INCIDENT_STATUSES),
  title: z.string(),
});

export const observationDetailSchema = observationEntrySchema.extend({
  joined_ids: z.array(z.string()).describe("Former ids of records that were joined into it.").meta({ example: [] }),
  separated_from: z.array(z.string()).describe("Records that a person separated from it.").meta({ example: [] }),
  incidents: z
    .object({
      total: z.number().int(),
      latest: z.array(observedIncidentSchema).describe("Newest first, at most 50."),
    })
    .describe("Incidents that reported the failure.")
    .meta({
      example: {
        total: 2,
        latest: [
          {
            id: "9b2f6c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7b",
            target: "api-gateway",
            reported_at: "2026-03-01T03:03:00+00:00",
            fingerprint: "5f0c2b7a9d1e4c3f8a6b0d2e7c5f9a1b3d8e6c4a2f0b7d9e1c5a3f8b6d4e2c0a",
            status: "triaged",
            title: "api-gateway container exited with code 137",
          },
        ],
      },
    }),
});
export type ObservationDetail = z.infer<typeof observationDetailSchema>;

const detailRowSchema = observationDetailSchema
  .omit({ why: true })
  .transform((row): ObservationDetail => ({ ...row, why: [...explainRecord(row), ...explainCorrections(row)] }));

/** Null for an unknown id. @throws DependencyError */
export async function getObservation(database: Database, id: string): Promise<ObservationDetail | null> {
  return database.call("get_observation", { p_id: id }, detailRowSchema.nullable(), { retries: 1 });
}

function explainCorrections({
  joined_ids,
  separated_from,
}: Pick<ObservationDetail, "joined_ids" | "separated_from">): string[] {
  const [joined, separated] = [joined_ids.length, separated_from.length];
  return [
    ...(joined > 0 ? [`Holds the reports of ${joined} joined ${joined === 1 ? "record" : "records"}.`] : []),
    ...(separated > 0
      ? [`A person separated it from ${separated} other ${separated === 1 ? "record" : "records"}.`]
      : []),
  ];
}
