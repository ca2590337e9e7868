// The period of a quality report, as a query parameter.

import { z } from "@hono/zod-openapi";

const MAX_DAYS = 365;
const DEFAULT_DAYS = 30;

export const periodQuery = z.strictObject({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_DAYS)
    .default(DEFAULT_DAYS)
    .openapi({ description: "Length of the period in days, UTC, with today as the last one." }),
});
