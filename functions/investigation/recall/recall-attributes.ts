// Span attributes of a recall.

import type { DependencyError } from "../../dependencies.ts";
import { textKindOf } from "../../knowledge/text-documents.ts";
import type { RecalledMemory } from "../../memory/recall-memory.ts";
import type { HybridHit } from "../../search-index/hybrid-search.ts";
import type { Attributes, TracedDocument } from "../../telemetry/openinference.ts";
import { documents, input } from "../../telemetry/openinference.ts";

export function runbookRecallAttributes(
  query: string,
  { hits, missing }: { readonly hits: readonly HybridHit[]; readonly missing: readonly DependencyError[] },
): Attributes {
  return retrieverAttributes(
    query,
    hits.map(({ document, score, distance, bm25 }) => ({
      id: document.id,
      content: document.body,
      score,
      metadata: {
        kind: textKindOf(document),
        source: document.source,
        title: document.title,
        heading: document.headingPath.join(" › "),
        distance,
        bm25: bm25?.score,
      },
    })),
    missing,
  );
}

/** Of a span's 20 documents; the others are past answers and the procedure. */
const MAX_INCIDENTS = 15;

/** Past incidents, then past answers, then the procedure. */
export function memoryRecallAttributes(
  query: string,
  {
    incidents,
    pastAnswers,
    procedure,
    missing,
  }: Pick<RecalledMemory, "incidents" | "pastAnswers" | "procedure" | "missing">,
): Attributes {
  const traced: TracedDocument[] = [
    ...incidents.slice(0, MAX_INCIDENTS).map(({ document, observation, score, distance }) => ({
      id: document.id,
      content: document.body,
      score,
      metadata: { kind: "incident", title: observation.title, is_resolved: observation.resolution !== null, distance },
    })),
    ...pastAnswers.map(({ id, question, answer, score }) => ({
      id,
      content: answer,
      score,
      metadata: { kind: "past_answer", title: question },
    })),
    ...(procedure === null
      ? []
      : [
          {
            id: procedure.id,
            content: procedure.answer,
            score: procedure.cosine,
            metadata: { kind: "procedure", title: procedure.query },
          },
        ]),
  ];
  const hits = incidents.length + pastAnswers.length + (procedure === null ? 0 : 1);
  return { ...retrieverAttributes(query, traced, missing), "dejavu.hits": hits };
}

function retrieverAttributes(
  query: string,
  traced: readonly TracedDocument[],
  missing: readonly DependencyError[],
): Attributes {
  return {
    ...input(query),
    ...documents("RETRIEVAL_DOCUMENTS", traced),
    "dejavu.hits": traced.length,
    "dejavu.missing": [...new Set(missing.map(({ dependency, failure }) => `${dependency}:${failure}`))],
  };
}
