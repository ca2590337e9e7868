// Owns what an answer may cite: the recalled texts that a model is shown, each under a short name. Pure.

import type { Config } from "../../config.ts";
import { sourceKindOf } from "../../knowledge/source-documents.ts";
import type { Observation } from "../../memory/observation.ts";
import { type Incident, isBareQuestion } from "../../schemas/incident.ts";
import type { HybridHit } from "../../search-index/hybrid-search.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import { kindOf, type Recall, type RecalledRunbook } from "../recall/recall-result.ts";

interface Citable {
  /** How the model calls it: R1, R2, … for runbook sections, I1, I2, … for past incidents. */
  readonly name: string;
  readonly document: SearchDocument;
}

export type CitableText =
  | (Citable & { readonly kind: "runbook" })
  | (Citable & { readonly kind: "incident"; readonly observation: Observation });

/**
 * The ranked runbook sections, what the best runbook says besides (a model that is shown only the symptoms would have
 * to make up the steps), and the past incidents; each runbook's sections in the order in which they were written.
 */
export function citableTexts(recall: Recall, config: Pick<Config, "RUNBOOK_RECALL_LIMIT">): CitableText[] {
  const shown = new Set(rankedHits(recall, config).map(({ hit }) => hit.document.id));
  const best = recall.runbooks.find((runbook) => kindOf(runbook) === "runbook");
  for (const section of best?.sections ?? []) shown.add(section.id);
  const sections = recall.runbooks.flatMap((runbook) => runbook.sections.filter(({ id }) => shown.has(id)));
  return [
    ...sections.map((document, i): CitableText => ({ name: `R${i + 1}`, kind: "runbook", document })),
    ...recall.incidents.map(
      ({ hit }, i): CitableText => ({
        name: `I${i + 1}`,
        kind: "incident",
        document: hit.document,
        observation: hit.observation,
      }),
    ),
  ];
}

/** How many sections are shown: fewer for a bare question than for a report. */
export function limitFor(
  incident: Incident,
  { TOP_K, RUNBOOK_RECALL_LIMIT }: Pick<Config, "RUNBOOK_RECALL_LIMIT" | "TOP_K">,
): Pick<Config, "RUNBOOK_RECALL_LIMIT"> {
  return { RUNBOOK_RECALL_LIMIT: isBareQuestion(incident) ? TOP_K : RUNBOOK_RECALL_LIMIT };
}

/** The best sections of all, of which notes, logs and postmortems are half at most: a runbook that fits keeps its place. */
export function rankedHits(
  recall: Recall,
  { RUNBOOK_RECALL_LIMIT: limit }: Pick<Config, "RUNBOOK_RECALL_LIMIT">,
): { readonly hit: HybridHit; readonly runbook: RecalledRunbook }[] {
  const found = recall.runbooks.flatMap((runbook) => runbook.hits.map((hit, turn) => ({ hit, runbook, turn })));
  // A reranker has judged runbooks, not sections: each is heard in its turn, with its best section first.
  const ranked = found.sort((a, b) => (recall.reranking ? a.turn - b.turn : b.hit.score - a.hit.score));
  const isCurated = ({ hit }: { readonly hit: HybridHit }) => sourceKindOf(hit.document) === "runbook";
  const others = new Set(ranked.filter((each) => !isCurated(each)).slice(0, Math.max(1, Math.floor(limit / 2))));
  return ranked.filter((each) => isCurated(each) || others.has(each)).slice(0, limit);
}
