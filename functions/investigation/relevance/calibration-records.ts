// Rows of the calibration: claims, stores, reads and resets it.

import { z } from "zod";
import type { Database } from "../../adapters/database.ts";
import type { CalibrationFit, CalibrationLabel } from "./fit-calibration.ts";

const time = z.string().transform((value) => new Date(value).toISOString());

export const calibrationRecordSchema = z.object({
  model: z.string().describe("Fingerprint of the relevance model. Another model starts with the default."),
  slope: z.number().describe("Factor of the log-odds, 0.5 to 2; 1 by default."),
  intercept: z.number().describe("Added to the scaled log-odds, -1.5 to 1.5; 0 by default."),
  labels: z.number().int().describe("Judged answers of the last fit. Fewer than 50 keep the default."),
  positives: z.number().int().describe("Those of them that were right."),
  brier_before: z
    .number()
    .nullable()
    .describe("Mean squared error of the probabilities on these labels with the default; null without labels."),
  brier_after: z.number().nullable().describe("The same with the fitted numbers."),
  fitted_at: time.nullable().describe("Time of the last fit; null if there was none since the reset."),
  ignore_before: time.nullable().describe("Time of the last reset. Judgements up to then are not used."),
});
export type CalibrationRecord = z.infer<typeof calibrationRecordSchema>;

const claimSchema = z.discriminatedUnion("state", [
  /** Another run holds it. */
  z.object({ state: z.literal("busy") }),
  /** There is no judgement since the last fit. */
  z.object({ state: z.literal("unchanged") }),
  z.object({
    state: z.literal("claimed"),
    claimed_until: z.string(),
    slope: z.number(),
    intercept: z.number(),
    labels: z.array(
      z
        .object({ log_odds: z.number(), is_right: z.boolean() })
        .transform(({ log_odds, is_right }): CalibrationLabel => ({ logOdds: log_odds, isRight: is_right })),
    ),
  }),
]);
export type CalibrationClaim = z.infer<typeof claimSchema>;

/** Claims the calibration of a model for a fit and reads its newest labels. @throws DependencyError */
export async function claimCalibration(
  database: Database,
  claim: { readonly model: string; readonly now: Date; readonly leaseSeconds: number; readonly limit: number },
): Promise<CalibrationClaim> {
  const { model, now, leaseSeconds, limit } = claim;
  const args = { p_model: model, p_now: now.toISOString(), p_lease_seconds: leaseSeconds, p_limit: limit };
  // No retry: after a lost result the calibration is busy until the claim ends.
  return database.call("claim_calibration", args, claimSchema);
}

/** False if the claim is no longer held: the calibration was reset, or another run took it. @throws DependencyError */
export async function storeCalibration(
  database: Database,
  fit: CalibrationFit,
  claim: { readonly model: string; readonly claimedUntil: string; readonly now: Date },
): Promise<boolean> {
  const p = {
    model: claim.model,
    claimed_until: claim.claimedUntil,
    now: claim.now.toISOString(),
    slope: fit.slope,
    intercept: fit.intercept,
    labels: fit.labels,
    positives: fit.positives,
    brier_before: fit.brierBefore,
    brier_after: fit.brierAfter,
  };
  return database.call("store_calibration", { p }, z.boolean());
}

/** As stored, or the default. @throws DependencyError */
export async function readCalibration(database: Database, model: string): Promise<CalibrationRecord> {
  return database.call("get_calibration", { p_model: model }, calibrationRecordSchema, { retries: 1 });
}

/** Returns to the default and ignores the judgements up to now. @throws DependencyError */
export async function resetCalibration(database: Database, model: string, now: Date): Promise<CalibrationRecord> {
  const args = { p_model: model, p_now: now.toISOString() };
  return database.call("reset_calibration", args, calibrationRecordSchema, { retries: 1 });
}
