// Step "rerank": a model that reads report and text together reorders the best recalled runbooks. Its score also changes
// their probability, within bounds. If it fails, order and probabilities of the recall stay.

import { searchLines } from "../../../lib/logs/search-lines.ts";
import { settle } from "../../dependencies.ts";
import type { Calibration } from "../../schemas/calibration.ts";
import { type Incident, nameHints, recallQuery, truncate } from "../../schemas/incident.ts";
import type { Reranking } from "../../schemas/triage-result.ts";
import { documentText } from "../../search-index/search-document.ts";
import { type Attributes, documents, input, SemanticConventions } from "../../telemetry/openinference.ts";
import { inSpan } from "../../telemetry/span.ts";
import { standardScore, withContribution } from "../relevance/relevance.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import type { Run } from "../run/run.ts";
import { kindOf, type Recall, type RecalledRunbook } from "./recall-result.ts";

/** Share of the budget, 0 to 1. */
const RESERVED_FOR_ANSWER = 0.4;
/** Characters. Together they fill the 512 tokens that small cross-encoders read. */
const QUERY_LENGTH = 500;
const TEXT_LENGTH = 1_500;
/** Sections of each runbook that the reranker reads, best first. */
const MAX_SECTIONS = 2;
/** Log-odds for a score of one standard deviation above the mean. */
const SCORE_WEIGHT = 0.5;
/** Bound of the log-odds, so that the reranker alone never decides an answer. */
const MAX_CONTRIBUTION = 1;

export interface RerankInput {
  readonly recalled: Recall;
  readonly calibration: Calibration;
  /** Texts of the session, whose names are replaced before a reranker reads them; empty if omitted. */
  readonly sessionNames?: readonly string[];
}

/**
 * Returns the recall in the reranker's order, with the reranker's contribution to each relevance. If the reranker fails,
 * adds the failure to `missing`.
 */
export async function rerank(
  services: Pick<InvestigationServices, "reranker" | "config" | "log">,
  run: Pick<Run, "remainingBudget" | "cancelled">,
  incident: Incident,
  { recalled, calibration, sessionNames = [] }: RerankInput,
): Promise<Recall> {
  const { reranker, config, log } = services;
  const attached = recalled.runbooks.filter(isAttached);
  const searched = recalled.runbooks.filter((runbook) => !isAttached(runbook));
  const candidates = searched.slice(0, config.RERANK_CANDIDATES);
  if (reranker === null || candidates.length < 2) return recalled;
  const limits = {
    remainingMs: run.remainingBudget(RESERVED_FOR_ANSWER),
    cancelled: run.cancelled,
    nameHints: [...nameHints(incident), ...sessionNames],
  };
  const request = { model: reranker.model, query: queryOf(incident), texts: candidates.map(textOf) };
  const work = inSpan("RERANKER", "rerank", async (span) => {
    span.set(() => rerankInputAttributes(request, candidates));
    const scores = await reranker.rerank(request.query, request.texts, limits);
    const contributions = scoreContributions(scores);
    const scored = candidates
      .map((candidate, i) => ({
        runbook: {
          ...candidate,
          relevance: withContribution(candidate.relevance, "reranker", contributions[i] ?? 0, calibration),
        },
        place: attached.length + i + 1,
        score: scores[i] ?? 0,
      }))
      .sort((a, b) => b.score - a.score);
    const reranking: Reranking = {
      model: reranker.model,
      documents: scored.map(({ runbook, place, score }, i) => ({
        source: runbook.source,
        title: runbook.title,
        before: { place, score: runbook.hits[0]?.score ?? 0 },
        after: { place: attached.length + i + 1, score },
      })),
    };
    span.set(() => rerankOutputAttributes(reranking, candidates));
    const order = [...attached, ...scored.map(({ runbook }) => runbook), ...searched.slice(candidates.length)];
    return { ...recalled, runbooks: order, reranking };
  });
  const reranked = await settle(work);
  if (reranked.ok) return reranked.value;
  log("warn", "triage.rerank_failed", { error: reranked.error.message });
  return { ...recalled, missing: [...recalled.missing, reranked.error] };
}

/**
 * Log-odds of each score: `SCORE_WEIGHT` × its distance from the mean in standard deviations, within ± `MAX_CONTRIBUTION`. Scales differ between
 * rerankers, so only the distance counts. The factor is set by hand: no reranker was available for training.
 */
export function scoreContributions(scores: readonly number[]): number[] {
  return scores.map((score) =>
    Math.min(MAX_CONTRIBUTION, Math.max(-MAX_CONTRIBUTION, SCORE_WEIGHT * standardScore(scores, score))),
  );
}

/** A person named an attached runbook, so it keeps its place. */
function isAttached({ hits }: RecalledRunbook): boolean {
  return hits.some(({ contributions }) => contributions.attached !== undefined);
}

/** The query of the searches: the error lines help where the title is vague. */
function queryOf(incident: Incident): string {
  return truncate([recallQuery(incident), ...searchLines(incident.evidence)].join("\n"), QUERY_LENGTH);
}

function textOf({ hits }: RecalledRunbook): string {
  const sections = hits.slice(0, MAX_SECTIONS).map(({ document }) => documentText(document));
  return truncate(sections.join("\n\n"), TEXT_LENGTH);
}

/** The candidates are in the order of the searches. */
function rerankInputAttributes(
  { model, query, texts }: { readonly model: string; readonly query: string; readonly texts: readonly string[] },
  candidates: readonly RecalledRunbook[],
): Attributes {
  return {
    ...input(query),
    [SemanticConventions.RERANKER_QUERY]: query,
    [SemanticConventions.RERANKER_MODEL_NAME]: model,
    [SemanticConventions.RERANKER_TOP_K]: candidates.length,
    ...documents(
      "RERANKER_INPUT_DOCUMENTS",
      candidates.map((candidate, i) => ({
        id: candidate.source,
        content: texts[i] ?? "",
        score: candidate.hits[0]?.score ?? 0,
        metadata: { kind: kindOf(candidate), source: candidate.source, title: candidate.title },
      })),
    ),
  };
}

function rerankOutputAttributes(
  { documents: reranked }: Reranking,
  candidates: readonly RecalledRunbook[],
): Attributes {
  const kinds = new Map(candidates.map((candidate) => [candidate.source, kindOf(candidate)]));
  return documents(
    "RERANKER_OUTPUT_DOCUMENTS",
    reranked.map(({ source, title, before, after }) => ({
      id: source,
      score: after.score,
      metadata: { kind: kinds.get(source), source, title, place_before: before.place },
    })),
  );
}
