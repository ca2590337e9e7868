// Step "rerank": a model that reads the report and a text together puts the best recalled runbooks in its own order. It
// decides what stands first; whether that is an answer stays the grounding's to say. Without it, the recall's order stands.

import { DependencyError } from "../../dependencies.ts";
import { errorLines } from "../../retrieval/text/error-lines.ts";
import { type Incident, recallQuery, truncate } from "../../schemas/incident.ts";
import type { Reranking } from "../../schemas/triage-result.ts";
import { documentText } from "../../search-index/search-document.ts";
import { inSpan } from "../../telemetry/span.ts";
import type { Run } from "../run/run.ts";
import type { InvestigationServices } from "../run/services.ts";
import type { Recall, RecalledRunbook } from "./recall-result.ts";
import { rerankInputAttributes, rerankOutputAttributes } from "./rerank-attributes.ts";

/** The share of the budget that stays for the answer. */
const RESERVED_FOR_ANSWER = 0.4;
/** Characters: with both, small cross-encoders are at the 512 tokens that they read. */
const QUERY_LENGTH = 500;
const TEXT_LENGTH = 1_500;
/** Sections that speak for a runbook, best first. */
const SECTIONS = 2;

/** The recall in the reranker's order, or as it was with what went wrong among the missing. */
export async function rerank(
  services: Pick<InvestigationServices, "reranker" | "config" | "log">,
  run: Pick<Run, "remainingBudget" | "cancelled">,
  incident: Incident,
  recalled: Recall,
): Promise<Recall> {
  const { reranker, config, log } = services;
  const attached = recalled.runbooks.filter(isAttached);
  const found = recalled.runbooks.filter((runbook) => !isAttached(runbook));
  const candidates = found.slice(0, config.RERANK_CANDIDATES);
  if (reranker === null || candidates.length < 2) return recalled;
  try {
    const limits = { remainingMs: run.remainingBudget(RESERVED_FOR_ANSWER), cancelled: run.cancelled };
    const asked = { model: reranker.model, query: queryOf(incident), texts: candidates.map(textOf) };
    return await inSpan("RERANKER", "rerank", async (span) => {
      span.set(() => rerankInputAttributes(asked, candidates));
      const scores = await reranker.rerank(asked.query, asked.texts, limits);
      const judged = candidates
        .map((runbook, i) => ({ runbook, place: attached.length + i + 1, score: scores[i] ?? 0 }))
        .sort((a, b) => b.score - a.score);
      const reranking: Reranking = {
        model: reranker.model,
        documents: judged.map(({ runbook, place, score }, i) => ({
          source: runbook.source,
          title: runbook.title,
          before: { place, score: runbook.hits[0]?.score ?? 0 },
          after: { place: attached.length + i + 1, score },
        })),
      };
      span.set(() => rerankOutputAttributes(reranking, candidates));
      const order = [...attached, ...judged.map(({ runbook }) => runbook), ...found.slice(candidates.length)];
      return { ...recalled, runbooks: order, reranking };
    });
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    log("warn", "triage.rerank_failed", { error: error.message });
    return { ...recalled, missing: [...recalled.missing, error] };
  }
}

/** A person's word that this is the runbook; no model overrules it. */
function isAttached({ hits }: RecalledRunbook): boolean {
  return hits.some(({ contributions }) => contributions.attached !== undefined);
}

/** What the searches looked for: a vague title may come with a telling log. */
function queryOf(incident: Incident): string {
  const signals = incident.logs === null ? [] : errorLines(incident.logs);
  return truncate([recallQuery(incident), ...signals].join("\n"), QUERY_LENGTH);
}

function textOf({ hits }: RecalledRunbook): string {
  const sections = hits.slice(0, SECTIONS).map(({ document }) => documentText(document));
  return truncate(sections.join("\n\n"), TEXT_LENGTH);
}
