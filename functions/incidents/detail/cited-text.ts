// The text of a source that the stored answer of an incident cites.

import { z } from "zod";
import { checkResultSchema } from "../../../lib/checks/check.ts";
import type { Database } from "../../adapters/database.ts";
import { CITED_KINDS } from "../../schemas/text-kind.ts";
import { incidentHitSchema, type TriageResult } from "../../schemas/triage-result.ts";
import { documentRowSchema } from "../../search-index/search-document.ts";

export const citedTextSchema = z.object({
  id: z.string(),
  kind: z.enum(CITED_KINDS),
  title: z.string(),
  source: z.string().nullable(),
  heading: z.string(),
  text: z
    .string()
    .nullable()
    .describe("The cited section; for a past incident its narrative. Null if it was deleted, and for a check."),
  is_current: z
    .boolean()
    .describe("True: the text as it is stored now. False: the text as the answer saw it; it may have changed since."),
  past_incident: incidentHitSchema.nullable().describe("With its fixes; null for other kinds."),
  check: checkResultSchema.nullable().describe("With its query and value; null for other kinds."),
});
export type CitedText = z.infer<typeof citedTextSchema>;

/**
 * Prefers what the answer saw. The answer also cites other sections of its best runbook, which the result does not hold; they
 * are read as they are stored now.
 * @returns null if the answer does not cite it @throws DependencyError
 */
export async function readCitedText(
  database: Database,
  { sources, recalled, checks }: TriageResult,
  id: string,
): Promise<CitedText | null> {
  const cited = sources.find((source) => source.id === id);
  if (cited === undefined) return null;
  const source = { ...cited, is_current: false, past_incident: null, check: null, text: null };
  const incident = recalled.incidents.find((hit) => hit.id === id);
  if (incident) return { ...source, text: incident.narrative, past_incident: incident };
  const check = checks.find((each) => each.id === id);
  if (check) return { ...source, check };
  const answer = recalled.past_answers.find((each) => each.id === id);
  const section = recalled.runbooks.find((hit) => hit.id === id);
  const text = section?.text ?? answer?.answer;
  return text === undefined ? { ...source, ...(await storedSection(database, id)) } : { ...source, text };
}

async function storedSection(database: Database, id: string): Promise<Pick<CitedText, "text" | "is_current">> {
  const args = { p_collection: "runbooks", p_ids: [id] };
  const [document] = await database.call("get_documents", args, z.array(documentRowSchema), { retries: 1 });
  return { text: document?.body ?? null, is_current: document !== undefined };
}
