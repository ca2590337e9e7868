// Where an imported incident comes from.

import { z } from "zod";

export const importedSchema = z.object({
  from: z.string().describe("The system, such as `pagerduty`."),
  id: z.string().describe("Its id there."),
  url: z.string().nullable(),
  description: z.string().nullable().describe("What people wrote about it. The log lines in it are in `logs`."),
  at: z.string().describe("When it was imported."),
});
export type Imported = z.infer<typeof importedSchema>;

/** Of one request, and characters of one incident. */
export const IMPORT_LIMITS = {
  incidents: 50,
  id: 256,
  url: 2_048,
  title: 1_000,
  description: 20_000,
  target: 256,
  label: 1_024,
  labels: 64,
  fix: 4_000,
  fixedBy: 128,
} as const;

/** Names of systems. */
export const SYSTEM_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Of a fix. */
export const importedFromSchema = z
  .string()
  .nullable()
  .describe("System that the incident where it worked last was imported from; null if it was reported here.");
