// Mutes: what is expected for a time, and which incidents that concerns.

import { z } from "zod";
import { redact } from "../../lib/redaction/redact.ts";
import type { Database } from "../adapters/database.ts";
import type { ChangedIncident } from "./choose-targets.ts";
import { matchesAll } from "./matchers.ts";

export const MAX_MUTES = 200;
export const MAX_MUTE_DAYS = 30;

/** Without the number of incidents that it muted. */
export const runningMuteSchema = z.object({
  id: z.string(),
  incident_id: z.string().nullable(),
  fingerprint: z.string().nullable(),
  domain: z.string().nullable(),
  matchers: z.array(z.string()),
  reason: z.string(),
  owner: z.string(),
  starts_at: z.string(),
  ends_at: z.string(),
});
export type RunningMute = z.infer<typeof runningMuteSchema>;

export const muteSchema = runningMuteSchema.extend({ muted: z.number().int() });
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
        (mute.fingerprint !== null && mute.fingerprint === incident.fingerprint)) &&
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
  readonly incident_id: string | null;
  readonly domain: string | null;
  readonly matchers: string[];
  readonly reason: string;
  readonly owner: string;
  readonly ends_at: string;
}

/** Redacts reason and owner. @throws DependencyError @throws RestrictionError for a mute outside of the caller's domains */
export async function addMute(
  database: Database,
  { reason, owner, ...mute }: NewMute,
  now: Date,
): Promise<z.infer<typeof addedSchema>> {
  const texts = { reason: redact(reason).text, owner: redact(owner).text };
  const p = { limit: MAX_MUTES, mute: { ...mute, ...texts, starts_at: now.toISOString() } };
  return database.call("add_mute", { p }, addedSchema);
}

/** False if there is no such mute, or it has ended. @throws DependencyError */
export async function endMute(database: Database, id: string, by: string, now: Date): Promise<boolean> {
  return database.call("end_mute", { p_id: id, p_now: now.toISOString(), p_by: redact(by).text }, z.boolean());
}
