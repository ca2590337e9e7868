// Mutes: what is expected for a time, and which incidents that concerns.

import { z } from "zod";
import type { Redact } from "../../lib/redaction/redact.ts";
import type { Database } from "../adapters/database.ts";
import type { RunInBackground } from "../background-tasks.ts";
import type { ChangedIncident } from "./choose-targets.ts";
import { matchesAll } from "./matchers.ts";

export const MAX_MUTES = 200;
export const MAX_MUTE_DAYS = 30;

/** Without the number of incidents that it muted. */
export const runningMuteSchema = z.object({
  id: z.string(),
  incident_id: z.string().nullable(),
  fingerprints: z.array(z.string()),
  domain: z.string().nullable(),
  matchers: z.array(z.string()),
  reason: z.string(),
  owner: z.string(),
  starts_at: z.string(),
  ends_at: z.string(),
});
export type RunningMute = z.infer<typeof runningMuteSchema>;

/** A mute that kept incidents from a target, with their number. */
export const mutedCountSchema = runningMuteSchema
  .pick({ reason: true, owner: true, ends_at: true })
  .extend({ muted: z.number().int() });
export type MutedCount = z.infer<typeof mutedCountSchema>;

/** `muted` is null while nothing compares its labels. */
export const muteSchema = runningMuteSchema.extend({
  muted: z.number().int().nullable(),
  failures: z.array(z.string()).describe("Titles of incidents that it mutes, the newest three."),
  more_failures: z.number().int(),
});
export type Mute = z.infer<typeof muteSchema>;

/** The mute of an incident that ends last; undefined if it is announced. */
export function findMute(
  mutes: readonly RunningMute[],
  incident: Pick<ChangedIncident, "incident_id" | "fingerprint" | "domain" | "labels">,
): RunningMute | undefined {
  return mutes.findLast(
    (mute) =>
      (mute.incident_id === null ||
        mute.incident_id === incident.incident_id ||
        (incident.fingerprint !== null && mute.fingerprints.includes(incident.fingerprint))) &&
      (mute.domain === null || mute.domain === incident.domain) &&
      matchesAll(mute.matchers, incident.labels),
  );
}

/** Those that have not ended, the next to end first. @throws DependencyError */
export async function listMutes(database: Database, now: Date): Promise<Mute[]> {
  const args = { p_now: now.toISOString(), p_limit: MAX_MUTES };
  return database.call("list_mutes", args, z.array(muteSchema), { retries: 1 });
}

const addedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("too_many") }),
  z.object({ state: z.literal("no_incident") }),
  z.object({ state: z.literal("stored"), mute: muteSchema }),
]);

export interface NewMute {
  /** Of a mute that another system keeps: it replaces the one of this id. */
  readonly id?: string;
  readonly incident_id: string | null;
  readonly domain: string | null;
  readonly matchers: string[];
  readonly reason: string;
  readonly owner: string;
  readonly ends_at: string;
}

export type AddedMute = z.infer<typeof addedSchema>;

interface MuteServices {
  readonly database: Database;
  readonly redact: Redact;
  readonly now: () => Date;
  readonly deliverNotifications: () => Promise<unknown>;
}

const DAY_MS = 86_400_000;

/** Why a mute may not end then, with "must …"; null if it may. */
export function muteEndProblem(endsAt: Date, now: Date): string | null {
  const left = endsAt.getTime() - now.getTime();
  return left > 0 && left <= MAX_MUTE_DAYS * DAY_MS
    ? null
    : `must be in the future, at most ${MAX_MUTE_DAYS} days from now`;
}

/**
 * Redacts reason and owner. The message of a muted incident is edited in the background.
 * @throws DependencyError @throws RestrictionError for a mute outside of the caller's domains
 */
export async function addMute(
  { database, redact, now, deliverNotifications }: MuteServices,
  { reason, owner, ...mute }: NewMute,
  runInBackground: RunInBackground,
): Promise<AddedMute> {
  const texts = { reason: redact(reason).text, owner: redact(owner).text };
  const p = { limit: MAX_MUTES, mute: { ...mute, ...texts, starts_at: now().toISOString() } };
  const added = await database.call("add_mute", { p }, addedSchema);
  if (added.state === "stored" && mute.incident_id !== null) runInBackground(deliverNotifications());
  return added;
}

/** Its incidents are announced in the background. False if there is no such mute, or it has ended. @throws DependencyError */
export async function endMute(
  { database, redact, now, deliverNotifications }: MuteServices,
  { id, by }: { readonly id: string; readonly by: string },
  runInBackground: RunInBackground,
): Promise<boolean> {
  const args = { p_id: id, p_now: now().toISOString(), p_by: redact(by).text };
  const isEnded = await database.call("end_mute", args, z.boolean());
  if (isEnded) runInBackground(deliverNotifications());
  return isEnded;
}
