// Corrections of records by people: a split gives incidents a record of their own, a join makes one record of two. The vector
// index follows in a background task.

import type { RunInBackground } from "../../background-tasks.ts";
import {
  type JoinResult,
  joinRecords,
  type RecordCorrection,
  type SplitResult,
  splitRecord,
} from "../../incidents/record-corrections.ts";
import { LOST, writeToRecord } from "../../memory/write-to-record.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { describeRecord, type RecordRow } from "./describe-record.ts";

interface CorrectionRequest {
  readonly observationId: string;
  readonly reason: string | null;
}

/** A result other than a request for more. */
export type Split = Exclude<SplitResult, { readonly state: "describe" | "revise" }>;
export type Join = Exclude<JoinResult, { readonly state: "revise" }>;

/**
 * Gives incidents of a record one of their own. Where the incident with the record's id is among them, the other incidents move to the new record instead.
 * @throws DependencyError when the database failed, or the record changed during every attempt
 */
export async function splitObservation(
  services: InvestigationServices,
  request: CorrectionRequest & { readonly incidentIds: readonly string[] },
  runInBackground: RunInBackground,
): Promise<Split> {
  const { config, database } = services;
  const correction = correctionOf(services, request);
  let row: RecordRow | null = null;
  return writeToRecord<Split>(async (revised) => {
    const input = { ...correction, incidentIds: request.incidentIds, row, revised };
    const result: SplitResult = await splitRecord(database, input);
    if (result.state === "split") runInBackground(flushOutbox(services, result.pending));
    if (result.state !== "describe") return result;
    row = describeRecord(result.found, { now: correction.now, config });
    return LOST;
  });
}

/**
 * Joins a record into another one, and deletes it.
 * @throws DependencyError when the database failed, or the record changed during every attempt
 */
export async function joinObservations(
  services: InvestigationServices,
  request: CorrectionRequest & { readonly otherId: string },
  runInBackground: RunInBackground,
): Promise<Join> {
  const correction = correctionOf(services, request);
  return writeToRecord<Join>(async (revised) => {
    const input = { ...correction, otherId: request.otherId, revised };
    const result: JoinResult = await joinRecords(services.database, input);
    if (result.state === "joined") runInBackground(flushOutbox(services, result.pending));
    return result;
  });
}

function correctionOf(
  services: InvestigationServices,
  { observationId, reason }: CorrectionRequest,
): Omit<RecordCorrection, "revised"> {
  return {
    now: services.now(),
    claimUntil: claimUntil(services),
    observationId,
    judgementId: services.newId(),
    reason: reason === null ? null : services.redact(reason).text,
  };
}
