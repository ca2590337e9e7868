// Owns how a recalled incident record is read back into facts.

import { z } from "zod";
import { SEVERITIES } from "../memory/incident.ts";
import type { SearchDocument } from "../memory/search-document.ts";

const textOrNull = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value === "" ? null : value));

const metadataSchema = z.object({
  target: textOrNull,
  severity: z.enum(SEVERITIES).catch("medium"),
  incident_type: z.string().catch("unknown"),
  stored_at: z.string().catch(""),
  resolution: textOrNull,
  resolved_by: textOrNull,
  resolved_at: textOrNull,
});

export function pastIncident(document: SearchDocument) {
  const { stored_at, ...facts } = metadataSchema.parse(document.metadata);
  return { ...facts, title: document.title, reported_at: stored_at || document.writtenAt.toISOString() };
}
