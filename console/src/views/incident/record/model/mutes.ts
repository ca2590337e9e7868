// A mute as a person fills it in, and whether an incident is muted. Pure functions.

import type { IncidentDetail } from "../../answer/model/incident.ts";

const HOUR_MS = 3_600_000;

interface MuteForm {
  readonly reason: string;
  /** A key of PERIODS. */
  readonly period: string;
  /** Time of the reader's clock, such as 2026-03-01T18:00; of AT_A_TIME alone. */
  readonly until: string;
}

export const EMPTY_MUTE: MuteForm = { reason: "", period: "day", until: "" };
export const AT_A_TIME = "time";
export const PERIODS: Readonly<Record<string, { readonly text: string; readonly hours: number }>> = {
  hour: { text: "in 1 hour", hours: 1 },
  hours: { text: "in 4 hours", hours: 4 },
  day: { text: "in a day", hours: 24 },
  week: { text: "in a week", hours: 168 },
  weeks: { text: "in 4 weeks", hours: 672 },
  [AT_A_TIME]: { text: "at a time", hours: 0 },
};

/** Fields of POST /v1/mutes, or a sentence on what is missing. @param now milliseconds since 1970 */
export function muteOf({ reason, period, until }: MuteForm, now: number) {
  if (reason.trim() === "") return "Say why: the next person reads it.";
  const ends = period === AT_A_TIME ? Date.parse(until) : now + (PERIODS[period]?.hours ?? 0) * HOUR_MS;
  if (Number.isNaN(ends) || ends <= now) return "The end must be in the future.";
  return { reason: reason.trim(), ends_at: new Date(ends).toISOString() };
}

type Mute = NonNullable<IncidentDetail["mute"]>;

/** The mute of an incident that has not ended. @param now milliseconds since 1970 */
export function presentMute(mute: Mute | null, now: number): Mute | null {
  return mute !== null && Date.parse(mute.ends_at) > now ? mute : null;
}
