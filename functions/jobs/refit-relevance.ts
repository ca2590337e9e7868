// Job: fits the calibration of the relevance model to the ratings and resolutions of this deployment. Two runs at once are
// safe: one of them claims the calibration. A fit whose claim a reset took is not stored.

import { claimCalibration, storeCalibration } from "../investigation/relevance/calibration-records.ts";
import { fitCalibration } from "../investigation/relevance/fit-calibration.ts";
import { RELEVANCE_MODEL_FINGERPRINT } from "../investigation/relevance/relevance-model.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";

/** The newest labels that a fit reads. */
const MAX_LABELS = 2_000;

export interface Refitted {
  /** Judged answers that were read; 0 without a new judgement. */
  readonly labels: number;
  /** Those of them that were right. */
  readonly positives: number;
  /** 1 if the numbers changed. */
  readonly changed: number;
}

/** @throws DependencyError when the database fails */
export async function refitRelevance({ config, background, now, log }: InvestigationServices): Promise<Refitted> {
  const model = RELEVANCE_MODEL_FINGERPRINT;
  const started = now();
  const leaseSeconds = config.OUTBOX_LEASE_SECONDS;
  const claim = await claimCalibration(background.database, { model, now: started, leaseSeconds, limit: MAX_LABELS });
  if (claim.state !== "claimed") return { labels: 0, positives: 0, changed: 0 };
  const fit = fitCalibration(claim.labels);
  const { labels, positives, slope, intercept } = fit;
  const isChanged = slope !== claim.slope || intercept !== claim.intercept;
  // Judgements that arrive during the fit are newer than its time, so the next run reads them.
  const stored = { model, claimedUntil: claim.claimed_until, now: started };
  const isStored = await storeCalibration(background.database, fit, stored);
  if (!isStored || !isChanged) return { labels, positives, changed: 0 };
  const { brierBefore: brier_before, brierAfter: brier_after } = fit;
  log("info", "relevance.refitted", { model, labels, positives, slope, intercept, brier_before, brier_after });
  return { labels, positives, changed: 1 };
}
