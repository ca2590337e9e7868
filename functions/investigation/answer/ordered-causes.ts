// A runbook's causes, ordered by the lines of the report that speak for them. Pure functions.

import type { ErrorLine } from "../../../lib/logs/evidence.ts";
import { tokenize } from "../../../lib/text/tokenize.ts";
import type { Statement } from "../../schemas/answer.ts";
import { type Incident, searchText } from "../../schemas/incident.ts";
import { checksOf, checksOfCause, jointVerdict } from "../evidence/check-verdicts.ts";
import { itemsOf } from "../evidence/section-items.ts";
import type { Recall, RecalledRunbook } from "../recall/recall-result.ts";
import { explanationOf, matchSentence, type Quotation } from "./runbook-quotes.ts";

export interface OrderedCauses {
  /** Best first: confirmed ones, then by the report. Empty if a check refutes each listed cause. */
  readonly causes: readonly Statement[];
  /** How many of them a check confirms. */
  readonly confirmed: number;
  /** How many listed causes a check refutes. */
  readonly refuted: number;
  /** The index of each cause that a line speaks for, with that line. */
  readonly spokenFor: ReadonlyMap<number, ErrorLine>;
}

const MAX_CAUSES = 3;
/** Weight of the headline. Less than that of a clear error line: a title often names the symptom. */
const HEADLINE_WEIGHT = 0.5;
/** Minimum idf of a term that makes a line speak for a cause: at most about a quarter of the sections contain it. */
const MIN_DECISIVE_IDF = 1.35;

/**
 * Sorts by the terms that a cause shares with the error lines and the headline, then in the author's order. Causes that a check
 * confirms come first, and those that it refutes are left out. A term counts
 * with the square of its idf, so that one rare word outweighs several common ones.
 */
export function orderCauses(runbook: RecalledRunbook, incident: Incident, recall: Recall): OrderedCauses {
  const listed = itemsOf(runbook, "causes").map(({ item, section }): Quotation => ({ text: item.text, section }));
  if (listed.length === 0) return { causes: [unlistedCause(runbook)], confirmed: 0, refuted: 0, spokenFor: new Map() };
  const checks = checksOf(recall, runbook);
  const idf = createIdf(listed, runbook, recall);
  const sources = reportedTerms(incident);
  // Terms of the title apply to every cause in the runbook, so they favour none.
  const common = new Set(tokenize(runbook.title));
  const scored = listed.map(({ text, section }) => {
    const terms = [...new Set(tokenize(text))].filter((term) => !common.has(term));
    const own = checksOfCause(checks, text);
    return { text, section, terms, score: scoreOf(terms, sources, idf), own, verdict: jointVerdict(own) };
  });
  const isConfirmed = ({ verdict }: (typeof scored)[number]) => verdict === "confirmed";
  const best = scored
    .filter(({ verdict }) => verdict !== "refuted")
    .toSorted((a, b) => Number(isConfirmed(b)) - Number(isConfirmed(a)) || b.score - a.score)
    .slice(0, MAX_CAUSES);
  return {
    causes: best.map(({ text, section, own }) => ({
      text,
      citations: [
        section.id,
        ...own.filter(({ result }) => result.verdict === "confirmed").map(({ result }) => result.id),
      ],
      supported: true,
    })),
    confirmed: best.filter(isConfirmed).length,
    refuted: scored.filter(({ verdict }) => verdict === "refuted").length,
    spokenFor: new Map(
      best.flatMap(({ terms }, i) => {
        const line = speakingLine(terms, sources, idf);
        return line ? [[i, line] as const] : [];
      }),
    ),
  };
}

/** The cause of a runbook without a list of causes. */
function unlistedCause(runbook: RecalledRunbook): Statement {
  const explanation = explanationOf(runbook);
  if (explanation) return { text: explanation.text, citations: [explanation.section.id], supported: true };
  return { text: matchSentence(runbook), citations: runbook.sections.slice(0, 1).map(({ id }) => id), supported: true };
}

interface ReportedTerms {
  /** Null for the headline. */
  readonly line: ErrorLine | null;
  readonly weight: number;
  readonly terms: ReadonlySet<string>;
}

function reportedTerms(incident: Incident): ReportedTerms[] {
  return [
    ...incident.evidence.lines.map((line) => ({ line, weight: line.weight, terms: new Set(tokenize(line.text)) })),
    { line: null, weight: HEADLINE_WEIGHT, terms: new Set(tokenize(searchText(incident))) },
  ];
}

/** Each term counts once, with the highest weight of the parts of the report that contain it. */
function scoreOf(terms: readonly string[], sources: readonly ReportedTerms[], idf: Idf): number {
  return terms.reduce((sum, term) => {
    const weight = Math.max(0, ...sources.filter((source) => source.terms.has(term)).map((source) => source.weight));
    return sum + weight * idf(term) ** 2;
  }, 0);
}

/** The line that shares the most with a cause, and at least one decisive term. */
function speakingLine(terms: readonly string[], sources: readonly ReportedTerms[], idf: Idf): ErrorLine | undefined {
  const lines = sources.flatMap(({ line, weight, terms: reported }) => {
    const shared = terms.filter((term) => reported.has(term));
    const isDecisive = shared.some((term) => idf(term) >= MIN_DECISIVE_IDF);
    return line !== null && isDecisive
      ? [{ line, score: scoreOf(shared, [{ line, weight, terms: reported }], idf) }]
      : [];
  });
  return lines.toSorted((a, b) => b.score - a.score)[0]?.line;
}

type Idf = (term: string) => number;

/**
 * Inverse document frequency within the causes, the runbook's other sections, and the best section of each other recalled
 * text. Each cause is a document: a term of one cause among several decides between them.
 */
function createIdf(listed: readonly Quotation[], runbook: RecalledRunbook, { runbooks }: Recall): Idf {
  const ownSections = runbook.sections.filter((section) => listed.every((cause) => cause.section !== section));
  const others = runbooks.filter((other) => other !== runbook).flatMap(({ hits }) => hits.slice(0, 1));
  const bodies = [...ownSections, ...others.map(({ document }) => document)].map(({ body }) => body);
  const documents = [...listed.map(({ text }) => text), ...bodies];
  const counts = new Map<string, number>();
  for (const document of documents)
    for (const term of new Set(tokenize(document))) counts.set(term, (counts.get(term) ?? 0) + 1);
  return (term) => {
    const count = counts.get(term) ?? 0;
    return Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
  };
}
