// Figures of the answers to reports with evidence. Pure functions.

import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import type { EvidenceCase } from "./evidence-cases.ts";

export interface EvidenceAnswer {
  readonly case: EvidenceCase;
  readonly outcome: TriageResult["outcome"];
  /** 0 to 1. */
  readonly confidence: number;
  readonly domain: string;
  readonly type: string;
  /** The source that the cause or the first candidate cites; null without one. */
  readonly runbook: string | null;
  readonly firstCause: string | null;
  /** Sources that the cause or the candidates cite. */
  readonly cited: readonly string[];
  /** Whether one of `cited` is right. */
  readonly isCitedRight: boolean;
  /** Whether the first cause is the right one; null without a right runbook or where it is not judged. */
  readonly isFirstCauseRight: boolean | null;
  /** Decisive fragments that no quote contains. */
  readonly unquoted: readonly string[];
  /** Statements of which no phrase occurs in the rendered answer. */
  readonly unsaid: readonly (readonly string[])[];
  /** Forbidden phrases in the summary or in a cause. */
  readonly forbidden: readonly string[];
}

export interface EvidenceFigures {
  readonly asked: number;
  readonly causeRight: number;
  readonly causeWrong: number;
  /** A right cause; without a right runbook, an answer that claims nothing; `benign` or `unknown` where nothing is wrong. */
  readonly fair: number;
  /** Answers with a right runbook and a right cause to compare, and those of them with it first. */
  readonly causesJudged: number;
  readonly firstCauseRight: number;
  readonly possibleRight: number;
  readonly possibleWrong: number;
  readonly unknown: number;
  readonly benign: number;
  /** Reports of a system that works, and those of them that are answered with a cause. */
  readonly healthy: number;
  readonly healthyAsCause: number;
  readonly lines: number;
  readonly linesQuoted: number;
  readonly statements: number;
  readonly statementsSaid: number;
  readonly forbidden: number;
}

/** Parts of an answer that are compared. */
export const PARTS = ["outcome", "runbook", "firstCause", "domain", "type"] as const;

export function changedParts(before: EvidenceAnswer, after: EvidenceAnswer): (typeof PARTS)[number][] {
  return PARTS.filter((part) => before[part] !== after[part]);
}

/** @param rendered the answer as text, as a person reads it @param cited sources that the cause or the candidates cite */
export function gradeAnswer(
  evidenceCase: EvidenceCase,
  result: TriageResult,
  { rendered, cited }: { readonly rendered: string; readonly cited: readonly string[] },
): EvidenceAnswer {
  const quotes = result.answer.evidence.flatMap(({ quote }) => (quote === null ? [] : [foldBlanks(quote)]));
  const text = foldBlanks(rendered);
  const { summary, likely_causes } = result.answer;
  const isCitedRight = cited.some((source) => evidenceCase.right.includes(source));
  const claims = foldBlanks([summary, ...likely_causes].map((statement) => statement.text).join("\n"));
  return {
    case: evidenceCase,
    outcome: result.outcome,
    confidence: result.confidence,
    domain: result.domain.name,
    type: result.incident_type.name,
    runbook: cited[0] ?? null,
    firstCause: likely_causes[0]?.text ?? null,
    cited,
    isCitedRight,
    isFirstCauseRight:
      evidenceCase.cause === null || result.outcome !== "cause" || !isCitedRight
        ? null
        : likely_causes[0]?.text.startsWith(evidenceCase.cause) === true,
    unquoted: evidenceCase.decisive.filter((line) => !quotes.some((quote) => quote.includes(foldBlanks(line)))),
    unsaid: evidenceCase.statements.filter((phrases) => !phrases.some((phrase) => contains(text, phrase))),
    forbidden: evidenceCase.forbidden.filter((phrase) => contains(claims, phrase)),
  };
}

export function evidenceFiguresOf(answers: readonly EvidenceAnswer[]): EvidenceFigures {
  const count = (test: (answer: EvidenceAnswer) => boolean) => answers.filter(test).length;
  const sum = (read: (answer: EvidenceAnswer) => number) => answers.reduce((all, each) => all + read(each), 0);
  const lines = sum((answer) => answer.case.decisive.length);
  const statements = sum((answer) => answer.case.statements.length);
  return {
    asked: answers.length,
    causeRight: count(isRightCause),
    causeWrong: count((answer) => answer.outcome === "cause" && !answer.isCitedRight),
    fair: count(isFair),
    causesJudged: count(({ isFirstCauseRight }) => isFirstCauseRight !== null),
    firstCauseRight: count(({ isFirstCauseRight }) => isFirstCauseRight === true),
    possibleRight: count(({ outcome, isCitedRight }) => outcome === "possible" && isCitedRight),
    possibleWrong: count(({ outcome, isCitedRight }) => outcome === "possible" && !isCitedRight),
    unknown: count(({ outcome }) => outcome === "unknown"),
    benign: count(({ outcome }) => outcome === "benign"),
    healthy: count((answer) => answer.case.outcome === "benign"),
    healthyAsCause: count((answer) => answer.case.outcome === "benign" && answer.outcome === "cause"),
    lines,
    linesQuoted: lines - sum(({ unquoted }) => unquoted.length),
    statements,
    statementsSaid: statements - sum(({ unsaid }) => unsaid.length),
    forbidden: sum(({ forbidden }) => forbidden.length),
  };
}

function isRightCause({ outcome, isCitedRight }: EvidenceAnswer): boolean {
  return outcome === "cause" && isCitedRight;
}

function isFair(answer: EvidenceAnswer): boolean {
  const { case: evidenceCase, outcome } = answer;
  if (evidenceCase.outcome === "benign") return outcome === "benign" || outcome === "unknown";
  if (evidenceCase.outcome === "abstain") return outcome !== "cause";
  if (evidenceCase.right.length === 0) return outcome === "unknown" || outcome === "possible";
  return isRightCause(answer);
}

/** A phrase that begins with `re:` is a regular expression. Case is ignored. */
function contains(text: string, phrase: string): boolean {
  if (phrase.startsWith("re:")) return new RegExp(phrase.slice("re:".length), "i").test(text);
  return text.toLowerCase().includes(foldBlanks(phrase).toLowerCase());
}

function foldBlanks(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
