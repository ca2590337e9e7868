// Names in the earlier reports of a session: its turns are sent to a model without their labels.

import { z } from "zod";
import type { Database } from "../../adapters/database.ts";
import { nameHints } from "../prompts/name-hints.ts";

/** A longer session shows the names of its newest runs. */
const MAX_RUNS = 200;

const reportsSchema = z.array(z.object({ labels: z.record(z.string(), z.string()), target: z.string().nullable() }));

/** Hints for `nameHints` of a request to a model. @throws DependencyError */
export async function readSessionNames(database: Database, sessionId: string): Promise<string[]> {
  const args = { p_session_id: sessionId, p_limit: MAX_RUNS };
  const reports = await database.call("session_names", args, reportsSchema, { retries: 1 });
  return [...new Set(reports.flatMap((report) => nameHints(report)))];
}
