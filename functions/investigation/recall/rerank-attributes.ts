// Span attributes of reranking.

import type { Reranking } from "../../schemas/triage-result.ts";
import type { Attributes } from "../../telemetry/openinference.ts";
import { documents, input, SemanticConventions } from "../../telemetry/openinference.ts";
import type { RecalledRunbook } from "./recall-result.ts";
import { kindOf } from "./recall-result.ts";

/** The candidates are in the order of the searches. */
export function rerankInputAttributes(
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

export function rerankOutputAttributes(
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
