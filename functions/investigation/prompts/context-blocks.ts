// Data part of the prompts: recalled texts, session, report, logs. The part that changes least comes first.

import type { ErrorLine } from "../../../lib/logs/evidence.ts";
import { trimLog } from "../../../lib/logs/trim-log.ts";
import { liveEvidenceText } from "../../answer-view/live-evidence-text.ts";
import { cameBack, didNotHelpSentence, likenessLines, proofOf } from "../../answer-view/past-incident-text.ts";
import type { SessionTurn } from "../../incidents/run-records.ts";
import { textKindOf } from "../../knowledge/text-documents.ts";
import { type Incident, truncate } from "../../schemas/incident.ts";
import type { LiveEvidence } from "../../schemas/live-evidence.ts";
import { failedActions, shownFix } from "../../schemas/past-incident.ts";
import type { CitableText } from "../evidence/citable-texts.ts";
import { recordedFixes } from "../evidence/recalled-hits.ts";
import type { Recall } from "../recall/recall-result.ts";
import { dataBlock } from "./data-block.ts";

export interface ReportMaterial {
  /** Earlier turns of the session, oldest first. */
  readonly turns: readonly SessionTurn[];
  /** Characters of the log. */
  readonly logLength: number;
}

/** Characters of all labels together, and of one past answer. */
const LABELS_LENGTH = 4_000;
const TURN_LENGTH = 1_200;
const OBSERVED_LENGTH = 6_000;
/** Characters of one error line. */
const ERROR_LINE_LENGTH = 1_000;

/** @param fingerprint of the report; it chooses among the fixes of a past incident */
export function textBlocks(texts: readonly CitableText[], fingerprint: string | null = null): string {
  if (texts.length === 0) return "(No runbook and no past incident was recalled.)";
  const runbooks = texts.flatMap((text) => (text.kind === "runbook" ? [runbookBlock(text)] : []));
  const incidents = texts.flatMap((text) => (text.kind === "incident" ? [incidentBlock(text, fingerprint)] : []));
  const checks = texts.flatMap((text) => (text.kind === "check" ? [checkBlock(text)] : []));
  return [...runbooks, ...checks, ...(incidents.length > 0 ? [PRIOR_WORK, ...incidents] : [])].join("\n");
}

const PRIOR_WORK = "Prior work on related topics:";

/** Past answers and the procedure: hints without an id, so that no statement can cite them. */
export function hintBlocks(
  { pastAnswers, procedure }: Pick<Recall, "pastAnswers" | "procedure">,
  turns: readonly SessionTurn[],
): string {
  // The session block already holds the session's own turns; a turn has the question without its title.
  const isInSession = (pastQuestion: string) =>
    turns.some(({ question }) => pastQuestion === question || pastQuestion.endsWith(`: ${question}`));
  const questions = pastAnswers
    .filter(({ question }) => !isInSession(question))
    .map(({ question, answer, createdAt, rating }) =>
      dataBlock("past_question", `Q: ${question}\nA: ${truncate(answer, TURN_LENGTH)}`, {
        asked: createdAt.toISOString().slice(0, 10),
        rating: String(rating),
      }),
    );
  const procedures = procedure && [
    dataBlock(
      "past_procedure",
      `For: ${procedure.query}\nHow: ${procedure.strategy}\nThe answer began: ${procedure.answer}`,
      {
        confidence: procedure.confidence.toFixed(2),
        used: `${Number(procedure.useCount.toFixed(1))} times`,
      },
    ),
  ];
  return [...questions, ...(procedures ?? [])].join("\n");
}

/** What was observed of the running system without a runbook; an empty text for nothing. */
export function observedBlock(live: LiveEvidence): string {
  const { expression, object, otherAlerts, changes } = liveEvidenceText({ checks: [], live });
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["The alert's expression", expression === null ? [] : [expression]],
    ["Its object", object],
    ["Other alerts", otherAlerts],
    ["Changes", changes],
  ];
  const lines = parts.flatMap(([name, texts]) => texts.map((text) => `${name}: ${text}`));
  return lines.length === 0 ? "" : dataBlock("observed", truncate(lines.join("\n"), OBSERVED_LENGTH));
}

export function reportBlocks(incident: Incident, { turns, logLength }: ReportMaterial): string {
  const labels = Object.entries(incident.labels).map(([key, value]) => `${key}=${value}`);
  const facts = [
    `Title: ${incident.title}`,
    ...(incident.question !== null && incident.question !== incident.title ? [`Question: ${incident.question}`] : []),
    ...(incident.target !== null ? [`Target: ${incident.target}`] : []),
    `Severity: ${incident.severity}`,
    ...(labels.length > 0 ? [`Labels: ${truncate(labels.join(", "), LABELS_LENGTH)}`] : []),
    `Domain: ${incident.domain.name} (${incident.domain.rule})`,
    `Type: ${incident.type.name} (${incident.type.rule})`,
  ];
  const session = turns.map(({ question, answer }) => `Q: ${question}\nA: ${truncate(answer, TURN_LENGTH)}`);
  return [
    ...(session.length > 0 ? [dataBlock("session", session.join("\n"))] : []),
    dataBlock("report", facts.join("\n")),
    ...(incident.evidence.lines.length > 0
      ? [dataBlock("error_lines", incident.evidence.lines.map(errorLineText).join("\n"))]
      : []),
    ...(incident.logs !== null && incident.logs.trim() !== ""
      ? [dataBlock("logs", trimLog(incident.logs, logLength).text)]
      : []),
  ].join("\n");
}

/** For example `L1 (line 41, 3 times, first at 02:59:58): Out of memory`. */
export function errorLineText({ text, marked = text, line, count, time }: ErrorLine, index: number): string {
  const place = [
    `line ${line}`,
    ...(count > 1 ? [`${count} times`] : []),
    ...(time === null ? [] : [`${count > 1 ? "first " : ""}at ${time}`]),
  ];
  return `L${index + 1} (${place.join(", ")}): ${truncate(marked, ERROR_LINE_LENGTH)}`;
}

function runbookBlock({ name, document, relevance, isRuledOut }: Extract<CitableText, { kind: "runbook" }>): string {
  const kind = textKindOf(document);
  const written = document.writtenAt.toISOString().slice(0, 10);
  return dataBlock("runbook", document.body, {
    id: name,
    ...(kind === "runbook" ? {} : { kind, written }),
    source: document.source ?? "",
    heading: [document.title, ...document.headingPath].join(" › "),
    ...(isRuledOut ? { ruled_out: "by a check" } : {}),
    probability: relevance.probability.toFixed(2),
  });
}

/** The result of a query to the running system. */
function checkBlock({ name, check: { result } }: Extract<CitableText, { kind: "check" }>): string {
  const lines = [
    ...(result.cause === null ? [] : [`Cause: ${result.cause}`]),
    `Result: ${result.statement}`,
    ...(result.value === null ? [] : [`Value: ${result.value}`]),
    `Query: ${result.query}`,
  ];
  return dataBlock("check", lines.join("\n"), {
    id: name,
    verdict: result.verdict,
    runbook: result.runbook,
    checked: result.as_of ?? result.checked_at ?? "",
  });
}

/** Title with its score, narrative, facts as bullets, the fix with its proof, what did not help, and what differs. */
function incidentBlock(
  { name, observation, likeness, relevance }: Extract<CitableText, { kind: "incident" }>,
  fingerprint: string | null,
): string {
  const { title, finalScore, narrative, facts, occurrences, lastSeenAt } = observation;
  const score = finalScore === null ? "no score" : `score ${finalScore.toFixed(1)}`;
  const recorded = recordedFixes(observation);
  const fix = shownFix(recorded, fingerprint);
  const proof = fix === null ? [] : [...proofOf(fix), ...cameBack(fix)];
  const lines = [
    `${title} (${score})`,
    ...(narrative === "" ? [] : [narrative]),
    ...facts.map((fact) => `- ${fact}`),
    fix === null
      ? "What fixed it was not recorded."
      : `Fixed by: ${fix.text}${proof.length === 0 ? "" : ` (${proof.join("; ")})`}`,
    ...didNotHelpSentence({ did_not_help: failedActions(recorded) }),
    ...likenessLines({ alike: [], differs: likeness.differs }),
  ];
  return dataBlock("past_incident", lines.join("\n"), {
    id: name,
    reported: lastSeenAt.toISOString().slice(0, 10),
    occurrences: String(occurrences),
    probability: relevance.probability.toFixed(2),
  });
}
