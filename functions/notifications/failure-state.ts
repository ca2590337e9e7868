// The state of a failure that a message shows, and what is new in it. Pure functions.

import { createHash } from "node:crypto";
import { z } from "zod";
import { holderText } from "../answer-view/holder-text.ts";
import { expectedText } from "../answer-view/mute-text.ts";
import { minuteOf, spanOf } from "../answer-view/time-text.ts";
import { SEVERITIES } from "../schemas/incident.ts";
import { INCIDENT_STATUSES } from "../schemas/incident-values.ts";
import { OUTCOMES } from "../schemas/outcome.ts";
import type { NotificationEvent } from "./targets/target.ts";

const cameBackSchema = z.object({ fix: z.string(), helped_at: z.string(), at: z.string() }).nullable();

/** As the SQL function `failure_state` returns it. */
export const failureStateSchema = z.object({
  incident: z.object({
    id: z.string(),
    title: z.string(),
    severity: z.enum(SEVERITIES),
    status: z.enum(INCIDENT_STATUSES),
    domain: z.string(),
    target: z.string().nullable(),
    owner: z.string().nullable(),
    created_at: z.string(),
    resolved_at: z.string().nullable(),
    resolved_by: z.string().nullable(),
    resolution: z.string().nullable(),
    merged_into: z.object({ id: z.string(), title: z.string() }).nullable(),
    /** Whether a person set the title. */
    is_titled: z.boolean(),
  }),
  /** The latest answer; null before the first. */
  triage: z.unknown(),
  /** Incidents of the failure since the start of the message. */
  incidents: z.number().int(),
  /** How often it fired: again, once all of it had ended. */
  times: z.number().int(),
  first_at: z.string(),
  /** When it began to fire the last time. */
  since: z.string(),
  /** The last report. */
  last_at: z.string(),
  /** How often it was reported, with repeats of alerts that fire. */
  reports: z.number().int(),
  services: z.number().int(),
  /** Where it fires, such as `3 pods of checkout`; null for one target. */
  place: z.string().nullable(),
  /** Who acknowledged one of its open incidents last; null if nobody did. */
  acknowledged: z.object({ by: z.string(), at: z.string() }).nullable(),
  /** The mute of `muted` of its open incidents; null if all are announced. */
  mute: z
    .object({
      reason: z.string(),
      owner: z.string(),
      ends_at: z.string(),
      muted: z.number().int(),
      open: z.number().int(),
    })
    .nullable(),
  /** The last fix that did not hold since then. */
  came_back: cameBackSchema,
  /** The incident that started a later message about the failure; null for the latest message. */
  succeeded_by: z.object({ id: z.string(), created_at: z.string() }).nullable(),
  tickets: z.array(z.object({ source: z.string(), fingerprint: z.string(), labels: z.record(z.string(), z.string()) })),
});
export type FailureState = z.infer<typeof failureStateSchema>;

/** What a delivered message shows: counts, codes and times, no content. */
export const shownStateSchema = z.object({
  incident_id: z.string(),
  triage_id: z.string().nullable(),
  outcome: z.enum(OUTCOMES).nullable(),
  severity: z.enum(SEVERITIES),
  is_resolved: z.boolean(),
  has_fix: z.boolean(),
  is_muted: z.boolean(),
  times: z.number().int(),
  reports: z.number().int(),
  services: z.number().int(),
  came_back_at: z.string().nullable(),
  /** Of what people change: title, owner, who acknowledged it, its mute, its fix, where it was merged; and of what came after it. */
  digest: z.string(),
});
export type ShownState = z.infer<typeof shownStateSchema>;

const DIGEST_DIGITS = 16;
/** Shorter, it has just begun. */
const FIRES_ON_MS = 120_000;

const triageSchema = z.object({ triage_id: z.string(), outcome: z.enum(OUTCOMES) });

export function shownStateOf(state: FailureState): ShownState {
  const { incident, triage, times, reports, services, came_back, succeeded_by } = state;
  const answer = triageSchema.safeParse(triage).data;
  const { title, resolution, merged_into } = incident;
  const texts = JSON.stringify([title, holderOf(state), resolution, merged_into?.id, succeeded_by?.id]);
  return {
    incident_id: incident.id,
    triage_id: answer?.triage_id ?? null,
    outcome: answer?.outcome ?? null,
    severity: incident.severity,
    is_resolved: incident.status === "resolved",
    has_fix: resolution !== null,
    is_muted: isMuted(state),
    times,
    reports,
    services,
    came_back_at: came_back?.at ?? null,
    digest: createHash("sha256").update(texts).digest("hex").slice(0, DIGEST_DIGITS),
  };
}

export function isSameState(one: ShownState, other: ShownState): boolean {
  const keys = shownStateSchema.keyof().options;
  return keys.every((key) => one[key] === other[key]);
}

export interface Change {
  readonly event: NotificationEvent;
  /** One sentence. */
  readonly text: string;
  /** Whether those hear of it who do not follow the message: it had ended, or was muted, and fires. */
  readonly isReturn: boolean;
}

export function isMuted({ mute }: FailureState): boolean {
  return mute !== null && mute.muted === mute.open;
}

/** What a delivered message does not show yet, the most important first. Nobody hears of repeats of what somebody has, or of what is muted. */
export function changesSince(shown: ShownState, state: FailureState): Change[] {
  const current = shownStateOf(state);
  if (current.is_muted || state.succeeded_by !== null) return [];
  const change = (event: NotificationEvent, text: string, isReturn = false): Change[] => [{ event, text, isReturn }];
  if (state.came_back !== null && current.came_back_at !== shown.came_back_at)
    return change("fix_did_not_hold", `The fix did not hold${since(state.came_back)}: ${state.came_back.fix}`, true);
  if (current.is_resolved)
    return shown.is_resolved && (shown.has_fix || !current.has_fix)
      ? []
      : change("resolved", resolutionOf(state) ?? "Resolved.");
  const recurred = (lead: string, isReturn: boolean) =>
    change("recurred", `${[lead, ...recurrences(state)].join(", ")}.`, isReturn);
  if (shown.is_resolved || current.times > shown.times) return recurred("Firing again", true);
  if (state.acknowledged === null) {
    if (shown.is_muted) return recurred("The mute has ended, and it is still open", true);
    const isRepeated = current.reports > shown.reports || current.services > shown.services;
    // Shortly after the message, the repeat says nothing.
    if (isRepeated && recurrenceOf(state) !== null) return recurred("Still firing", false);
  }
  if (current.triage_id !== shown.triage_id && current.outcome !== shown.outcome)
    return change("answered", "There is another answer: see the message.");
  return [];
}

/** The event that a first message is made for. */
export function firstEventOf({ incident, came_back, incidents }: FailureState): NotificationEvent {
  if (incident.status === "resolved") return "resolved";
  if (came_back !== null) return "fix_did_not_hold";
  return incidents > 1 ? "recurred" : "answered";
}

/** `3rd time in 2 h, for 40 min, on 4 services`; null for a first time, just now, on one target. */
export function recurrenceOf(state: FailureState): string | null {
  return recurrences(state).join(", ") || null;
}

/** A repeat of an alert that fires is no other time. */
function recurrences({ incident, times, place, first_at, since, last_at }: FailureState): string[] {
  const fired = Date.parse(last_at) - Date.parse(since);
  return [
    ...(times > 1 ? [`${ordinal(times)} time in ${spanOf(Date.parse(since) - Date.parse(first_at))}`] : []),
    ...(fired >= FIRES_ON_MS && incident.status !== "resolved" ? [`for ${spanOf(fired)}`] : []),
    ...(place === null ? [] : [`on ${place}`]),
  ];
}

/** Who has it, and who expects it until when; null for nobody, and once it is resolved. */
export function holderOf({ incident: { status, owner }, acknowledged, mute }: FailureState): string | null {
  if (status === "resolved") return null;
  const holder = holderText({ owner, acknowledged_by: acknowledged?.by ?? null });
  const part = mute && mute.muted < mute.open ? ` (${mute.muted} of ${mute.open} incidents)` : "";
  const expected = mute && expectedText(mute) + part;
  const texts = [holder, expected].filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join(" · ");
}

/** How it ended, and what came after it; null while it is open. */
export function resolutionOf(state: FailureState): string | null {
  const { succeeded_by } = state;
  const end = endOf(state);
  if (succeeded_by === null) return end;
  const back = `It is back since ${minuteOf(succeeded_by.created_at)} UTC: see the later message.`;
  return end === null ? back : `${end.replace(/\.$/, "")}. ${back}`;
}

function endOf({ incident, triage, incidents, since }: FailureState): string | null {
  const { status, resolution, resolved_by, resolved_at, created_at, merged_into } = incident;
  if (merged_into !== null) return `Merged into another incident: ${merged_into.title}`;
  if (status !== "resolved") return null;
  const after =
    resolved_at === null
      ? ""
      : ` after ${spanOf(Date.parse(resolved_at) - Date.parse(incidents > 1 ? since : created_at))}`;
  if (resolution === null && triageSchema.safeParse(triage).data?.outcome === "benign")
    return "Closed: it is no incident.";
  if (resolution === null) return `Resolved${after}: all its alerts have ended.`;
  return `Resolved${resolved_by === null ? "" : ` by ${resolved_by}`}${after}: ${resolution}`;
}

function since({ helped_at, at }: NonNullable<FailureState["came_back"]>): string {
  return `, it came back after ${spanOf(Date.parse(at) - Date.parse(helped_at))}`;
}

/** `1st`, `2nd`, `3rd`, `11th` */
export function ordinal(count: number): string {
  const isTeen = count % 100 >= 11 && count % 100 <= 13;
  const ending = isTeen ? undefined : ["th", "st", "nd", "rd"][count % 10];
  return `${count}${ending ?? "th"}`;
}
