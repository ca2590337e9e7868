// The handover of a shift, and statistics of incidents. Each is one SQL function.

import type { Database } from "../../adapters/database.ts";
import { type Handover, handoverSchema, type IncidentStats, incidentStatsSchema } from "../../schemas/reports.ts";

const MAX_LISTED = 50;
const MAX_TOP = 10;

interface Period {
  readonly since: Date;
  readonly now: Date;
}

interface HandoverPeriod extends Period {
  /** Entries of each list, at most 50. */
  readonly limit?: number;
  readonly domains?: readonly string[];
}

/** @param domains only these; all if it is empty @throws DependencyError */
export async function readHandover(
  database: Database,
  { since, now, limit = MAX_LISTED, domains = [] }: HandoverPeriod,
): Promise<Handover> {
  const [from, until] = [since.toISOString(), now.toISOString()];
  const args = { p_since: from, p_now: until, p_limit: limit };
  const schema = handoverSchema.omit({ since: true, until: true });
  const restricted = { p_domains: [...domains], p_function: "handover", p_args: args };
  const read = await (domains.length === 0
    ? database.call("handover", args, schema, { retries: 1 })
    : database.call("call_restricted", restricted, schema, { retries: 1 }));
  return { since: from, until, ...read };
}

/** @throws DependencyError */
export async function readIncidentStats(database: Database, { since, now }: Period): Promise<IncidentStats> {
  const args = { p_since: since.toISOString(), p_now: now.toISOString(), p_limit: MAX_TOP };
  const read = await database.call("incident_stats", args, incidentStatsSchema.omit({ since: true }), { retries: 1 });
  return { since: args.p_since, ...read };
}
