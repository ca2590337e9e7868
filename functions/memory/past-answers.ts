// Owns semantic memory: questions and what was answered, as rows and as documents. Recall is learnt-recall.ts.

import type { DomainName } from "../schemas/domain.ts";
import { contentHash, type SearchDocument } from "../search-index/search-document.ts";

export interface PastAnswer {
  /** Of the triage; a summary's own. */
  readonly id: string;
  readonly domain: DomainName;
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

/** Characters of a question and of an answer that are remembered. */
export const QUESTION_LENGTH = 1_000;
export const ANSWER_LENGTH = 4_000;
/** Of a session's summary: some 25 turns in short. */
export const SUMMARY_LENGTH = 12_000;

/** The answer of a triage that named no cause, or none that was believed. It counts as a turn and is no hint. */
export const UNANSWERED = "No cause was confirmed.";

/** The row of a memory as the SQL functions take it, with the hash of what the index will hold. */
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

/** What is embedded: the question and the answer. Ratings and times are the row's, so that they are never stale. */
function pastAnswerDocument(memory: PastAnswer): SearchDocument {
  return {
    id: memory.id,
    source: null,
    chunkIndex: null,
    title: memory.question,
    headingPath: [],
    body: memory.answer,
    metadata: { session_id: memory.sessionId, is_summary: memory.isSummary },
    writtenAt: memory.createdAt,
  };
}
