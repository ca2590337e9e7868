// Makes a record of an earlier signature version anew from its stored reports: one record for each failure among them.

import { getIncident, incidentOf } from "../../incidents/incident-records.ts";
import {
  type ClaimedRecord,
  type FingerprintGroup,
  type ReadReport,
  type ReadReports,
  type RebuildResult,
  type RebuiltGroup,
  readReports,
  storeRebuiltRecord,
} from "../../incidents/rebuild-records.ts";
import { fingerprintOfReport, observedReport } from "../../memory/observed-report.ts";
import { isSameFailure } from "../../memory/same-failure.ts";
import { LOST, writeToRecord } from "../../memory/write-to-record.ts";
import type { FailureSignature } from "../../schemas/failure-signature.ts";
import { claimUntil } from "../../search-index/flush-outbox.ts";
import type { PendingWrite } from "../../search-index/outbox.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { describeRecord } from "./describe-record.ts";

/** A log has at most 500,000 characters. */
const REPORTS_PER_CALL = 10;
export interface RebuiltRecord {
  readonly pending: readonly PendingWrite[];
  /** Records that it was split into, besides itself. */
  readonly split: number;
  /** Records that it was joined with. */
  readonly joined: number;
}

/**
 * Reading may take more than one run: the fingerprints that were read are kept.
 * @returns null if the time was up, or the record was rebuilt or deleted meanwhile
 * @throws DependencyError when the database failed, or the record changed during every attempt
 */
export async function rebuildRecord(
  services: InvestigationServices,
  record: ClaimedRecord,
  isTimeUp: () => boolean,
): Promise<RebuiltRecord | null> {
  const { database } = services.background;
  let groups: readonly RebuiltGroup[] | null = null;
  return writeToRecord(async (revised) => {
    groups ??= await groupsOf(services, record, isTimeUp);
    if (groups === null) return null;
    const input = { now: services.now(), claimUntil: claimUntil(services), id: record.id, groups, revised };
    const result: RebuildResult = await storeRebuiltRecord(database, input);
    if (result.state === "unchanged") return null;
    if (result.state !== "changed") return result;
    groups = null;
    return LOST;
  });
}

/** The failures among the reports of a record, each with the observation of one incident; null if the time was up. */
async function groupsOf(
  services: InvestigationServices,
  { id, isJoined }: ClaimedRecord,
  isTimeUp: () => boolean,
): Promise<RebuiltGroup[] | null> {
  const { database } = services.background;
  let reports: readonly ReadReport[] = [];
  let read: ReadReports;
  do {
    if (isTimeUp()) return null;
    read = await readReports(database, { id, reports, limit: REPORTS_PER_CALL });
    reports = read.unread.map(readReport);
  } while (reports.length > 0);
  const signed = read.groups.map((group) => ({
    ...group,
    signature: observedReport(incidentOf(group.incident)).signature,
  }));
  // A record that a person joined is not split again.
  const [first, ...others] = signed;
  const failures = isJoined && first ? [[first, ...others] satisfies SignedGroups] : groupByFailure(signed);
  const keeper = failures.find(has("hasRecordId")) ?? failures.find(has("hasText")) ?? failures[0];
  const groups: RebuiltGroup[] = [];
  for (const failure of failures) {
    const row = await rowOf(services, failure);
    if (row === null) return null;
    groups.push({ keepsId: failure === keeper, fingerprints: failure.map(({ fingerprint }) => fingerprint), row });
  }
  return groups;
}

type SignedGroup = FingerprintGroup & { readonly signature: FailureSignature };
type SignedGroups = readonly [SignedGroup, ...SignedGroup[]];

function has(fact: "hasRecordId" | "hasText") {
  return (groups: SignedGroups) => groups.some((group) => group[fact]);
}

function readReport(incident: ReadReports["unread"][number]): ReadReport {
  return { id: incident.id, fingerprint: "title" in incident ? fingerprintOfReport(incidentOf(incident)) : null };
}

/** Null if the incident was deleted meanwhile. */
async function rowOf(services: InvestigationServices, groups: SignedGroups) {
  const described =
    groups.find(({ hasText }) => hasText) ?? groups.find(({ hasRecordId }) => hasRecordId) ?? first(groups);
  const current = await getIncident(services.background.database, described.incident.id);
  return current && describeRecord(current, { now: services.now(), config: services.config });
}

function first(groups: SignedGroups): SignedGroup {
  return groups.reduce((earliest, group) =>
    group.incident.created_at < earliest.incident.created_at ? group : earliest,
  );
}

/**
 * Joins items whose failures are the same, each with the first group that its signature matches.
 * @param items of different fingerprints, the most frequent first
 * @returns groups of items, in the order of their first items
 */
export function groupByFailure<T extends { readonly signature: FailureSignature }>(items: readonly T[]): [T, ...T[]][] {
  const groups: [T, ...T[]][] = [];
  for (const item of items) {
    const group = groups.find(([first]) => isSameFailure(first.signature, item.signature));
    if (group) group.push(item);
    else groups.push([item]);
  }
  return groups;
}
