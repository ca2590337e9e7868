// Outcomes of starting and finishing an investigation run.

import type { SessionPastAnswers, SessionTurn } from "../../incidents/run-records.ts";
import type { DomainCatalog } from "../../knowledge/domains/domain-catalog.ts";
import type { Calibration } from "../../schemas/calibration.ts";
import type { EvidenceSourceDefinition } from "../../schemas/evidence/source.ts";
import type { TriageResult, Warning } from "../../schemas/triage-result.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import type { Surroundings } from "../../surroundings/surroundings.ts";
import type { Models } from "./investigation-services.ts";

export type TriageOutcome =
  | { readonly state: "answered"; readonly result: TriageResult }
  /** The result of the first request with the same Idempotency-Key. */
  | { readonly state: "replayed"; readonly result: TriageResult }
  | { readonly state: "in_progress" }
  | { readonly state: "mismatch" };

export interface StartedRun {
  readonly state: "started";
  readonly catalog: DomainCatalog;
  /** Sources of evidence that the caller may use. */
  readonly sources: readonly EvidenceSourceDefinition[];
  /** Changes and other alerts around the start of the incident; empty if they could not be read. */
  readonly surroundings: Surroundings;
  /** Of the relevance model. */
  readonly calibration: Calibration;
  /** Sections of the runbook that the report names; empty if it is not stored. */
  readonly attached: readonly SearchDocument[];
  /** The session's last turns, oldest first. */
  readonly turns: readonly SessionTurn[];
  readonly sessionPastAnswers: SessionPastAnswers;
  /** Whether there are no runbooks, or a new one came within the last seconds, so that more may follow. */
  readonly runbooksLoading: boolean;
  /** Texts that show the names in the turns; empty without PSEUDONYMISE. */
  readonly sessionNames: readonly string[];
  /** Null without a model, or when today's tokens are used up. */
  readonly models: Models | null;
  /** Tokens that are left of today's limit; undefined without a limit or when today's use could not be read. */
  readonly remainingTokens?: number;
  readonly warnings: readonly Warning[];
}

export type RunStartOutcome = Exclude<TriageOutcome, { state: "answered" }> | StartedRun;
