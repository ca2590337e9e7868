// A recorded fix with its proof, as the API shows it.

import { z } from "zod";
import { importedFromSchema } from "./imported.ts";

export const fixSchema = z.object({
  id: z.string(),
  text: z.string().describe("The action."),
  fingerprint: z.string().describe("Identifies the failure that it fixed."),
  conditions: z.string().nullable().describe("Versions or conditions under which it helps; null if not reported."),
  tried: z.number().int().describe("Incidents that it was tried in."),
  worked: z.number().int().describe("Those of them that it helped; with 0, the action is known not to help."),
  first_at: z.string(),
  last_at: z.string(),
  last_worked_at: z.string().nullable(),
  last_worked_by: z.string().nullable(),
  imported_from: importedFromSchema,
  retired: z
    .object({ at: z.string(), reason: z.string().describe("`a newer fix` or `corrected`.") })
    .nullable()
    .describe("Null while the fix is active."),
  came_back_at: z
    .string()
    .nullable()
    .describe("First repeat on the same service after it worked last; null if there was none."),
});
export type FixEntry = z.infer<typeof fixSchema>;
