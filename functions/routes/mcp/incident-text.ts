// A stored incident as Markdown for a model: report, timeline, answer and fix. Pure functions.

import { holderText } from "../../answer-view/holder-text.ts";
import { minuteOf } from "../../answer-view/time-text.ts";
import { entryText, timelineOf } from "../../answer-view/timeline-text.ts";
import { incidentSteps } from "../../incidents/detail/steps.ts";
import { type IncidentWithHistory, storedTriage } from "../../incidents/incident-records.ts";
import { placeText } from "../../surroundings/place-text.ts";
import { answerText } from "./answer-text.ts";
import { fenced } from "./text.ts";

/** Characters shown from the end of a log. */
const LOG_LENGTH = 8_000;

export function incidentText(record: IncidentWithHistory): string {
  const { incident, events, steps } = record;
  const { title, question, severity, domain, incident_type, status, resolution, resolved_by, logs } = incident;
  const holder = holderText(incident);
  const place = placeText({ ...incident, alerts: record.alerts });
  const timeline = timelineOf({ events, steps: incidentSteps(storedTriage(record).triage, steps) });
  const labels = Object.entries(incident.labels).map(([key, value]) => `${key}=${value}`);
  const facts = [
    `Status: ${status}`,
    `Severity: ${severity}`,
    ...(place === null ? [] : [`Target: ${place}`]),
    `Domain: ${domain}, type: ${incident_type}`,
    `Reported: ${incident.created_at}`,
    ...(holder === null ? [] : [holder]),
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
    `## Answer\n\n${latestAnswer(record)}`,
    `## Timeline\n\n${timeline.map((entry) => `- ${minuteOf(entry.at)} UTC ${entryText(entry)}`).join("\n")}`,
    ...(logs === null ? [] : [`## Logs\n\n${fenced(endOf(logs))}`]),
  ].join("\n\n");
}

function latestAnswer(record: IncidentWithHistory): string {
  const { triage, isUnreadable } = storedTriage(record);
  if (triage) return answerText(triage);
  return isUnreadable ? "The stored answer has a format that this version cannot read." : "No answer yet.";
}

function endOf(logs: string): string {
  return logs.length <= LOG_LENGTH ? logs : `…${logs.slice(-LOG_LENGTH).toWellFormed()}`;
}
