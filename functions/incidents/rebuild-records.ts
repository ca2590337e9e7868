// Records of an earlier signature version: claims them, reads their reports and makes them anew.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { revisedColumns } from "../memory/memory-updates.ts";
import type { Observation, observationRow } from "../memory/observation.ts";
import { reviseSchema } from "../memory/write-to-record.ts";
import { NO_SIGNATURE, SIGNATURE_VERSION } from "../schemas/failure-signature.ts";
import { pendingWritesSchema } from "../search-index/outbox.ts";
import { incidentRowSchema } from "./incident-records.ts";

const claimedSchema = z.array(
  z.object({ id: z.string(), is_joined: z.boolean() }).transform(({ id, is_joined }) => ({ id, isJoined: is_joined })),
);
export type ClaimedRecord = z.infer<typeof claimedSchema>[number];

/** At most `limit` records of an earlier version. @throws DependencyError */
export async function claimRebuilds(
  database: Database,
  { now, limit, leaseSeconds }: { readonly now: Date; readonly limit: number; readonly leaseSeconds: number },
): Promise<ClaimedRecord[]> {
  const claim = { p_now: now.toISOString(), p_version: SIGNATURE_VERSION };
  // No retry: after a lost result the records are claimed until the lease ends.
  return database.call("claim_rebuilds", { ...claim, p_limit: limit, p_lease_seconds: leaseSeconds }, claimedSchema);
}

const storedReportSchema = incidentRowSchema.extend({ logs: z.string().nullable() });

const groupSchema = z
  .object({
    fingerprint: z.string(),
    count: z.number().int(),
    has_record_id: z.boolean(),
    has_text: z.boolean(),
    incident: storedReportSchema,
  })
  .transform(({ has_record_id, has_text, ...group }) => ({
    ...group,
    hasRecordId: has_record_id,
    hasText: has_text,
  }));
/** The reports of a record with one fingerprint. */
export type FingerprintGroup = z.infer<typeof groupSchema>;

const readSchema = z.object({
  // An incident that this version cannot read has only its id.
  unread: z.array(z.union([storedReportSchema, z.object({ id: z.string() })])),
  groups: z.array(groupSchema),
});
export type ReadReports = z.infer<typeof readSchema>;

/** The fingerprint of a report; null if it cannot be read. */
export interface ReadReport {
  readonly id: string;
  readonly fingerprint: string | null;
}

/**
 * Keeps the fingerprints of these reports. @returns the next incidents of the record to read; once there are none, the groups of
 * its reports, largest first @throws DependencyError
 */
export async function readReports(
  database: Database,
  { id, reports, limit }: { readonly id: string; readonly reports: readonly ReadReport[]; readonly limit: number },
): Promise<ReadReports> {
  const p = { id, version: SIGNATURE_VERSION, reports: reports.map((report) => ({ ...report })), limit };
  return database.call("read_reports", { p }, readSchema, { retries: 1 });
}

const rebuildResultSchema = z.discriminatedUnion("state", [
  /** It is gone, or another run rebuilt it. */
  z.object({ state: z.literal("unchanged") }),
  /** An incident of the groups has left the record: read its reports again. */
  z.object({ state: z.literal("changed") }),
  reviseSchema,
  z.object({
    state: z.literal("rebuilt"),
    pending: pendingWritesSchema,
    split: z.number().int(),
    joined: z.number().int(),
  }),
]);
export type RebuildResult = z.infer<typeof rebuildResultSchema>;

/** The reports of one failure in a record, and the observation of one of them. */
export interface RebuiltGroup {
  readonly keepsId: boolean;
  readonly fingerprints: readonly string[];
  readonly row: ReturnType<typeof observationRow>;
}

/** @throws DependencyError */
export async function storeRebuiltRecord(
  database: Database,
  input: {
    readonly now: Date;
    readonly claimUntil: string;
    readonly id: string;
    readonly groups: readonly RebuiltGroup[];
    readonly revised: readonly Observation[];
  },
): Promise<RebuildResult> {
  const p = {
    now: input.now.toISOString(),
    claim_until: input.claimUntil,
    id: input.id,
    version: SIGNATURE_VERSION,
    unreadable_signature: { ...NO_SIGNATURE, version: SIGNATURE_VERSION },
    groups: input.groups.map(({ keepsId, fingerprints, row }) => ({
      keeps_id: keepsId,
      fingerprints: [...fingerprints],
      row,
    })),
    revised: input.revised.map(revisedColumns),
  };
  return database.call("rebuild_observation", { p }, rebuildResultSchema);
}
