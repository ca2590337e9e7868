// The recalled texts that an answer may cite, each with a short name for the prompt. Pure functions.

import type { CheckResult } from "../../../lib/checks/check.ts";
import type { Config } from "../../config.ts";
import { textKindOf } from "../../knowledge/text-documents.ts";
import type { Observation } from "../../memory/observation.ts";
import { type Incident, isBareQuestion } from "../../schemas/incident.ts";
import type { HybridHit } from "../../search-index/hybrid-search.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import { kindOf, type Recall, type RecalledRunbook, type RunCheck } from "../recall/recall-result.ts";
import type { Likeness } from "../relevance/likeness.ts";
import type { Relevance } from "../relevance/relevance.ts";
import { checkSentence, isRuledOut } from "./check-verdicts.ts";

interface Citable {
  /** Name in prompts and drafts: R1, R2, … for runbook sections, I1, I2, … for past incidents, C1, C2, … for checks. */
  readonly name: string;
  readonly document: SearchDocument;
  /** That of its runbook, for a section or a check. */
  readonly relevance: Relevance;
}

/** What an answer may take from a section. */
export interface RunbookStanding {
  /** Whether a check refutes the whole runbook. */
  readonly isRuledOut: boolean;
  /** Whether its topic is the one that was found in its text. The steps of other topics are not shown. */
  readonly isFound: boolean;
}

export type CitableText =
  | (Citable & RunbookStanding & { readonly kind: "runbook" })
  | (Citable & { readonly kind: "check"; readonly check: RunCheck })
  | (Citable & { readonly kind: "incident"; readonly observation: Observation; readonly likeness: Likeness });

/**
 * The ranked sections, all other sections of the best topic, and the past incidents. Without the whole runbook, a
 * model that sees only the symptoms would invent the steps. Sections of one runbook are in document order.
 */
export function citableTexts(recall: Recall, config: Pick<Config, "RUNBOOK_RECALL_LIMIT">): CitableText[] {
  const shown = new Set(rankedHits(recall, config).map(({ hit }) => hit.document.id));
  const best = recall.runbooks.find((runbook) => kindOf(runbook) === "runbook");
  for (const section of best?.sections ?? []) shown.add(section.id);
  const sections = recall.runbooks.flatMap((runbook) => {
    const { relevance, sections } = runbook;
    const standing = { relevance, isRuledOut: isRuledOut(recall, runbook), isFound: isFoundTopic(runbook, recall) };
    return sections.filter(({ id }) => shown.has(id)).map((document) => ({ document, ...standing }));
  });
  return [
    ...sections.map((section, i): CitableText => ({ name: `R${i + 1}`, kind: "runbook", ...section })),
    ...recall.incidents.map(
      ({ hit, relevance, likeness }, i): CitableText => ({
        name: `I${i + 1}`,
        kind: "incident",
        document: hit.document,
        observation: hit.observation,
        likeness,
        relevance,
      }),
    ),
    ...citableChecks(recall),
  ];
}

/** Whether no other topic of the same text is more probable. An overview is about no failure. */
function isFoundTopic({ source, isOverview, relevance }: RecalledRunbook, { runbooks }: Recall): boolean {
  const others = runbooks.filter((other) => other.source === source && !other.isOverview);
  return !isOverview && others.every((other) => other.relevance.probability <= relevance.probability);
}

/** The checks that have a result. */
function citableChecks({ checks, runbooks }: Recall): CitableText[] {
  const ran = checks.flatMap((check) => {
    const runbook = runbooks.find(({ sections }) => sections.some(({ id }) => check.result.citations.includes(id)));
    return runbook && check.result.verdict !== "not_run" ? [{ check, runbook }] : [];
  });
  return ran.map(({ check, runbook }, i) => ({
    name: `C${i + 1}`,
    kind: "check",
    check,
    document: documentOfCheck(check.result, runbook),
    relevance: runbook.relevance,
  }));
}

/** The result as a text that can be cited. */
function documentOfCheck(result: CheckResult, { title, sections }: RecalledRunbook): SearchDocument {
  return {
    id: result.id,
    source: null,
    chunkIndex: null,
    title,
    headingPath: [],
    body: checkSentence(result),
    metadata: {},
    writtenAt: new Date(result.checked_at ?? sections[0]?.writtenAt ?? 0),
  };
}

/** The number of shown sections: fewer for a bare question than for a report. */
export function limitFor(
  incident: Incident,
  { TOP_K, RUNBOOK_RECALL_LIMIT }: Pick<Config, "RUNBOOK_RECALL_LIMIT" | "TOP_K">,
): Pick<Config, "RUNBOOK_RECALL_LIMIT"> {
  return { RUNBOOK_RECALL_LIMIT: isBareQuestion(incident) ? TOP_K : RUNBOOK_RECALL_LIMIT };
}

/**
 * The best sections, and those of the most probable texts. At most half of the best are notes, logs and postmortems, so that
 * they do not displace a fitting runbook. One runbook has at most half of them, rounded up, while others have some: a long
 * one would hide the next best.
 */
export function rankedHits(
  recall: Recall,
  { RUNBOOK_RECALL_LIMIT: limit }: Pick<Config, "RUNBOOK_RECALL_LIMIT">,
): RankedHit[] {
  const hits = recall.runbooks.flatMap((runbook) => runbook.hits.map((hit, place) => ({ hit, runbook, place })));
  // A reranker orders runbooks, not sections: the best section of each runbook comes first, then the second best.
  const ranked = hits.sort((a, b) => (recall.reranking ? a.place - b.place : b.hit.score - a.hit.score));
  const isCurated = ({ hit }: { readonly hit: HybridHit }) => textKindOf(hit.document) === "runbook";
  const others = new Set(ranked.filter((each) => !isCurated(each)).slice(0, Math.max(1, Math.floor(limit / 2))));
  const allowed = ranked.filter((each) => isCurated(each) || others.has(each));
  const counts = new Map<RecalledRunbook, number>();
  const isWithinShare = ({ runbook }: { readonly runbook: RecalledRunbook }) => {
    const count = (counts.get(runbook) ?? 0) + 1;
    counts.set(runbook, count);
    return count <= Math.ceil(limit / 2);
  };
  const shared = new Set(allowed.filter(isWithinShare));
  const excess = allowed.filter((each) => !shared.has(each));
  const chosen = [...shared, ...excess].slice(0, limit);
  const probable = mostProbable(allowed, chosen).slice(0, limit);
  const shown = new Set([...chosen.slice(0, limit - probable.length), ...probable]);
  return allowed.filter((each) => shown.has(each));
}

interface RankedHit {
  readonly hit: HybridHit;
  readonly runbook: RecalledRunbook;
}

/** The texts that an answer may rest on. */
const MAX_PROBABLE = 3;

/** The best sections of the most probable texts that are not chosen and are more probable than a chosen one. */
function mostProbable<T extends RankedHit>(allowed: readonly T[], chosen: readonly T[]): T[] {
  const probabilityOf = ({ runbook }: T) => runbook.relevance.probability;
  const sources = new Set(chosen.map(({ runbook }) => runbook));
  const lowest = Math.min(...chosen.map(probabilityOf));
  const firsts = allowed.filter(({ runbook }, i) => allowed.findIndex((each) => each.runbook === runbook) === i);
  return firsts
    .filter(({ runbook }) => kindOf(runbook) !== "log")
    .toSorted((a, b) => probabilityOf(b) - probabilityOf(a))
    .slice(0, MAX_PROBABLE)
    .filter((each) => !sources.has(each.runbook) && probabilityOf(each) > lowest);
}
