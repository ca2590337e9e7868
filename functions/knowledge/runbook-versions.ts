// Reads the versions of runbooks.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";

export const runbookVersionSchema = z.object({
  number: z.number().int().describe("Counts from 1."),
  etag: z.string().describe("Identifies the text."),
  title: z.string(),
  bytes: z.number().int(),
  stored_at: z.string(),
  stored_by: z.string().nullable().describe("Name of the token that stored it; null if none was kept."),
});
export type RunbookVersion = z.infer<typeof runbookVersionSchema>;

export const versionTextSchema = runbookVersionSchema.extend({
  text: z.string().describe("The Markdown as it was stored, redacted."),
});

/** Newest first. Null if there is no such runbook. @throws DependencyError */
export async function listRunbookVersions(
  database: Database,
  id: string,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<RunbookVersion[] | null> {
  const args = { p_id: id, p_limit: limit, ...(before === undefined ? {} : { p_before: before }) };
  return database.call("list_runbook_versions", args, z.array(runbookVersionSchema).nullable(), { retries: 1 });
}

/** Null if there is none. @throws DependencyError */
export async function getRunbookVersion(
  database: Database,
  id: string,
  number: number,
): Promise<z.infer<typeof versionTextSchema> | null> {
  const args = { p_id: id, p_number: number };
  return database.call("get_runbook_version", args, versionTextSchema.nullable(), { retries: 1 });
}
