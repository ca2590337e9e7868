// The extractive answer: quotes the best recalled runbook and past fixes. Every statement cites the text that it quotes.
// Pure functions.

import { commandEffect } from "../../command-safety/command-effect.ts";
import type { Look } from "../../knowledge/domains/domain-definition.ts";
import { withoutOverlap } from "../../retrieval/chunking/chunk-markdown.ts";
import { errorLines } from "../../retrieval/text/error-lines.ts";
import { firstParagraph } from "../../retrieval/text/markdown-sections.ts";
import { parseRunbookItems, type RunbookItem } from "../../retrieval/text/runbook-items.ts";
import { type SectionRole, sectionRole } from "../../retrieval/text/section-role.ts";
import { tokenize } from "../../retrieval/text/tokenize.ts";
import { type Incident, type Resolution, truncate } from "../../schemas/incident.ts";
import type { InjectionCategory } from "../../schemas/injection-category.ts";
import { type Answer, EMPTY_ANSWER, type Evidence, type Statement, type Step } from "../../schemas/triage-result.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import { kindOf, type Recall, type RecalledIncident, type RecalledRunbook } from "../recall/recall-result.ts";
import type { FinalAnswer } from "./final-answer.ts";

/** Fields that are the same in every extractive answer. */
const EXTRACTIVE = { mode: "extractive", removed: { citations: 0, links: 0, statements: 0 }, critique: null } as const;

const MAX_CAUSES = 3;
const MAX_STEPS = 5;
const MAX_PREVENTION = 3;
/** The best runbooks, one of which may be the answer. A lower one with more words in common is about something else. */
const MAX_SOURCES = 3;
const MAX_PAST_INCIDENTS = 5;
const MAX_LOGS = 2;
/** A runbook takes precedence over a note with a higher grounding if the difference is at most this. */
const RUNBOOK_TOLERANCE = 0.1;
/** Characters of a quoted paragraph. A note may be one long paragraph. */
const QUOTED_LENGTH = 600;
const LOG_LINE_LENGTH = 240;

export interface ExtractiveOptions {
  /** Grounding from which a text is relevant, 0 to 1. */
  readonly threshold: number;
  /** First looks for an unknown cause. */
  readonly looks?: readonly Look[] | undefined;
}

/** Quotes the recalled texts; outcome `unknown` if none is relevant enough. */
export function createExtractiveAnswer(
  incident: Incident,
  recall: Recall,
  { threshold, looks = [] }: ExtractiveOptions,
): FinalAnswer {
  const relevantRunbook = bestSource(recall, threshold);
  const evidence = logEvidence(recall, threshold);
  const relevant = relevantIncidents(recall, threshold);
  const worked_before = relevant.slice(0, MAX_PAST_INCIDENTS).map(describePastIncident);
  const fixes = relevant.slice(0, MAX_PAST_INCIDENTS).filter(isFixed);

  if (!relevantRunbook) {
    const hasFix = fixes.length > 0;
    return {
      ...EXTRACTIVE,
      outcome: hasFix ? "cause" : "unknown",
      confidence: hasFix
        ? Math.max(...fixes.map(({ relevance }) => relevance.probability))
        : Math.max(0, ...recall.runbooks.filter(explains).map(({ relevance }) => relevance.probability)),
      answer: {
        ...EMPTY_ANSWER,
        evidence,
        summary: hasFix
          ? {
              text: "No runbook covers this, but the same kind of incident was fixed before.",
              citations: fixes.map(({ hit }) => hit.document.id),
            }
          : {
              text: unknownSummary(incident, recall, relevant.length),
              citations: relevant.slice(0, MAX_PAST_INCIDENTS).map(({ hit }) => hit.document.id),
            },
        worked_before,
        look_next: hasFix ? [] : looks.map(lookStep),
      },
    };
  }

  const reportTerms = new Set(
    tokenize([incident.title, incident.question ?? "", ...errorLines(incident.logs ?? "")].join("\n")),
  );
  return {
    ...EXTRACTIVE,
    outcome: "cause",
    confidence: Math.max(relevantRunbook.relevance.probability, ...fixes.map(({ relevance }) => relevance.probability)),
    answer: {
      ...EMPTY_ANSWER,
      summary: summarise(relevantRunbook),
      evidence,
      likely_causes: likelyCauses(relevantRunbook, reportTerms),
      confirm: steps(relevantRunbook, "confirm"),
      mitigate: steps(relevantRunbook, "mitigate"),
      worked_before,
      prevention: itemsOf(relevantRunbook, "prevent")
        .slice(0, MAX_PREVENTION)
        .map(({ item, section }) => ({ text: item.text, citations: [section.id], supported: true })),
    },
  };
}

/** The answer to a heartbeat or test alert: certain, and without a search. */
export function createBenignAnswer(reason: string): FinalAnswer {
  const summary = { text: `No incident: ${reason}.`, citations: [] };
  return { ...EXTRACTIVE, outcome: "benign", confidence: 1, answer: { ...EMPTY_ANSWER, summary } };
}

/** Past incidents with their fixes, taken from the records: the precedents first, then all relevant ones. */
export function workedBefore(recall: Recall, threshold: number, precedents: readonly string[]): Statement[] {
  const named = precedents.flatMap((id) => recall.incidents.find(({ hit }) => hit.document.id === id) ?? []);
  return [...new Set([...named, ...relevantIncidents(recall, threshold)])]
    .slice(0, MAX_PAST_INCIDENTS)
    .map(describePastIncident);
}

/** A first look as a step of an answer. */
export function lookStep({ text, command }: Look): Step {
  const effect = command === null ? null : "read_only";
  return { text, command, effect, undo: null, citations: [], supported: false };
}

/** The refusal of a question that tries to instruct a model, with confidence 0. */
export function createBlockedAnswer(category: InjectionCategory): FinalAnswer {
  const text = `This question was not answered: it looks like an instruction to a model (${category}). Ask what is wrong in other words.`;
  const summary = { text, citations: [] };
  return {
    ...EXTRACTIVE,
    outcome: "unknown",
    confidence: 0,
    answer: { ...EMPTY_ANSWER, summary },
  };
}

/** The best relevant source that explains a cause; a curated runbook before a note that is about as well grounded. */
function bestSource(recall: Recall, threshold: number): RecalledRunbook | undefined {
  const candidates = recall.runbooks.filter(explains).slice(0, MAX_SOURCES);
  const relevant = candidates.filter(({ relevance }) => relevance.probability >= threshold);
  const [best] = relevant;
  const curated = relevant.find((runbook) => kindOf(runbook) === "runbook");
  return curated && best && curated.relevance.probability >= best.relevance.probability - RUNBOOK_TOLERANCE
    ? curated
    : best;
}

/** False for a log: it shows a failure without its cause. */
function explains(runbook: RecalledRunbook): boolean {
  return kindOf(runbook) !== "log";
}

function logEvidence(recall: Recall, threshold: number): Evidence[] {
  return recall.runbooks
    .filter((runbook) => !explains(runbook) && runbook.relevance.probability >= threshold)
    .slice(0, MAX_LOGS)
    .flatMap(({ source, hits: [best] }): Evidence[] => {
      if (!best) return [];
      const { id, body, headingPath } = best.document;
      const when = headingPath.length > 0 ? ` (${headingPath.join(" › ")})` : "";
      const line = truncate(errorLines(body).at(-1) ?? body.split("\n", 1)[0] ?? "", LOG_LINE_LENGTH);
      return [{ text: `The log "${source}"${when} shows: ${line}`, quote: null, citations: [id], supported: true }];
    });
}

/** Fixed incidents first; otherwise in the order of the recall. */
function relevantIncidents(recall: Recall, threshold: number): RecalledIncident[] {
  const incidents = recall.incidents.filter(({ relevance }) => relevance.probability >= threshold);
  return incidents.toSorted((a, b) => Number(isFixed(b)) - Number(isFixed(a)));
}

function isFixed({ hit }: RecalledIncident): boolean {
  return hit.observation.resolution !== null;
}

function unknownSummary(incident: Incident, recall: Recall, similar: number): string {
  const runbooks =
    recall.runbooks.length === 0 ? "no runbook was recalled" : "no recalled runbook is close enough to this";
  const incidents =
    similar === 0 ? "no past incident resembles it" : "a similar incident is on record, but without a fix";
  return (
    `Unknown: ${runbooks}${searchedIn(incident, recall)}, and ${incidents}. ` +
    "Add logs or the exact error message to ask again."
  );
}

/** The searched domains, where the search was limited. */
function searchedIn({ domain }: Incident, { lookedFurther }: Recall): string {
  if (!domain.limitsSearch) return "";
  return lookedFurther ? ` in the ${domain.name} domain or in any other` : ` in the ${domain.name} domain`;
}

function summarise(runbook: RecalledRunbook): Answer["summary"] {
  const opening = runbook.sections.find((section) => section.headingPath.length === 0);
  const sentence = opening && quotedParagraph(opening.body);
  if (opening && sentence !== undefined) {
    // The title of a plain text file is its first line.
    const text = sentence.startsWith(runbook.title) ? sentence : `${runbook.title}. ${sentence}`;
    return { text, citations: [opening.id] };
  }
  return {
    text: `This matches the ${kindOf(runbook)} "${runbook.title}".`,
    citations: runbook.sections.slice(0, 1).map(({ id }) => id),
  };
}

/** Sorted by the number of terms shared with the incident, then in the author's order. */
function likelyCauses(runbook: RecalledRunbook, reportTerms: ReadonlySet<string>): Statement[] {
  // Terms of the title apply to every cause in the runbook, so they favour none.
  const common = new Set(tokenize(runbook.title));
  const causes = itemsOf(runbook, "causes").map(({ item, section }) => ({
    statement: { text: item.text, citations: [section.id], supported: true },
    overlap: new Set(tokenize(item.text).filter((term) => reportTerms.has(term) && !common.has(term))).size,
  }));
  if (causes.length > 0) {
    return causes
      .sort((a, b) => b.overlap - a.overlap)
      .slice(0, MAX_CAUSES)
      .map(({ statement }) => statement);
  }
  // A runbook without a list of causes still explains the alert.
  const best = runbook.hits[0]?.document;
  const text = best && quotedParagraph(best.body);
  return best && text !== undefined ? [{ text, citations: [best.id], supported: true }] : [];
}

function quotedParagraph(body: string): string | undefined {
  const paragraph = firstParagraph(body);
  return paragraph === undefined ? undefined : truncate(paragraph, QUOTED_LENGTH);
}

function steps(runbook: RecalledRunbook, role: SectionRole): Step[] {
  return itemsOf(runbook, role)
    .slice(0, MAX_STEPS)
    .map(({ item, section }) => ({
      text: item.text,
      command: item.command,
      effect: item.effect ?? (item.command === null ? null : commandEffect(item.command)),
      undo: item.undo,
      citations: [section.id],
      supported: true,
    }));
}

function itemsOf(runbook: RecalledRunbook, role: SectionRole): { item: RunbookItem; section: SearchDocument }[] {
  return runbook.sections
    .filter((section) => sectionRole(section.headingPath) === role)
    .flatMap((section, i, sections) => {
      const before = sections[i - 1];
      const body = before && continues(section, before) ? withoutOverlap(section.body, before.body) : section.body;
      return parseRunbookItems(body).map((item) => ({ item, section }));
    });
}

function continues(section: SearchDocument, before: SearchDocument): boolean {
  const sameSection =
    section.source === before.source && section.headingPath.join("\n") === before.headingPath.join("\n");
  return sameSection && section.chunkIndex === (before.chunkIndex ?? 0) + 1;
}

/** Date, occurrences, fix with its author, superseded fixes, and score. */
function describePastIncident({ hit }: RecalledIncident): Statement {
  const { title, target, occurrences, firstSeenAt, lastSeenAt, resolution, superseded } = hit.observation;
  const where = target === null ? "" : ` on ${target}`;
  const often = occurrences > 1 ? `, ${occurrences} times since ${day(firstSeenAt)}` : "";
  const how = resolution === null ? "No fix was recorded." : `Fixed by: ${describeFix(resolution)}`;
  const former = superseded.map((fix) => ` Superseded: ${describeFix(fix)}`).join("");
  return {
    text: `${day(lastSeenAt)} "${title}"${where}${often}. ${how}${former} [score ${hit.score.toFixed(2)}]`,
    citations: [hit.document.id],
    supported: true,
  };
}

function describeFix({ text, by, at }: Resolution): string {
  return `${text} (${by ? `${by}, ` : ""}${day(at)})`;
}

function day(time: Date): string {
  return time.toISOString().slice(0, 10);
}
