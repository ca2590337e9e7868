// The handover of a shift, and statistics of incidents. Each is one SQL function.

import type { Database } from "../../adapters/database.ts";
import { type Handover, handoverSchema, type IncidentStats, incidentStatsSchema } from "../../schemas/reports.ts";

const MAX_LISTED = 50;
const MAX_TOP = 10;

interface Period {
  readonly since: Date;
  readonly now: Date;
}

/** @throws DependencyError */
export async function readHandover(database: Database, { since, now }: Period): Promise<Handover> {
  const [from, until] = [since.toISOString(), now.toISOString()];
  const args = { p_since: from, p_now: until, p_limit: MAX_LISTED };
  const read = await database.call("handover", args, handoverSchema.omit({ since: true, until: true }), { retries: 1 });
  return { since: from, until, ...read };
}

/** @throws DependencyError */
export async function readIncidentStats(database: Database, { since, now }: Period): Promise<IncidentStats> {
  const args = { p_since: since.toISOString(), p_now: now.toISOString(), p_limit: MAX_TOP };
  const read = await database.call("incident_stats", args, incidentStatsSchema.omit({ since: true }), { retries: 1 });
  return { since: args.p_since, ...read };
}
