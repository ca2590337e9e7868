// Names in the earlier reports of a session: its turns are sent to a model without their labels.

import { z } from "zod";
import type { Database } from "../../adapters/database.ts";
import { settle } from "../../dependencies.ts";
import { nameHints } from "../../schemas/incident.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import type { StartedRun } from "../run/run-outcome.ts";

/** A longer session shows the names of its newest runs. */
const MAX_RUNS = 200;

const reportsSchema = z.array(z.object({ labels: z.record(z.string(), z.string()), target: z.string().nullable() }));

/** Hints for `nameHints` of a request to a model. @throws DependencyError */
export async function readSessionNames(database: Database, sessionId: string): Promise<string[]> {
  const args = { p_session_id: sessionId, p_limit: MAX_RUNS };
  const reports = await database.call("session_names", args, reportsSchema, { retries: 1 });
  return [...new Set(reports.flatMap((report) => nameHints(report)))];
}

/** The same for a run: empty without PSEUDONYMISE, null if the names could not be read. */
export async function sessionNamesOf(
  { config, database, log }: Pick<InvestigationServices, "config" | "database" | "log">,
  sessionId: string,
): Promise<readonly string[] | null> {
  if (!config.PSEUDONYMISE) return [];
  const names = await settle(readSessionNames(database, sessionId));
  if (names.ok) return names.value;
  log("warn", "session.names_unread", { error: names.error.message });
  return null;
}

/** Without the names of its turns, a run has no turns: a model would receive the names. */
export function withSessionNames(startedRun: StartedRun, sessionNames: readonly string[] | null): StartedRun {
  return sessionNames === null ? { ...startedRun, turns: [] } : { ...startedRun, sessionNames };
}
