// The extractive answer: chooses the outcome by the probabilities of the recalled texts, and quotes the best runbook and past
// fixes. Every statement cites the text that it quotes. Pure functions.

import { stepEffect } from "../../../lib/commands/step-effect.ts";
import { isProven } from "../../answer-view/past-incident-text.ts";
import { percentOf } from "../../answer-view/percent.ts";
import type { Look } from "../../knowledge/domains/domain-definition.ts";
import { type Answer, EMPTY_ANSWER, type PossibleCause, type Statement, type Step } from "../../schemas/answer.ts";
import type { Incident } from "../../schemas/incident.ts";
import {
  checksOf,
  decidedChecks,
  isRuledOut,
  ruledOutBy,
  runbookVerdict,
  withoutStop,
} from "../evidence/check-verdicts.ts";
import {
  type Recall,
  type RecalledIncident,
  type RecalledRunbook,
  type RunCheck,
  reaches,
  sameFailureFrom,
} from "../recall/recall-result.ts";
import { type Candidate, rankCandidates } from "./candidates.ts";
import { statementKey, withDistinctStatements } from "./distinct-statements.ts";
import { EXTRACTIVE, type FinalAnswer } from "./final-answer.ts";
import { createHealthyAnswer } from "./fixed-answers.ts";
import { orderCauses, orderSteps } from "./ordered-causes.ts";
import { nameOf, type Thresholds, workedBefore } from "./past-incidents.ts";
import { MAX_POSSIBLE, possibleCauses, summaryOfCandidates } from "./possible-causes.ts";
import { logEvidence, reportEvidence, stateEvidence } from "./report-evidence.ts";
import { descriptionOf, matchSentence, mitigationsOf, openChecks, preventionOf } from "./runbook-quotes.ts";

export interface ExtractiveOptions {
  readonly thresholds: Thresholds;
  /** First looks for an unknown cause. */
  readonly looks?: readonly Look[] | undefined;
}

/** What the parts of an answer are made of. */
interface Material {
  readonly thresholds: Thresholds;
  readonly looks: readonly Look[];
  readonly incident: Incident;
  readonly recall: Recall;
  /** Best first. */
  readonly candidates: readonly Candidate[];
}

/** Quotes the recalled texts. Only a candidate that reaches a threshold is part of the answer. */
export function createExtractiveAnswer(
  incident: Incident,
  recall: Recall,
  { thresholds, looks = [] }: ExtractiveOptions,
): FinalAnswer {
  const material = { incident, recall, thresholds, looks, candidates: rankCandidates(recall) };
  const finalAnswer = createHealthyAnswer(incident) ?? answerFrom(material);
  const answer = { ...finalAnswer.answer, ruled_out: ruledOutBy(recall) };
  return { ...finalAnswer, answer: withDistinctStatements(answer) };
}

function answerFrom(material: Material): FinalAnswer {
  const { incident, candidates, thresholds } = material;
  if (incident.evidence.state?.name === "nothing_found") return nothingFoundAnswer(material);
  const likely = candidates.filter(
    (candidate) =>
      reaches(candidate.recalled, answersFrom(candidate, thresholds)) && mayStateCause(candidate, material),
  );
  const [lead] = likely;
  if (lead) return causeAnswer(material, lead, likely);
  const possible = possibleAmong(material);
  const isPossible = possible.length > 0 || material.recall.namedCause !== null;
  return isPossible ? possibleAnswer(material, possible) : unknownAnswer(material);
}

/** The most probable candidates that are possible. */
function possibleAmong({ candidates, thresholds }: Material): Candidate[] {
  return candidates
    .filter(({ recalled }) => reaches(recalled, thresholds.POSSIBLE_THRESHOLD))
    .toSorted((a, b) => b.recalled.relevance.probability - a.recalled.relevance.probability)
    .slice(0, MAX_POSSIBLE);
}

function runbooksAmong(candidates: readonly Candidate[]): RecalledRunbook[] {
  return candidates.flatMap((candidate) => (candidate.kind === "runbook" ? [candidate.recalled] : []));
}

function answersFrom({ kind }: Candidate, thresholds: Thresholds): number {
  return kind === "incident" ? sameFailureFrom(thresholds) : thresholds.ANSWER_THRESHOLD;
}

/** False if the failure may be over, for the overview of a text, for a runbook whose checks contradict each other, and for one of which checks refute causes, and neither a check nor a line of the report speaks for another. */
function mayStateCause(candidate: Candidate, { incident, recall }: Material): boolean {
  if (incident.evidence.mayBeOver === true) return false;
  if (candidate.kind === "incident") return true;
  if (candidate.recalled.isOverview) return false;
  const verdict = runbookVerdict(recall, candidate.recalled);
  const { causes, refuted, speaking } = orderCauses(candidate.recalled, incident, recall);
  if (verdict === "conflicting" || (causes.length === 0 && refuted > 0)) return false;
  return verdict === "confirmed" || refuted === 0 || speaking !== undefined;
}

/** A first look as a step of an answer. Its author declares that the command only reads, unless one is known to change state. */
export function lookStep({ text, command }: Look): Step {
  const ownEffect = stepEffect({ text, command });
  const effect = ownEffect === "unverified" && command !== null ? "read_only" : ownEffect;
  return { text, command, effect, undo: null, citations: [], supported: false, from_source: true };
}

/** @param likely the candidates that are probable enough for a cause; the best is the lead */
function causeAnswer(material: Material, lead: Candidate, likely: readonly Candidate[]): FinalAnswer {
  const { incident, recall, thresholds } = material;
  const worked_before = workedBefore(incident, recall, { thresholds });
  const runbook = likely.flatMap((candidate) => (candidate.kind === "runbook" ? [candidate.recalled] : []))[0];
  const ordered = runbook && orderCauses(runbook, incident, recall);
  const decidedCause = ordered?.orderedBy === "report" ? ordered.causes[0] : undefined;
  const fixes = worked_before.filter((fix) => fix.same_failure).flatMap(({ citations }) => citations);
  const precedent = lead.kind === "incident" ? lead.recalled : undefined;
  const summary = runbook
    ? withPrecedent(withConfirmation(summarise(runbook, ordered?.causes ?? []), checksOf(recall, runbook)), precedent)
    : { text: `${uncovered(recall)}, but the same kind of incident was fixed before.`, citations: fixes };
  return {
    ...EXTRACTIVE,
    outcome: "cause",
    confidence: lead.recalled.relevance.probability,
    answer: {
      ...EMPTY_ANSWER,
      summary,
      evidence: [...reportEvidence(incident, ordered), ...logEvidence(recall, thresholds.POSSIBLE_THRESHOLD)],
      likely_causes: [...namedCause(recall), ...(ordered?.causes ?? [])],
      // A fix does not remove what a runbook may say, unless it has held often enough.
      possible_causes:
        runbook || isProven(worked_before[0]?.fix ?? null)
          ? []
          : possibleCauses(runbooksAmong(possibleAmong(material)), incident, recall),
      causes_ordered_by: recall.namedCause && ordered ? "report" : (ordered?.orderedBy ?? null),
      confirm: runbook ? openChecks(runbook, recall) : [],
      mitigate: runbook ? mitigationsOf(orderSteps(runbook, "mitigate", { incident, cause: decidedCause })) : [],
      worked_before,
      prevention: runbook ? preventionOf(runbook) : [],
    },
  };
}

/** The cause that a person named for the same failure. */
export function namedCause(recall: Recall): Statement[] {
  const named = recall.namedCause;
  if (named === null) return [];
  const isShown = recall.incidents.some(({ hit }) => hit.observation.id === named.record);
  const by = named.by === null ? "" : `, as ${named.by} corrected it`;
  return [{ text: `${withoutStop(named.text)}${by}`, citations: isShown ? [named.record] : [], supported: true }];
}

/** The same as a possible cause. */
export function namedPossibleCause(recall: Recall): PossibleCause[] {
  const { title = "", probability = 0 } = recall.namedCause ?? {};
  return namedCause(recall).map(({ text, citations }) => ({ text, citations, title, probability, confirm: [] }));
}

function uncovered(recall: Recall): string {
  const ruledOut = recall.runbooks.find((runbook) => isRuledOut(recall, runbook));
  return ruledOut ? `A check rules out the runbook "${ruledOut.title}"` : "No runbook covers this";
}

/** Title and description. A description that is also a cause is left to the causes. */
function summarise(runbook: RecalledRunbook, causes: readonly Statement[]): Answer["summary"] {
  const { title, sections } = runbook;
  const description = descriptionOf(runbook);
  const opening = sections.slice(0, 1).map(({ id }) => id);
  const isCause = (text: string) => causes.some((cause) => statementKey(cause.text) === statementKey(text));
  if (description && !isCause(description.text)) {
    const { text, section } = description;
    const isTitled = `${statementKey(text)} `.startsWith(`${statementKey(title)} `);
    return { text: isTitled ? text : `${title}. ${text}`, citations: [section.id] };
  }
  return { text: matchSentence(runbook), citations: opening };
}

/** Adds what the checks confirmed. */
function withConfirmation(summary: Answer["summary"], checks: readonly RunCheck[]): Answer["summary"] {
  const confirmed = decidedChecks(checks).filter(({ result }) => result.verdict === "confirmed");
  if (confirmed.length === 0) return summary;
  const statements = confirmed.map(({ result }) => withoutStop(result.statement));
  return {
    text: `${summary.text} Confirmed: ${statements.join("; ")}.`,
    citations: [...summary.citations, ...confirmed.map(({ result }) => result.id)],
  };
}

function withPrecedent(summary: Answer["summary"], precedent: RecalledIncident | undefined): Answer["summary"] {
  if (precedent === undefined) return summary;
  return {
    text: `The past incident ${nameOf(precedent)} was fixed and is the nearest. ${summary.text}`,
    citations: [precedent.hit.document.id, ...summary.citations],
  };
}

/** Names the candidates and claims nothing. */
function possibleAnswer(material: Material, candidates: readonly Candidate[]): FinalAnswer {
  const { incident, recall, thresholds, looks } = material;
  const { title = "", probability = 0 } = recall.namedCause ?? {};
  const possible_causes = [
    ...namedPossibleCause(recall),
    ...possibleCauses(runbooksAmong(candidates), incident, recall),
  ];
  const hasChecks = possible_causes.some(({ confirm }) => confirm.length > 0);
  return {
    ...EXTRACTIVE,
    outcome: "possible",
    confidence: candidates[0]?.recalled.relevance.probability ?? probability,
    answer: {
      ...EMPTY_ANSWER,
      summary:
        candidates.length > 0
          ? summaryOfCandidates(candidates)
          : { text: `Possible: the past incident "${title}" (${percentOf(probability)}).`, citations: [] },
      evidence: [...reportEvidence(incident), ...logEvidence(recall, thresholds.POSSIBLE_THRESHOLD)],
      possible_causes,
      worked_before: workedBefore(incident, recall, { thresholds }),
      look_next: hasChecks ? [] : looks.map(lookStep),
    },
  };
}

/** Claims nothing. Relevant past incidents have no fix: with one, they would be candidates. Only the same failure is shown. */
function unknownAnswer({ incident, recall, thresholds, looks, candidates }: Material): FinalAnswer {
  const worked_before = workedBefore(incident, recall, { thresholds });
  const similar = recall.incidents.filter((each) => reaches(each, thresholds.POSSIBLE_THRESHOLD));
  return {
    ...EXTRACTIVE,
    outcome: "unknown",
    confidence: Math.max(0, ...candidates.map(({ recalled }) => recalled.relevance.probability)),
    answer: {
      ...EMPTY_ANSWER,
      summary: {
        text: unknownSummary(incident, recall, similar.length),
        citations: worked_before.flatMap(({ citations }) => citations),
      },
      evidence: [...reportEvidence(incident), ...logEvidence(recall, thresholds.POSSIBLE_THRESHOLD)],
      worked_before,
      look_next: looks.map(lookStep),
    },
  };
}

function nothingFoundAnswer({ incident, looks }: Material): FinalAnswer {
  return {
    ...EXTRACTIVE,
    outcome: "unknown",
    confidence: 0,
    answer: {
      ...EMPTY_ANSWER,
      summary: { text: nothingFoundSummary(incident), citations: [] },
      evidence: [...stateEvidence(incident), ...reportEvidence(incident)],
      look_next: looks.map(lookStep),
    },
  };
}

/** @param similar number of relevant past incidents, none of which has a fix */
function unknownSummary(incident: Incident, recall: Recall, similar: number): string {
  const [ruledOut] = recall.runbooks.filter((runbook) => isRuledOut(recall, runbook));
  const covers = ruledOut ? `a check rules out the runbook "${ruledOut.title}"` : "no recalled runbook covers this";
  const runbooks = recall.runbooks.length === 0 ? "no runbook was recalled" : covers;
  const incidents =
    similar === 0 ? "no past incident resembles it" : "a similar incident is on record, but without a fix";
  const advice = recall.runbooksLoading
    ? ["Runbooks may be missing or still loading: report it again in a minute."]
    : missingInputs(incident);
  return [`Unknown: ${runbooks}${searchedIn(incident, recall)}, and ${incidents}.`, ...advice].join(" ");
}

/** The summary where the query for evidence returned nothing. */
function nothingFoundSummary(incident: Incident): string {
  const quote = incident.evidence.state?.quote ?? "";
  return [
    `Unknown: the evidence holds nothing: "${quote}".`,
    "Attach the state, the events or the logs of the affected object.",
    ...(incident.target === null ? ["Which object is affected? Name it, and where it runs."] : []),
  ].join(" ");
}

/** What the report lacks, in sentences. */
function missingInputs({ target, labels, logs, evidence }: Incident): string[] {
  const isUnplaced = target === null && Object.keys(labels).length === 0 && logs === null;
  const logsText =
    logs === null ? "logs" : evidence.lines.length === 0 ? "logs that show the failure" : "more of the logs";
  return [
    `Add ${logsText} or the exact error message to ask again.`,
    ...(isUnplaced ? ["Name the affected service, host or object."] : []),
  ];
}

/** The searched domains, where the search was limited. */
function searchedIn({ domain }: Incident, { lookedFurther }: Recall): string {
  if (!domain.limitsSearch) return "";
  return lookedFurther ? ` in the ${domain.name} domain or in any other` : ` in the ${domain.name} domain`;
}
