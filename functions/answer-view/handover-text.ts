// The handover of a shift in words, for every way out. Pure functions.

import type { Handover, HandoverIncident, ReportedIncident, ShownMute } from "../schemas/reports.ts";
import { holderText } from "./holder-text.ts";
import { mutedCount } from "./mute-text.ts";
import { outcomeName } from "./outcome-name.ts";
import { minuteOf, minutesText, spanOf } from "./time-text.ts";

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

/** After the period. What reports leave out is in the list of incidents. */
export const LEFT_OUT = "without repeats, questions and samples";

/** In place of sections, if there are none. */
export const NOTHING_TO_HAND_OVER = "Nothing fires, is open, was resolved, came back or is muted.";

/** Sections without entries are left out. */
export function handoverSections(handover: Handover): HandoverSection[] {
  const { firing, open, resolved, came_back, without_runbook, mutes } = handover;
  const until = Date.parse(handover.until);
  const older = open.older === 0 ? "" : `, and ${open.older} from before`;
  return [
    incidentSection("Firing", firing, (incident) => openText(incident, until)),
    incidentSection("Open without a firing alert", open, (incident) => openText(incident, until), older),
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
    incidentSection("Resolved", resolved, resolvedText, `, ${resolved.with_fix} with a fix`),
    section(
      "Without a runbook",
      without_runbook.total,
      without_runbook.gaps.map(({ name, domain, unanswered, has_fix }) => {
        const often = unanswered === 1 ? "1 incident" : `${unanswered} incidents`;
        return lineOf(`${name} (${domain}): ${often}, ${has_fix ? "a fix" : "no fix"} is recorded`);
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

/** What a mute covers, with the failures by name. */
export function muteScope({
  incident_id,
  domain,
  matchers,
  failures,
  more_failures,
}: Pick<ShownMute, "incident_id" | "domain" | "matchers" | "failures" | "more_failures">): string {
  const names = [...failures, ...(more_failures > 0 ? [`${more_failures} more`] : [])].join("; ");
  if (incident_id !== null) return names;
  const scope = [...(domain === null ? [] : [`domain ${domain}`]), ...matchers].join(", ");
  return names === "" ? scope : `${scope} (${names})`;
}

function section(title: string, total: number, lines: readonly HandoverLine[], addition = ""): HandoverSection {
  return { title: `${title}: ${total}${addition}`, lines, more: total - lines.length };
}

/** Incidents of one failure about which the same is to say are one line. */
function incidentSection(
  title: string,
  { total, incidents }: Handover["firing"],
  textOf: (incident: HandoverIncident) => string,
  addition = "",
): HandoverSection {
  const lines = incidents.map((incident) => {
    const others = incident.same.incidents - 1;
    const more = others === 0 ? "" : ` and ${others} more of this failure`;
    return { text: `${nameOf(incident)}${more}: ${textOf(incident)}`, incidentId: incident.id };
  });
  const listed = incidents.reduce((sum, { same }) => sum + same.incidents, 0);
  return { ...section(title, total, lines, addition), more: total - listed };
}

function openText(incident: HandoverIncident, until: number): string {
  const { outcome, status, resolution, same } = incident;
  return [
    `since ${minuteOf(same.since)} UTC (${spanOf(until - Date.parse(same.since))})`,
    ...(same.firing > 1 ? [`${same.firing} alerts fire`] : []),
    outcome === null ? status : outcomeName(outcome),
    holderText(incident) ?? "Nobody has it",
    ...(status === "resolved" ? ["resolved, but an alert still fires"] : []),
    ...(resolution === null ? [] : [fixText(incident)]),
  ].join("; ");
}

function resolvedText(incident: HandoverIncident): string {
  const { longest_minutes, incidents } = incident.same;
  const after =
    longest_minutes === null ? "" : ` after ${incidents > 1 ? "up to " : ""}${minutesText(longest_minutes)}`;
  return incident.resolution === null ? `ended by itself${after}` : fixText(incident, after);
}

function fixText({ resolved_by, resolution, came_back_at }: ReportedIncident, after = ""): string {
  const recurrence = came_back_at === null ? "" : `; it did not hold, and came back ${minuteOf(came_back_at)} UTC`;
  return `fixed by ${resolved_by ?? "somebody"}${after}: ${resolution}${recurrence}`;
}

/** `high, checkout: pods restart` */
function nameOf({ severity, target, title }: ReportedIncident): string {
  return `${severity}${target === null ? "" : `, ${target}`}: ${title}`;
}

function lineOf(text: string): HandoverLine {
  return { text, incidentId: null };
}
