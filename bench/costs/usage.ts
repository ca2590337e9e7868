// What one incident uses: measured by `npm run bench -- costs --measure`, stored in usage.json.

import { readFileSync } from "node:fs";
import { z } from "zod";

export const USAGE_FILE = new URL("usage.json", import.meta.url);

/** Of one collection of the vector store, for each incident. */
const collectionSchema = z.object({
  /** Queries; each filter of one counts as another, as Chroma Cloud bills them. */
  queries: z.number(),
  recordsWritten: z.number(),
  /** Text and metadata, without the vector. */
  bytesWritten: z.number(),
  bytesReturned: z.number(),
});

export const usageSchema = z.object({
  measuredOn: z.iso.date(),
  incidents: z.number().int(),
  /** Each is one triage, its answer, its memory and its recorded fix; a mean. */
  perIncident: z.object({
    cpuMs: z.number(),
    subrequests: z.number(),
    /** Rows of all tables, and their growth on disk with indexes. */
    rows: z.number(),
    postgresBytes: z.number(),
    /** From PostgREST to the Worker. */
    postgresBytesReturned: z.number(),
    collections: z.record(z.string(), collectionSchema),
  }),
});
export type Usage = z.infer<typeof usageSchema>;

/** @throws ZodError when the file is damaged */
export function readUsage(): Usage {
  return usageSchema.parse(JSON.parse(readFileSync(USAGE_FILE, "utf8")));
}
