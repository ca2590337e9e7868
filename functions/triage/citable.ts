// Owns what an answer may cite: the recalled texts that a model is shown, each under a short name. Pure.

import type { Config } from "../config.ts";
import type { Observation } from "../memory/observation.ts";
import type { SearchDocument } from "../memory/search-document.ts";
import type { Recall } from "./recall.ts";

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
  const ranked = recall.runbooks
    .flatMap(({ hits }) => hits)
    .sort((a, b) => b.score - a.score)
    .slice(0, config.RUNBOOK_RECALL_LIMIT);
  const shown = new Set(ranked.map(({ document }) => document.id));
  for (const section of recall.runbooks[0]?.sections ?? []) shown.add(section.id);
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
