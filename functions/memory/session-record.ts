// The content of a session: its turns and its summaries.

import { z } from "zod";
import { rankPastAnswer } from "../../lib/ranking/rank-memory.ts";
import { fitBlocks } from "../../lib/text/fit-blocks.ts";
import type { Database } from "../adapters/database.ts";
import { summaryBlocks, turnBlocks } from "./digest-turns.ts";
import type { RecalledPastAnswer } from "./recall-memory.ts";
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

/** The turns and then the summaries, newest first, in at most `length` characters that they share fairly. */
export function digestSession({ turns, summaries }: SessionRecord, length: number): string {
  return fitBlocks([...turnBlocks(turns), ...summaries.flatMap(({ answer }) => summaryBlocks(answer))], length);
}

/** The content of a session as past answers, newest first. Nothing was searched for, so their cosine is 0. */
export function pastAnswersOfSession(
  { turns, summaries }: SessionRecord,
  sessionId: string,
  ranking: { readonly now: Date; readonly halfLifeDays: number; readonly sessionBoost: number },
): RecalledPastAnswer[] {
  const ofTurns = turns.map(({ id, question, answer, createdAt, rating }) => ({
    ...{ id, question, answer, createdAt, rating },
    sessionId,
    isSummary: false,
  }));
  return [...ofTurns, ...summaries].map((pastAnswer) => {
    const { score, parts } = rankPastAnswer({ ...pastAnswer, cosine: 0, isSameSession: true }, ranking);
    return { ...pastAnswer, score, ranking: parts };
  });
}
