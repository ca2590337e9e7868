// The fields of incidents that commands show.

import { z } from "zod";
import { triageResultSchema } from "../../functions/schemas/triage-result.ts";
import { printable } from "./problem-error.ts";

export const incidentSchema = z.object({
  id: z.string(),
  created_at: z.string(),
  title: z.string(),
  question: z.string().nullable(),
  target: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  reported_title: z.string().nullable(),
  severity: z.string(),
  owner: z.string().nullable(),
  acknowledged_by: z.string().nullable(),
  session_id: z.string(),
  status: z.string(),
  resolution: z.string().nullable(),
  resolved_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
  domain: z.object({ name: z.string() }),
  answer_domain: z.string().nullable(),
  imported: z
    .object({ from: z.string(), id: z.string(), url: z.string().nullable(), description: z.string().nullable() })
    .nullable(),
});
export type IncidentFields = z.infer<typeof incidentSchema>;

const eventValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);

export const incidentDetailSchema = incidentSchema.extend({
  events: z.array(z.object({ at: z.string(), kind: z.string(), detail: z.record(z.string(), eventValue) })),
  steps: z.array(
    z.object({ done: z.boolean(), at: z.string().nullable(), by: z.string().nullable(), text: z.string() }),
  ),
  alerts: z.object({
    total: z.number(),
    firing: z.number(),
    place: z.string().nullable(),
    latest: z.array(
      z.object({
        source: z.string(),
        status: z.string(),
        title: z.string(),
        target: z.string().nullable(),
        times: z.number(),
        last_received_at: z.string(),
      }),
    ),
  }),
  triage: triageResultSchema.nullable(),
  triage_unreadable: z.boolean(),
});
export type IncidentDetail = z.infer<typeof incidentDetailSchema>;

/** `3f2a8c1e-… "api-gateway container exited with code 137"` */
export function nameOf({ id, title }: Pick<IncidentFields, "id" | "title">): string {
  return `${id} "${printable(title).replace(/\s+/g, " ")}"`;
}

/** `2026-03-01 03:00` in UTC. */
export function minuteOf(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? printable(time) : date.toISOString().slice(0, 16).replace("T", " ");
}
