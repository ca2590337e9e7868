// The result of a recall, and the error of a recall in which every search failed.

import type { CheckDefinition, CheckResult } from "../../../lib/checks/check.ts";
import type { Config } from "../../config.ts";
import type { DependencyError } from "../../dependencies.ts";
import { textKindOf } from "../../knowledge/text-documents.ts";
import type { Observation } from "../../memory/observation.ts";
import type { RecalledProcedure } from "../../memory/procedures.ts";
import type { RecalledObservation, RecalledPastAnswer } from "../../memory/recall-memory.ts";
import type { TextKind } from "../../schemas/text-kind.ts";
import type { Reranking } from "../../schemas/triage-result.ts";
import type { HybridHit } from "../../search-index/hybrid-search.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import type { AssessedRecord } from "../relevance/incident-model.ts";
import type { Likeness } from "../relevance/likeness.ts";
import type { Relevance } from "../relevance/relevance.ts";
import { roundShare } from "../relevance/relevance.ts";

/** A topic of a runbook, note or postmortem, or a whole text, with at least one chunk among the hits. */
export interface RecalledRunbook {
  readonly source: string;
  /** Of the text, or of one of its topics: see `DocumentTopic`. */
  readonly key: string;
  /** Of the topic, else of the text. */
  readonly title: string;
  /** Whether it is what stands above the topics of a text: it names failures and has no steps. */
  readonly isOverview: boolean;
  readonly relevance: Relevance;
  /** Ranked chunks, best first. */
  readonly hits: readonly HybridHit[];
  /** The returned chunks of the topic, in document order. Causes and steps come from them alone. */
  readonly sections: readonly SearchDocument[];
}

export function kindOf({ sections }: RecalledRunbook): TextKind {
  return sections[0] ? textKindOf(sections[0]) : "runbook";
}

/** A check of a recalled runbook, and its result. */
export interface RunCheck {
  readonly definition: CheckDefinition;
  readonly result: CheckResult;
}

export interface RecalledIncident extends AssessedRecord {
  readonly hit: RecalledObservation;
  /** What the report and the record have in common, and what differs. */
  readonly likeness: Likeness;
}

/** A cause that a person named instead of that of an answer. */
export interface NamedCause {
  readonly text: string;
  /** Null if unknown. */
  readonly by: string | null;
  /** Id of the past incident. */
  readonly record: string;
  readonly title: string;
  /** That the past incident is the same failure. */
  readonly probability: number;
}

/** Whether the probability, rounded as it is shown, reaches a threshold. */
export function reaches({ relevance }: RecalledRunbook | RecalledIncident, threshold: number): boolean {
  return roundShare(relevance.probability) >= threshold;
}

/** How much surer than a runbook a past incident must be: its fix is believed, and a runbook's causes are checked first. */
const INCIDENT_MARGIN = 0.15;

/** The probability from which a past incident is the same failure. */
export function sameFailureFrom({ ANSWER_THRESHOLD }: Pick<Config, "ANSWER_THRESHOLD">): number {
  return roundShare(Math.min(0.99, ANSWER_THRESHOLD + INCIDENT_MARGIN));
}

export interface Recall {
  /** Best first. */
  readonly runbooks: readonly RecalledRunbook[];
  /** Whether runbooks of other domains were searched because the domain of the label had nothing relevant. */
  readonly lookedFurther: boolean;
  /** Whether more runbooks may follow: there are none, or some came within the last seconds. */
  readonly runbooksLoading: boolean;
  /** Best first. */
  readonly incidents: readonly RecalledIncident[];
  /** The cause that a person named for the same failure; null if nobody did. */
  readonly namedCause: NamedCause | null;
  /** Similar earlier questions with their answers; best first. */
  readonly pastAnswers: readonly RecalledPastAnswer[];
  readonly procedure: RecalledProcedure | null;
  /**
   * Probability that a past answer or a procedure is about the reported failure, by its id: that of the most probable record that it
   * is about. Missing if no such record was assessed.
   */
  readonly answerProbabilities: ReadonlyMap<string, number>;
  /** Of the nearest runbooks; conclusive ones first. Empty until they have run. */
  readonly checks: readonly RunCheck[];
  /** The observation with the same fingerprint; null for a new failure. */
  readonly repeatOf: Observation | null;
  /** The reranker's order of the runbooks; undefined without a reranking. */
  readonly reranking?: Reranking;
  /** Failed parts of the recall. */
  readonly missing: readonly DependencyError[];
}

export const NOTHING_RECALLED: Recall = {
  runbooks: [],
  lookedFurther: false,
  runbooksLoading: false,
  incidents: [],
  namedCause: null,
  pastAnswers: [],
  procedure: null,
  answerProbabilities: new Map(),
  checks: [],
  repeatOf: null,
  missing: [],
};

/** Every search failed, so there is nothing to answer from. */
export class RecallUnavailable extends Error {
  override readonly name = "RecallUnavailable";
  readonly failures: readonly DependencyError[];

  constructor(failures: readonly DependencyError[]) {
    super(failures.map((failure) => failure.message).join("; "));
    this.failures = failures;
  }
}
