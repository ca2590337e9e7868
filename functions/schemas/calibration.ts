// The calibration of a deployment: two numbers that map the log-odds of the relevance model to a probability.

import { z } from "zod";

/** probability = 1 / (1 + e^−(slope · log-odds + intercept)). */
export const calibrationSchema = z.object({ slope: z.number(), intercept: z.number() });
export type Calibration = Readonly<z.infer<typeof calibrationSchema>>;

/** The probability of the model itself. */
export const DEFAULT_CALIBRATION: Calibration = { slope: 1, intercept: 0 };
