// Procedural memory: approaches with a good score of the critic, recalled by the query that they answered.

import { createHash } from "node:crypto";
import { type RelevanceScale, shareOfScale } from "../adapters/embedder.ts";
import { truncate } from "../schemas/incident.ts";
import { contentHash, type SearchDocument } from "../search-index/search-document.ts";
import type { ProcedureState, RecallState } from "./recall-state.ts";

/**
 * Share of the embedder's scale above which a procedure is a hint: 0.30 of reports of one failure are as near, 0.12 of look-alikes and
 * 0.001 of others. `npm run bench -- embedder` prints these shares; the training half chose.
 */
export const RECALL_SHARE = 0.9;
/** From which it is the same procedure: 0.12 of reports of one failure, 0.014 of look-alikes, whose approach would be lost. */
export const MERGE_SHARE = 1.2;
/** Stored characters of the answer. */
const ANSWER_LENGTH = 300;
const QUERY_LENGTH = 2_000;

export interface RecalledProcedure extends ProcedureState {
  /** Cosine to the query, −1 to 1. */
  readonly cosine: number;
  /** Whether the query would make the same procedure; its use count grows then, and no procedure is added. */
  readonly isSame: boolean;
}

export interface NewProcedure {
  readonly id: string;
  readonly domain: string;
  readonly query: string;
  /** `retrieval_hits=…, memory_hits=…, reflected=…` */
  readonly strategy: string;
  /** Scrubbed. */
  readonly answer: string;
  /** The critic's score, 0 to 1. */
  readonly confidence: number;
  readonly triageId: string;
  readonly createdAt: Date;
}

/** The procedure to show as a hint: the nearest one above the threshold; among equals the more used one. */
export function nearestProcedure(
  hits: readonly { readonly id: string; readonly distance: number }[],
  state: Pick<RecallState, "procedures">,
  scale: RelevanceScale,
): RecalledProcedure | null {
  const candidates = hits.flatMap(({ id, distance }) => {
    const procedure = state.procedures.get(id);
    const share = shareOfScale(distance, scale);
    return procedure && share > RECALL_SHARE
      ? [{ ...procedure, cosine: 1 - distance, isSame: share >= MERGE_SHARE }]
      : [];
  });
  return candidates.sort((a, b) => b.cosine - a.cosine || b.useCount - a.useCount || (a.id < b.id ? -1 : 1))[0] ?? null;
}

/** The stored part of an answer. */
export function procedureAnswer(answer: string): string {
  return truncate(answer, ANSWER_LENGTH);
}

/** The row of a procedure for `record_procedure`. */
export function procedureRow(procedure: NewProcedure) {
  const query = truncate(procedure.query, QUERY_LENGTH);
  const document: SearchDocument = {
    id: procedure.id,
    source: null,
    chunkIndex: null,
    title: query,
    headingPath: [],
    body: "",
    metadata: { confidence: procedure.confidence, domain: procedure.domain },
    writtenAt: procedure.createdAt,
  };
  return {
    id: procedure.id,
    domain: procedure.domain,
    query,
    query_hash: queryHash(query),
    strategy: procedure.strategy,
    answer: procedureAnswer(procedure.answer),
    confidence: procedure.confidence,
    triage_id: procedure.triageId,
    metadata: { ...document.metadata },
    content_hash: contentHash(document),
  };
}

/** Identifies a query regardless of spacing and case, so that concurrent runs write one row. A UUID. */
function queryHash(query: string): string {
  const words = query.toLowerCase().replace(/\s+/g, " ").trim();
  const digits = createHash("sha256").update(words).digest("hex");
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
