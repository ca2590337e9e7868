// Owns procedural memory: approaches that a critic found good, found again by the query that they answered.

import { createHash } from "node:crypto";
import type { DomainName } from "../schemas/domain.ts";
import { truncate } from "../schemas/incident.ts";
import { contentHash, type SearchDocument } from "../search-index/search-document.ts";
import type { ProcedureState, RecallState } from "./recall-state.ts";

/** Cosine to the query above which a procedure is shown as a hint, and from which on it is the same one. */
const RECALL_COSINE = 0.75;
const MERGE_COSINE = 0.85;
/** Characters of the answer that are kept. */
const ANSWER_LENGTH = 300;
const QUERY_LENGTH = 2_000;

export interface RecalledProcedure extends ProcedureState {
  /** To the query, −1 to 1. */
  readonly cosine: number;
}

export interface NewProcedure {
  readonly id: string;
  readonly domain: DomainName;
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

/** The approach to show as a hint: the nearest of those that are near enough, the more used one among equals. */
export function nearestProcedure(
  hits: readonly { readonly id: string; readonly distance: number }[],
  state: Pick<RecallState, "procedures">,
): RecalledProcedure | null {
  const known = hits.flatMap(({ id, distance }) => {
    const procedure = state.procedures.get(id);
    return procedure && 1 - distance > RECALL_COSINE ? [{ ...procedure, cosine: 1 - distance }] : [];
  });
  return known.sort((a, b) => b.cosine - a.cosine || b.useCount - a.useCount || (a.id < b.id ? -1 : 1))[0] ?? null;
}

/** Whether a recalled procedure is the one that this query would make: it is counted up then, and none is added. */
export function isSameProcedure({ cosine }: Pick<RecalledProcedure, "cosine">): boolean {
  return cosine >= MERGE_COSINE;
}

/** The row of a procedure as `record_procedure` takes it. */
export function procedureRow(procedure: NewProcedure) {
  const query = truncate(procedure.query, QUERY_LENGTH);
  const document: SearchDocument = {
    id: procedure.id,
    source: null,
    chunkIndex: null,
    title: query,
    headingPath: [],
    body: "",
    metadata: { confidence: procedure.confidence },
    writtenAt: procedure.createdAt,
  };
  return {
    id: procedure.id,
    domain: procedure.domain,
    query,
    query_hash: queryHash(query),
    strategy: procedure.strategy,
    answer: truncate(procedure.answer, ANSWER_LENGTH),
    confidence: procedure.confidence,
    triage_id: procedure.triageId,
    metadata: { ...document.metadata },
    content_hash: contentHash(document),
  };
}

/** Names a query however it is spaced and capitalised: two runs that know nothing of each other write one row. A UUID. */
function queryHash(query: string): string {
  const words = query.toLowerCase().replace(/\s+/g, " ").trim();
  const digits = createHash("sha256").update(words).digest("hex");
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
