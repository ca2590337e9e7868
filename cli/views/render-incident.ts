// An incident's state, timeline and alerts as text for a terminal. Pure functions.

import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
import { holderText } from "../../functions/answer-view/holder-text.ts";
import { entryText, timelineOf } from "../../functions/answer-view/timeline-text.ts";
import { importedFrom } from "../../functions/schemas/imported-from.ts";
import { truncate } from "../../functions/schemas/incident.ts";
import { placeText } from "../../functions/surroundings/place-text.ts";
import type { RenderOptions } from "../render-options.ts";
import { type IncidentDetail, minuteOf } from "../service/incident.ts";
import { oneLine, renderTable } from "../table.ts";

const INDENT = "  ";
const MAX_DESCRIPTION = 600;

export function renderIncidentHistory(incident: IncidentDetail, options: RenderOptions): string {
  const { width, color } = options;
  const bold = (text: string) => (color ? styleText("bold", text, { validateStream: false }) : text);
  const lines = (text: string, indent = "") =>
    wrapAnsi(oneLine(text), width - indent.length, { hard: true })
      .split("\n")
      .map((line) => indent + line);
  const section = (title: string, rows: readonly string[]) => (rows.length === 0 ? [] : ["", bold(title), ...rows]);
  return [
    ...lines(incident.title).map(bold),
    ...lines(headOf(incident)),
    ...[holderText(incident), reportedTitle(incident)].flatMap((text) => (text === null ? [] : lines(text))),
    ...(incident.imported?.description == null ? [] : lines(truncate(incident.imported.description, MAX_DESCRIPTION))),
    ...(incident.resolution === null ? [] : lines(fixOf(incident))),
    ...section(
      "Timeline (UTC)",
      timelineOf(incident).flatMap((entry) => lines(`${minuteOf(entry.at)}  ${entryText(entry)}`, INDENT)),
    ),
    ...section(`Alerts: ${incident.alerts.total}, ${incident.alerts.firing} firing`, alertTable(incident, options)),
    ...(incident.triage === null ? ["", ...lines(withoutAnswer(incident))] : []),
  ].join("\n");
}

function headOf(incident: IncidentDetail): string {
  const { id, status, severity, domain, answer_domain, session_id, created_at, imported } = incident;
  const place = placeText(incident);
  const facts = [
    status,
    `severity ${severity}`,
    ...(place === null ? [] : [`on ${place}`]),
    `domain ${answer_domain ?? domain.name}`,
    `reported ${minuteOf(created_at)} UTC`,
    imported === null ? `session ${session_id}` : originOf(imported),
    id,
  ];
  return facts.join(" · ");
}

function reportedTitle({ reported_title }: IncidentDetail): string | null {
  return reported_title === null ? null : `Reported as: ${reported_title}`;
}

/** `imported from PagerDuty: Q1XK2P7RZ0ABCD https://…` */
function originOf({ from, id, url }: NonNullable<IncidentDetail["imported"]>): string {
  return `${importedFrom(from)}: ${[id, url ?? ""].join(" ").trim()}`;
}

function fixOf({ resolution, resolved_by, resolved_at }: IncidentDetail): string {
  const details = [
    ...(resolved_by === null ? [] : [resolved_by]),
    ...(resolved_at === null ? [] : [minuteOf(resolved_at)]),
  ];
  return `Fixed by: ${resolution}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}

function alertTable({ alerts }: IncidentDetail, options: RenderOptions): string[] {
  if (alerts.latest.length === 0) return [];
  const rows = alerts.latest.map((alert) => [
    minuteOf(alert.last_received_at),
    alert.source,
    alert.status,
    String(alert.times),
    alert.target ?? "-",
    alert.title,
  ]);
  return [renderTable(["last received (UTC)", "source", "status", "times", "target", "title"], rows, options)];
}

function withoutAnswer({ triage_unreadable, status, imported }: IncidentDetail): string {
  if (imported !== null) return "There is no answer: the incident was imported.";
  return triage_unreadable
    ? "An answer is stored in a format that this version of Dejavu cannot read."
    : `There is no answer yet: the incident is ${status}.`;
}
