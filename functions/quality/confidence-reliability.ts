// How far the confidence of this deployment's answers can be believed, by what people said about them.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import {
  brierScore,
  expectedCalibrationError,
  type GradedAnswer,
  reliabilityBins,
  shareOfRight,
} from "./reliability.ts";

/** Fewer judged answers are too few: the interval of a bin covers most of the diagram. */
export const MIN_JUDGED_ANSWERS = 50;
const BINS = 5;
/** The newest judgements that are read. */
const MAX_JUDGED_ANSWERS = 5_000;

export const confidenceReliabilitySchema = z.object({
  judged: z.number().int().describe("Judged answers. An answer counts once, with its newest judgement."),
  right: z.number().int().describe("Those of them that were right."),
  enough: z
    .boolean()
    .describe("False with fewer than `min_judged` judged answers: the figures are then mostly chance."),
  min_judged: z.number().int(),
  bins: z
    .array(
      z.object({
        from: z.number().describe("Lowest confidence of the bin."),
        to: z.number().describe("Highest confidence of the bin."),
        answers: z.number().int(),
        mean_confidence: z.number(),
        share_right: z.number(),
        low: z.number().describe("Lower end of the 95 % Wilson interval of `share_right`."),
        high: z.number().describe("Upper end of that interval."),
      }),
    )
    .describe("Five bins of equal width, by ascending confidence, without empty ones."),
  brier_score: z
    .number()
    .nullable()
    .describe("Mean squared difference between confidence and correctness; lower is better. Null without answers."),
  brier_of_base_rate: z
    .number()
    .nullable()
    .describe("The Brier score if every answer had the share of right answers as its confidence."),
  calibration_error: z
    .number()
    .nullable()
    .describe("Mean distance between confidence and share of right answers, weighted by the answers of each bin."),
});
export type ConfidenceReliability = z.infer<typeof confidenceReliabilitySchema>;

const judgedSchema = z.array(
  z
    .object({ triage_id: z.string(), confidence: z.number(), is_right: z.boolean() })
    .transform(({ triage_id, confidence, is_right }): GradedAnswer => {
      return { caseId: triage_id, confidence, isRight: is_right };
    }),
);

/** @throws DependencyError */
export async function readConfidenceReliability(database: Database, since: Date): Promise<ConfidenceReliability> {
  const args = { p_since: since.toISOString(), p_limit: MAX_JUDGED_ANSWERS };
  return reliabilityOf(await database.call("judged_answers", args, judgedSchema, { retries: 1 }));
}

export function reliabilityOf(answers: readonly GradedAnswer[]): ConfidenceReliability {
  const shareRight = shareOfRight(answers);
  const bins = reliabilityBins(answers, BINS);
  return {
    judged: answers.length,
    right: answers.filter(({ isRight }) => isRight).length,
    enough: answers.length >= MIN_JUDGED_ANSWERS,
    min_judged: MIN_JUDGED_ANSWERS,
    bins: bins.map(({ from, to, answers: count, meanConfidence, shareRight: share, interval }) => ({
      from,
      to,
      answers: count,
      mean_confidence: meanConfidence,
      share_right: share,
      ...interval,
    })),
    brier_score: brierScore(answers),
    brier_of_base_rate: shareRight === null ? null : shareRight * (1 - shareRight),
    calibration_error: shareRight === null ? null : expectedCalibrationError(bins),
  };
}
