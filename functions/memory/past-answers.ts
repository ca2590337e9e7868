// Semantic memory: questions and answers, as rows and as search documents. recall-memory.ts recalls them.

import { contentHash, type SearchDocument } from "../search-index/search-document.ts";

export interface PastAnswer {
  /** The triage's id; a summary has an id of its own. */
  readonly id: string;
  readonly domain: string;
  readonly sessionId: string;
  /** Null for a summary. */
  readonly triageId: string | null;
  readonly createdAt: Date;
  /** Scrubbed. */
  readonly question: string;
  /** Scrubbed. */
  readonly answer: string;
  readonly isSummary: boolean;
}

/** Stored characters of a question and of an answer. */
export const QUESTION_LENGTH = 1_000;
export const ANSWER_LENGTH = 4_000;
/** Characters of a session's summary, which its turns share. */
export const SUMMARY_LENGTH = 12_000;

/** The stored answer of a triage without a confirmed cause. It counts as a turn and is never recalled. */
export const UNANSWERED = "No cause was confirmed.";

/** The beginning of the stored answer of a resolved incident; the fix follows, then the answer on lines of its own. */
export const FIXED_BY = "Fixed by: ";

/** The row of a past answer for the SQL functions, with the hash of its search document. */
export function pastAnswerRow(memory: PastAnswer) {
  const document = pastAnswerDocument(memory);
  return {
    id: memory.id,
    domain: memory.domain,
    session_id: memory.sessionId,
    triage_id: memory.triageId,
    created_at: memory.createdAt.toISOString(),
    question: memory.question,
    answer: memory.answer,
    is_summary: memory.isSummary,
    metadata: { ...document.metadata },
    content_hash: contentHash(document),
  };
}

/**
 * The embedded text is the question and the answer. Ratings and times are read from the row, so they are never stale.
 */
function pastAnswerDocument(memory: PastAnswer): SearchDocument {
  return {
    id: memory.id,
    source: null,
    chunkIndex: null,
    title: memory.question,
    headingPath: [],
    body: memory.answer,
    metadata: { session_id: memory.sessionId, is_summary: memory.isSummary, domain: memory.domain },
    writtenAt: memory.createdAt,
  };
}
