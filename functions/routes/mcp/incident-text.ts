// Owns an incident on record as Markdown for a reader who is a model: the report, the timeline, the answer, the fix. Pure.

import type { IncidentWithHistory } from "../../incidents/incident-records.ts";
import { triageResultSchema } from "../../schemas/triage-result.ts";
import { answerText } from "./answer-text.ts";
import { fenced } from "./text.ts";

/** Characters of a log's end that are shown. */
const LOG_LENGTH = 8_000;

export function incidentText({ incident, events, triage }: IncidentWithHistory): string {
  const { title, question, target, severity, domain, incident_type, status, resolution, resolved_by, logs } = incident;
  const answered = triageResultSchema.safeParse(triage);
  const labels = Object.entries(incident.labels).map(([key, value]) => `${key}=${value}`);
  const facts = [
    `Status: ${status}`,
    `Severity: ${severity}`,
    ...(target === null ? [] : [`Target: ${target}`]),
    `Domain: ${domain}, type: ${incident_type}`,
    `Reported: ${incident.created_at}`,
    ...(labels.length === 0 ? [] : [`Labels: ${labels.join(", ")}`]),
    `Id: ${incident.id}`,
  ];
  return [
    `# ${title}`,
    facts.map((fact) => `- ${fact}`).join("\n"),
    ...(question === null || question === title ? [] : [question]),
    ...(resolution === null
      ? []
      : [`## What fixed it\n\n${resolution}${resolved_by === null ? "" : ` (${resolved_by})`}`]),
    `## Answer\n\n${answered.success ? answerText(answered.data) : "There is none yet."}`,
    `## Timeline\n\n${events.map(({ at, kind }) => `- ${at} ${kind}`).join("\n")}`,
    ...(logs === null ? [] : [`## Logs\n\n${fenced(endOf(logs))}`]),
  ].join("\n\n");
}

function endOf(logs: string): string {
  return logs.length <= LOG_LENGTH ? logs : `…${logs.slice(-LOG_LENGTH).toWellFormed()}`;
}
