// Groups of reports about one failure: the first has a fix, the second and third are of the same failure in other words, the
// others are of other failures that look alike (README.md of second-reports/ and of short-titles/).

import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { TriageRequest } from "../../functions/incidents/create-incident.ts";
import { readJsonLines } from "../support/json-lines.ts";
import type { ProcessMemory } from "../support/process-memory.ts";
import type { Split } from "./cause-families.ts";

const reportSchema = z.strictObject({
  title: z.string(),
  logs: z.string().optional(),
  target: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
});

const groupSchema = z.strictObject({
  id: z.string(),
  technology: z.string(),
  kind: z.string(),
  first: reportSchema,
  fix: z.string(),
  second: reportSchema,
  third: reportSchema.optional(),
  others: z.array(reportSchema).min(1),
});

export type ReportGroup = z.infer<typeof groupSchema>;

export interface SecondReport {
  readonly group: ReportGroup;
  readonly place: "second" | "third" | "other";
  readonly report: TriageRequest;
}

/** `second-reports`: with the logs that people paste. `short-titles`: the later reports are nothing but a title. */
export const REPORT_CORPORA = ["second-reports", "short-titles"] as const;
export type ReportCorpus = (typeof REPORT_CORPORA)[number];

export function readReportGroups(corpus: ReportCorpus, split: Split): ReportGroup[] {
  return readJsonLines(fileURLToPath(new URL(`${corpus}/${split}.jsonl`, import.meta.url)), groupSchema);
}

/** Stores the first report of each group with its fix. @returns the records' ids by group */
export async function storeFirstReports(
  memory: ProcessMemory,
  groups: readonly ReportGroup[],
  at: Date,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const { id, first, fix } of groups) ids.set(id, await memory.store(memory.incidentOf(first, at), fix));
  return ids;
}

export function laterReports(groups: readonly ReportGroup[]): SecondReport[] {
  return groups.flatMap((group) => [
    { group, place: "second" as const, report: group.second },
    ...(group.third === undefined ? [] : [{ group, place: "third" as const, report: group.third }]),
    ...group.others.map((report) => ({ group, place: "other" as const, report })),
  ]);
}
