// Measures recall on the project's own runbooks: runs each graded question through the product's recall and ranks the
// expected runbook.

import { createIncident } from "../../../functions/incidents/create-incident.ts";
import { createGuard } from "../../../functions/incidents/guard-request.ts";
import { recall } from "../../../functions/investigation/recall/recall.ts";
import type { RecalledRunbook } from "../../../functions/investigation/recall/recall-result.ts";
import { domainCatalog } from "../../../functions/knowledge/domain-store.ts";
import type { Services } from "../../../functions/services.ts";
import { redact } from "../../../lib/redaction/redact.ts";
import type { SeedQuery } from "./seed-queries.ts";

const guard = createGuard(redact);

export interface SeedRecall {
  readonly query: SeedQuery;
  /** Best first. */
  readonly runbooks: readonly RecalledRunbook[];
  /** The rank of the expected runbook, from 1; 0 when it is missing. */
  readonly rank: number;
}

async function recallSeedQuery(services: Services, query: SeedQuery): Promise<SeedRecall> {
  const { request } = guard.request(query.question);
  const catalog = await domainCatalog(services);
  const incident = createIncident(request, { catalog, now: services.now(), newId: services.newId });
  const { runbooks } = await recall(services, incident, { sessionPastAnswers: [], attached: [] });
  return { query, runbooks, rank: runbooks.findIndex(({ source }) => source === query.runbook) + 1 };
}

/** Recalls one question after another. */
export async function recallSeedQueries(services: Services, queries: readonly SeedQuery[]): Promise<SeedRecall[]> {
  const recalls: SeedRecall[] = [];
  for (const query of queries) recalls.push(await recallSeedQuery(services, query));
  return recalls;
}

/** The number of recalls with the expected runbook among the first `depth`. */
export function foundWithin(recalls: readonly SeedRecall[], depth: number): number {
  return recalls.filter(({ rank }) => rank >= 1 && rank <= depth).length;
}
