// Owns the data part of the prompts: what was recalled, the session, the report, its logs. What changes least comes first.

import type { SessionTurn } from "../../incidents/run-records.ts";
import { sourceKindOf } from "../../knowledge/source-documents.ts";
import { trimLog } from "../../retrieval/text/trim-log.ts";
import type { Incident } from "../../schemas/incident.ts";
import { truncate } from "../../schemas/incident.ts";
import type { CitableText } from "../evidence/citable-texts.ts";
import type { Recall } from "../recall/recall-result.ts";
import { dataBlock } from "./data-block.ts";

export interface ReportMaterial {
  /** Earlier turns of the session, oldest first. */
  readonly turns: readonly SessionTurn[];
  /** Characters of the log. */
  readonly logLength: number;
}

/** Characters of all labels together, and of one earlier answer. */
const LABELS_LENGTH = 4_000;
const TURN_LENGTH = 1_200;

export function sourceBlocks(texts: readonly CitableText[]): string {
  if (texts.length === 0) return "(No runbook and no past incident was recalled.)";
  const runbooks = texts.flatMap((text) => (text.kind === "runbook" ? [runbookBlock(text)] : []));
  const incidents = texts.flatMap((text) => (text.kind === "incident" ? [incidentBlock(text)] : []));
  return [...runbooks, ...(incidents.length > 0 ? [PRIOR_WORK, ...incidents] : [])].join("\n");
}

const PRIOR_WORK = "Prior work on related topics:";

/** Earlier questions that are alike, and the approach that worked: hints that nothing can rest on. */
export function hintBlocks(
  { memories, procedure }: Pick<Recall, "memories" | "procedure">,
  turns: readonly SessionTurn[],
): string {
  // What the session's own turns tell already is not told twice; a turn has the question without its title.
  const isTold = (asked: string) => turns.some(({ question }) => asked === question || asked.endsWith(`: ${question}`));
  const questions = memories
    .filter(({ question }) => !isTold(question))
    .map(({ question, answer, createdAt, rating }) =>
      dataBlock("past_question", `Q: ${question}\nA: ${truncate(answer, TURN_LENGTH)}`, {
        asked: createdAt.toISOString().slice(0, 10),
        votes: String(rating),
      }),
    );
  const approach = procedure && [
    dataBlock(
      "proven_approach",
      `For: ${procedure.query}\nHow: ${procedure.strategy}\nThe answer began: ${procedure.answer}`,
      {
        confidence: procedure.confidence.toFixed(2),
        used: `${Number(procedure.useCount.toFixed(1))} times`,
      },
    ),
  ];
  return [...questions, ...(approach ?? [])].join("\n");
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
    ...(incident.logs !== null && incident.logs.trim() !== ""
      ? [dataBlock("logs", trimLog(incident.logs, logLength).text)]
      : []),
  ].join("\n");
}

function runbookBlock({ name, document }: Extract<CitableText, { kind: "runbook" }>): string {
  const kind = sourceKindOf(document);
  const written = document.writtenAt.toISOString().slice(0, 10);
  return dataBlock("runbook", document.body, {
    id: name,
    ...(kind === "runbook" ? {} : { kind, written }),
    source: document.source ?? "",
    heading: [document.title, ...document.headingPath].join(" › "),
  });
}

/** Title with its score, narrative, facts as bullets; and what fixed it, the one thing that others may rest on. */
function incidentBlock({ name, observation }: Extract<CitableText, { kind: "incident" }>): string {
  const { title, finalScore, narrative, facts, resolution, occurrences, lastSeenAt } = observation;
  const score = finalScore === null ? "no score" : `score ${finalScore.toFixed(1)}`;
  const lines = [
    `${title} (${score})`,
    ...(narrative === "" ? [] : [narrative]),
    ...facts.map((fact) => `- ${fact}`),
    resolution === null ? "What fixed it was not recorded." : `Fixed by: ${resolution.text}`,
  ];
  return dataBlock("past_incident", lines.join("\n"), {
    id: name,
    reported: lastSeenAt.toISOString().slice(0, 10),
    occurrences: String(occurrences),
  });
}
