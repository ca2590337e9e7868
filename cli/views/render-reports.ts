// The handover of a shift and statistics of incidents as text for a terminal. Pure functions.

import { handoverSections, LEFT_OUT, NOTHING_TO_HAND_OVER } from "../../functions/answer-view/handover-text.ts";
import { minutesText } from "../../functions/answer-view/time-text.ts";
import type { Handover, IncidentStats } from "../../functions/schemas/reports.ts";
import { displayText } from "../../lib/text/display-text.ts";
import { createWriter, section } from "../render/terminal-text.ts";
import type { RenderOptions } from "../render-options.ts";
import { minuteOf } from "../service/incident.ts";
import { shortId } from "../service/incident-id.ts";
import { oneLine, renderTable } from "../table.ts";

const INDENT = 2;

export function renderHandover(handover: Handover, options: RenderOptions): string {
  const writer = createWriter(options);
  const item = (text: string) => writer.block(oneLine(displayText(text)), INDENT + 2, `${" ".repeat(INDENT)}- `);
  const sections = handoverSections(handover).flatMap(({ title, lines, more }) => [
    "",
    writer.paint("bold", title),
    ...lines.flatMap(({ text, incidentId }) => item(incidentId === null ? text : `${text} (${shortId(incidentId)})`)),
    ...(more > 0 ? item(`and ${more} more`) : []),
  ]);
  return [
    writer.paint("bold", `Handover, ${minuteOf(handover.since)} to ${minuteOf(handover.until)} UTC, ${LEFT_OUT}`),
    ...(sections.length === 0 ? ["", NOTHING_TO_HAND_OVER] : sections),
  ].join("\n");
}

export function renderStats(stats: IncidentStats, options: RenderOptions): string {
  const { incidents, resolved, with_fix, time_to_resolve, time_to_fix, failures, repeated, minutes_lost, top } = stats;
  const head = createWriter(options).paint("bold", `Incidents since ${stats.since.slice(0, 10)} UTC: ${incidents}`);
  if (incidents === 0) return head;
  const rows = [
    ["resolved", `${resolved}, ${with_fix} with a recorded fix`],
    ["time to resolve", timesOf(time_to_resolve)],
    ["time to resolve with a fix", timesOf(time_to_fix)],
    ["failures", `${failures}, ${repeated} of them (${Math.round((100 * repeated) / failures)} %) more than once`],
    ["time lost", timeLost(minutes_lost)],
  ];
  const nameWidth = Math.max(...rows.map(([name = ""]) => name.length));
  return [
    head,
    ...rows.map(([name = "", text]) => `  ${name.padEnd(nameWidth)}  ${text}`),
    "",
    ...section(createWriter(options), "Most time lost", topTable(top, options)),
  ].join("\n");
}

function topTable(top: IncidentStats["top"], options: RenderOptions): string[] {
  const rows = top.map((each) => [
    shortId(each.incident_id),
    timeLost(each.minutes_lost),
    String(each.incidents),
    each.target ?? "-",
    each.title,
    each.fix ?? "-",
  ]);
  const header = ["newest", "time lost", "times", "target", "title", "fixed by"];
  return [renderTable(header, rows, { ...options, whole: ["newest"], optional: ["fixed by", "target"] })];
}

function timesOf(minutes: IncidentStats["time_to_resolve"]): string {
  if (minutes === null) return "-";
  return `mean ${minutesText(minutes.mean_minutes)}, median ${minutesText(minutes.median_minutes)}`;
}

function timeLost(minutes: number): string {
  return minutes === 0 ? "-" : minutesText(minutes);
}
