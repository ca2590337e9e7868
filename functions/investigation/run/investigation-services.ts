// Dependencies of an investigation; the composition root provides them.

import type { LanguageModel, TokenPrice } from "../../adapters/language-model.ts";
import type { Reranker } from "../../adapters/reranker.ts";
import type { EvidenceServices } from "../../evidence-sources/evidence-services.ts";
import type { IncidentServices } from "../../incidents/incident-services.ts";
import type { FeedbackServices } from "../../memory/give-feedback.ts";
import type { Tracer } from "../../telemetry/trace-types.ts";
import type { RelevanceModels } from "../relevance/relevance-model.ts";
import type { CalibrationStore } from "./calibration-store.ts";
import type { QueryCache } from "./query-cache.ts";

export interface PricedModel {
  readonly model: LanguageModel;
  /** Null when no price is configured. */
  readonly price: TokenPrice | null;
}

export interface Models {
  /** Writes answers. */
  readonly answer: PricedModel;
  /** Classifies, rewrites queries, criticises and summarises. */
  readonly small: PricedModel;
}

export interface InvestigationServices extends IncidentServices, FeedbackServices, EvidenceServices {
  /** Null without a language model: every answer is extractive. */
  readonly models: Models | null;
  /** Null without a reranker: runbooks keep the order of the searches. */
  readonly reranker: Reranker | null;
  readonly tracer: Tracer;
  /** Results of the last minute; of all callers, whose sources differ. */
  readonly queryCache: QueryCache;
  readonly relevanceModels: RelevanceModels;
  /** The calibration of the relevance model. */
  readonly calibrations: CalibrationStore;
  /** The services for a caller that is restricted to these domains. */
  readonly restrictedTo: (domains: readonly string[]) => InvestigationServices;
}
