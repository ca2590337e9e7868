// Examples for the relevance model of past incidents from families of causes in several systems.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { createServices } from "../../functions/services.ts";
import { causeQueries, type KeptFixes, keptFixes, storeCauses } from "../incidents/ask-causes.ts";
import { readCauses, type Split } from "../incidents/cause-families.ts";
import { type AskedIncident, askIncident, causeGroup, type IncidentExamples, NOW } from "./ask-incident.ts";
import { EMBEDDER_VARIABLES, LONG_TIMEOUTS } from "./stores.ts";

/** Families that are left out together. */
const GROUPS = 5;

export interface CauseExamples {
  readonly groups: readonly IncidentExamples[];
  readonly kept: KeptFixes;
}

/** Stores the families of a split on a throw-away stack and asks each query. */
export async function collectCauseExamples(split: Split, progress: (text: string) => void): Promise<CauseExamples> {
  const { families, healthy } = readCauses(split);
  const stack = await startStack({
    dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
    ephemeral: true,
    services: ["gateway", "chroma"],
    extraWorkerVars: EMBEDDER_VARIABLES,
  });
  try {
    await seedRunbooks({ env: stack.workerEnv });
    const services = createServices({ ...stack.workerEnv, ...LONG_TIMEOUTS }, { log: () => {}, now: () => NOW });
    const stored = await storeCauses(services, families, progress);
    const groupOf = new Map(families.map(({ name }, i) => [name, causeGroup((i % GROUPS) + 1)]));
    const collected: { readonly group: string; readonly report: AskedIncident }[] = [];
    for (const query of causeQueries(stored, healthy)) {
      const { report, form, name } = query;
      const answer = await askIncident(services, { severity: "high", ...report }, { ...query, id: name, form });
      collected.push({ group: groupOf.get(query.group) ?? "healthy", report: answer });
      progress(`causes: ${collected.length} reports`);
    }
    return {
      groups: [...Map.groupBy(collected, ({ group }) => group)].map(([group, ofGroup]) => ({
        group,
        reports: ofGroup.map(({ report }) => report),
      })),
      kept: await keptFixes(services, stored),
    };
  } finally {
    await stack.stop();
  }
}
