// The handover of a shift in words, for every way out. Pure functions.

import type { Handover, ReportedIncident } from "../schemas/reports.ts";
import { holderText } from "./holder-text.ts";
import { mutedCount } from "./mute-text.ts";
import { outcomeName } from "./outcome-name.ts";
import { minuteOf, spanOf } from "./time-text.ts";

export interface HandoverSection {
  /** Such as `Firing: 2`. */
  readonly title: string;
  readonly lines: readonly HandoverLine[];
  /** Entries that are not listed. */
  readonly more: number;
}

/** Texts are foreign and in plain text. */
export interface HandoverLine {
  readonly text: string;
  /** The incident that it is about; null for others. */
  readonly incidentId: string | null;
}

/** In place of sections, if there are none. */
export const NOTHING_TO_HAND_OVER = "Nothing fires, is open, was resolved, came back or is muted.";

/** Sections without entries are left out. */
export function handoverSections(handover: Handover): HandoverSection[] {
  const { firing, open, resolved, came_back, without_runbook, mutes } = handover;
  const until = Date.parse(handover.until);
  const older = open.older === 0 ? "" : `, and ${open.older} from before`;
  return [
    section(
      "Firing",
      firing.total,
      firing.incidents.map((each) => openLine(each, until)),
    ),
    section(
      `Open without a firing alert`,
      open.total,
      open.incidents.map((each) => openLine(each, until)),
      older,
    ),
    section(
      "Came back after a fix",
      came_back.total,
      came_back.failures.map(({ title, targets, fix, fixed_by, fixed_at, came_back_at }) => {
        const where = targets.length === 0 ? "" : ` on ${targets.join(", ")}`;
        const by = fixed_by === null ? "" : ` by ${fixed_by}`;
        const after = spanOf(Date.parse(came_back_at) - Date.parse(fixed_at));
        return lineOf(`${title}${where}: came back ${minuteOf(came_back_at)} UTC, ${after} after the fix${by}: ${fix}`);
      }),
    ),
    section("Resolved", resolved.total, resolved.incidents.map(resolvedLine), `, ${resolved.with_fix} with a fix`),
    section(
      "Without a runbook",
      without_runbook.total,
      without_runbook.gaps.map(({ alertname, title, domain, unanswered, has_fix }) => {
        const often = unanswered === 1 ? "1 incident" : `${unanswered} incidents`;
        return lineOf(`${alertname ?? title} (${domain}): ${often}, ${has_fix ? "a fix" : "no fix"} is recorded`);
      }),
    ),
    section(
      "Muted",
      mutes.length,
      mutes.map(({ reason, owner, ends_at, muted, ...scope }) =>
        lineOf(`${muteScope(scope)} until ${minuteOf(ends_at)} UTC: ${reason} (${owner}; ${mutedCount(muted)})`),
      ),
    ),
  ].filter(({ lines }) => lines.length > 0 || older !== "");
}

/** What a mute covers. */
export function muteScope({
  incident_id,
  domain,
  matchers,
}: Pick<Handover["mutes"][number], "incident_id" | "domain" | "matchers">): string {
  if (incident_id !== null) return `the failure of incident ${incident_id}`;
  return [...(domain === null ? [] : [`domain ${domain}`]), ...matchers].join(", ");
}

function section(title: string, total: number, lines: readonly HandoverLine[], addition = ""): HandoverSection {
  return { title: `${title}: ${total}${addition}`, lines, more: total - lines.length };
}

function openLine(incident: ReportedIncident, until: number): HandoverLine {
  const { alerts, outcome, started_at, status } = incident;
  const facts = [
    `since ${minuteOf(started_at)} UTC (${spanOf(until - Date.parse(started_at))})`,
    ...(alerts.firing > 1 ? [`${alerts.firing} alerts fire`] : []),
    outcome === null ? status : outcomeName(outcome),
    holderText(incident) ?? "Nobody has it",
    ...(status === "resolved" ? ["resolved, but an alert still fires"] : []),
  ];
  return { text: `${nameOf(incident)}: ${facts.join("; ")}`, incidentId: incident.id };
}

function resolvedLine(incident: ReportedIncident): HandoverLine {
  const { resolution, resolved_by, started_at, ended_at } = incident;
  const after = ended_at === null ? "" : ` after ${spanOf(Date.parse(ended_at) - Date.parse(started_at))}`;
  const how = resolution === null ? "ended by itself" : `fixed by ${resolved_by ?? "somebody"}`;
  return {
    text: `${nameOf(incident)}: ${how}${after}${resolution === null ? "" : `: ${resolution}`}`,
    incidentId: incident.id,
  };
}

/** `high, checkout: pods restart` */
function nameOf({ severity, target, title }: ReportedIncident): string {
  return `${severity}${target === null ? "" : `, ${target}`}: ${title}`;
}

function lineOf(text: string): HandoverLine {
  return { text, incidentId: null };
}
