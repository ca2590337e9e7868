// Examples for the relevance model of past incidents from families of causes in several systems.

import { causeQueries, storeCauses } from "../incidents/ask-causes.ts";
import { readCauses, type Split } from "../incidents/cause-families.ts";
import { createProcessMemory } from "../support/process-memory.ts";
import { type AskedIncident, askIncident, causeGroup, type IncidentExamples, NOW } from "./ask-incident.ts";

/** Families that are left out together. */
const GROUPS = 5;

/** Stores the families of a split in this process and asks each query. */
export async function collectCauseExamples(
  split: Split,
  progress: (text: string) => void,
): Promise<IncidentExamples[]> {
  const { families, healthy } = readCauses(split);
  const memory = await createProcessMemory();
  const stored = await storeCauses(families, ({ report, fix }) => memory.store(memory.incidentOf(report, NOW), fix));
  const groupOf = new Map(families.map(({ name }, i) => [name, causeGroup((i % GROUPS) + 1)]));
  const collected: { readonly group: string; readonly report: AskedIncident }[] = [];
  for (const query of causeQueries(stored, healthy)) {
    const { report, form, name } = query;
    const question = { ...query, id: name, form };
    const answer = await askIncident(memory, { severity: "high", ...report }, question);
    collected.push({ group: groupOf.get(query.group) ?? "healthy", report: answer });
    progress(`causes: ${collected.length} reports`);
  }
  return [...Map.groupBy(collected, ({ group }) => group)].map(([group, ofGroup]) => ({
    group,
    reports: ofGroup.map(({ report }) => report),
  }));
}
