// A search of memory, for the commands that show its hits.

import { z } from "zod";
import {
  incidentHitSchema,
  pastAnswerHitSchema,
  procedureHitSchema,
  warningSchema,
} from "../../functions/schemas/triage-result.ts";

export const memorySearchSchema = z.object({
  domain: z.object({ name: z.string(), rule: z.string() }),
  incidents: z.array(incidentHitSchema),
  past_answers: z.array(pastAnswerHitSchema),
  procedure: procedureHitSchema.nullable(),
  warnings: z.array(warningSchema),
});
export type MemorySearchResult = z.infer<typeof memorySearchSchema>;

/** Maximum length of a query, in characters. */
export const MAX_QUERY_LENGTH = 4_000;
