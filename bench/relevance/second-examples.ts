// Examples for the relevance model of past incidents from second reports of a failure and from look-alikes.

import {
  laterReports,
  REPORT_CORPORA,
  type ReportCorpus,
  readReportGroups,
  storeFirstReports,
} from "../incidents/second-reports.ts";
import { createProcessMemory } from "../support/process-memory.ts";
import { type AskedIncident, askIncident, type IncidentExamples, NOW, reportGroup } from "./ask-incident.ts";

/** Reports that are left out together. */
const GROUPS = 4;

export async function collectSecondExamples(progress: (text: string) => void): Promise<IncidentExamples[]> {
  const examples: IncidentExamples[] = [];
  for (const corpus of REPORT_CORPORA) examples.push(...(await collectCorpus(corpus, progress)));
  return examples;
}

/** Asks each later report with its own first report on record, and each second one again without it. */
async function collectCorpus(corpus: ReportCorpus, progress: (text: string) => void): Promise<IncidentExamples[]> {
  const memory = await createProcessMemory();
  const groups = readReportGroups(corpus, "train");
  const ids = await storeFirstReports(memory, groups, NOW);
  const collected: { readonly group: string; readonly report: AskedIncident }[] = [];
  for (const { group, place, report } of laterReports(groups)) {
    const own = ids.get(group.id) ?? "";
    const base = {
      id: group.id,
      form: report.logs === undefined ? "title" : "evidence",
      own: null,
      right: new Set<string>(),
    } as const;
    const questions =
      place === "other"
        ? [{ ...base, condition: "look_alike", excludedIds: [] } as const]
        : [
            { ...base, condition: "again", own, right: new Set([own]), excludedIds: [] } as const,
            { ...base, condition: "removed", excludedIds: [own] } as const,
          ];
    for (const question of questions)
      collected.push({
        group: reportGroup(corpus, (groups.indexOf(group) % GROUPS) + 1),
        report: await askIncident(memory, report, question),
      });
    progress(`${corpus}: ${collected.length} reports`);
  }
  return [...Map.groupBy(collected, ({ group }) => group)].map(([group, ofGroup]) => ({
    group,
    reports: ofGroup.map(({ report }) => report),
  }));
}
