// Answers and judgements by day, and how long an answer took.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { daysOfPeriod, startOfPeriod } from "./period.ts";

const count = z.number().int();
const answersSchema = z.object({ cause: count, possible: count, unknown: count, benign: count });
const judgementsSchema = z.object({
  up: count.describe("Ratings that an answer helped."),
  down: count.describe("Ratings that it did not."),
  worked: count.describe("Resolutions that say that the answer led to the fix."),
  did_not_work: count.describe("Resolutions that say that it did not."),
});
const elapsedSchema = z
  .object({ median_ms: z.number(), p95_ms: z.number().describe("95 of 100 answers were at least as fast.") })
  .nullable()
  .describe("From the start of an investigation to its answer; null without answers.");
const figures = { answers: answersSchema, judgements: judgementsSchema, elapsed: elapsedSchema };

export const outcomesSchema = z.object({
  total: z.object(figures).describe("All days together."),
  days: z
    .array(z.object({ date: z.string().describe("The day, UTC."), ...figures }))
    .describe("Every day of the period, oldest first. A judgement counts on the day when it was given."),
});
export type Outcomes = z.infer<typeof outcomesSchema>;
type Judgements = z.infer<typeof judgementsSchema>;

const elapsedRow = z
  .tuple([z.number().nullable(), z.number().nullable()])
  .nullable()
  .transform((row): z.infer<typeof elapsedSchema> => {
    const [median, p95] = row ?? [null, null];
    return median === null || p95 === null ? null : { median_ms: Math.round(median), p95_ms: Math.round(p95) };
  });
const rowsSchema = z.object({
  answers: z.array(answersSchema.extend({ day: z.string().nullable(), elapsed: elapsedRow })),
  ratings: z.array(z.object({ day: z.string(), up: count, down: count })),
  resolutions: z.array(z.object({ day: z.string(), worked: count, did_not_work: count })),
});

const NO_ANSWERS = { cause: 0, possible: 0, unknown: 0, benign: 0 };
const NO_JUDGEMENTS: Judgements = { up: 0, down: 0, worked: 0, did_not_work: 0 };

/** @throws DependencyError */
export async function readOutcomes(database: Database, now: Date, days: number): Promise<Outcomes> {
  const args = { p_since: startOfPeriod(now, days).toISOString() };
  const rows = await database.call("outcomes_by_day", args, rowsSchema, { retries: 1 });
  const answered = new Map(rows.answers.map(({ day, ...row }) => [day, row]));
  const rated = new Map(rows.ratings.map(({ day, ...row }) => [day, row]));
  const resolved = new Map(rows.resolutions.map(({ day, ...row }) => [day, row]));
  const figuresOf = (day: string | null, judgements: Judgements) => {
    const { elapsed, ...answers } = answered.get(day) ?? { ...NO_ANSWERS, elapsed: null };
    return { answers, judgements, elapsed };
  };
  const listed = daysOfPeriod(now, days).map((date) => ({
    date,
    ...figuresOf(date, { ...NO_JUDGEMENTS, ...rated.get(date), ...resolved.get(date) }),
  }));
  const total = listed.reduce((sum, { judgements }) => added(sum, judgements), NO_JUDGEMENTS);
  return { total: figuresOf(null, total), days: listed };
}

function added(one: Judgements, other: Judgements): Judgements {
  return {
    up: one.up + other.up,
    down: one.down + other.down,
    worked: one.worked + other.worked,
    did_not_work: one.did_not_work + other.did_not_work,
  };
}
