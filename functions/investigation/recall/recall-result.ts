// The result of a recall, and the error when neither search answered.

import type { DependencyError } from "../../dependencies.ts";
import { sourceKindOf } from "../../knowledge/source-documents.ts";
import type { Observation } from "../../memory/observation.ts";
import type { RecalledProcedure } from "../../memory/procedures.ts";
import type { RecalledObservation, RecalledPastAnswer } from "../../memory/recall-memory.ts";
import type { SourceKind } from "../../schemas/source-kind.ts";
import type { Reranking } from "../../schemas/triage-result.ts";
import type { HybridHit } from "../../search-index/hybrid-search.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
/** A runbook of which at least one chunk was found; or a note, a log or a postmortem. */
export interface RecalledRunbook {
  readonly source: string;
  readonly title: string;
  /** 0 to 1. */
  readonly grounding: number;
  /** Its chunks that the search ranked, best first. */
  readonly hits: readonly HybridHit[];
  /** All of its chunks that came back, in the order of the document. */
  readonly sections: readonly SearchDocument[];
}

export function kindOf({ sections }: RecalledRunbook): SourceKind {
  return sections[0] ? sourceKindOf(sections[0]) : "runbook";
}

export interface RecalledIncident {
  readonly hit: RecalledObservation;
  /** 0 to 1. */
  readonly grounding: number;
}

export interface Recall {
  /** Best first. */
  readonly runbooks: readonly RecalledRunbook[];
  /** Best first. */
  readonly incidents: readonly RecalledIncident[];
  /** Earlier questions that are alike, with their answers; best first. */
  readonly memories: readonly RecalledPastAnswer[];
  readonly procedure: RecalledProcedure | null;
  /** What is known of this very failure; null where it is new. */
  readonly repeatOf: Observation | null;
  /** How a reranker ordered the runbooks; undefined where they stand as they were found. */
  readonly reranking?: Reranking;
  /** What could not be asked; empty when everything answered. */
  readonly missing: readonly DependencyError[];
}

export const NOTHING_RECALLED: Recall = {
  runbooks: [],
  incidents: [],
  memories: [],
  procedure: null,
  repeatOf: null,
  missing: [],
};

/** Nothing could be searched at all, so there is nothing to answer from. */
export class RecallUnavailable extends Error {
  override readonly name = "RecallUnavailable";
  readonly failures: readonly DependencyError[];

  constructor(failures: readonly DependencyError[]) {
    super(failures.map((failure) => failure.message).join("; "));
    this.failures = failures;
  }
}
