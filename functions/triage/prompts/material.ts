// Owns the data part of the prompts: what was recalled, the session, the report, its logs. What changes least comes first.

import type { Incident } from "../../memory/incident.ts";
import { truncate } from "../../memory/incident.ts";
import type { SessionTurn } from "../../memory/incident-log.ts";
import { trimLog } from "../../retrieval/trim-log.ts";
import type { CitableText } from "../citable.ts";
import { pastIncident } from "../past-incident.ts";
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
  return texts.map((text) => (text.kind === "runbook" ? runbookBlock(text) : incidentBlock(text))).join("\n");
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

function runbookBlock({ name, document }: CitableText): string {
  return dataBlock("runbook", document.body, {
    id: name,
    source: document.source ?? "",
    heading: [document.title, ...document.headingPath].join(" › "),
  });
}

function incidentBlock({ name, document }: CitableText): string {
  const past = pastIncident(document);
  // What was once guessed about an incident that nobody fixed must not come back as knowledge.
  const text =
    past.resolution === null
      ? `Title: ${past.title}\nType: ${past.incident_type}\nWhat fixed it was not recorded.`
      : `Title: ${past.title}\n${document.body}\nFixed by: ${past.resolution}`;
  return dataBlock("past_incident", text, {
    id: name,
    reported: past.reported_at.slice(0, 10),
  });
}
