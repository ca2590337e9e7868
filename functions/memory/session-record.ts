// The content of a session: its turns and its summaries.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { type PastAnswerState, pastAnswerStateSchema } from "./recall-state.ts";
import { type StoredTurn, storedTurnSchema } from "./session-summary.ts";

export interface SessionRecord {
  /** The turns that no summary replaces, and the benign ones; newest first. */
  readonly turns: readonly StoredTurn[];
  /** Newest first. */
  readonly summaries: readonly PastAnswerState[];
}

/** More turns than a session holds before it is compressed. */
const MAX_TURNS = 40;
const MAX_SUMMARIES = 3;

const sessionRecordSchema = z.object({
  turns: z.array(storedTurnSchema),
  summaries: z.array(pastAnswerStateSchema),
});

/** @throws DependencyError */
export async function readSession(database: Database, sessionId: string): Promise<SessionRecord> {
  return database.call(
    "session_record",
    { p_session_id: sessionId, p_turn_limit: MAX_TURNS, p_summary_limit: MAX_SUMMARIES },
    sessionRecordSchema,
  );
}
