// Optimistic writes: the text of a record is computed here from the record as it was read. If another write came between,
// the attempt is repeated.

import { z } from "zod";
import { DependencyError } from "../dependencies.ts";
import { type Observation, observationSchema } from "./observation.ts";

/** What an attempt returns if the record is not as it was read. */
export const LOST = Symbol("the record is not as it was read");

/** What the database returns if it needs the documents of these observations: nothing is stored. */
export const reviseSchema = z.object({ state: z.literal("revise"), observations: z.array(observationSchema) });
export type Revise = z.infer<typeof reviseSchema>;

/**
 * A first attempt without a text is lost only to get the record that the text is computed from. Each later lost one means
 * that another write succeeded, so the limit is the number of writes to one record at the same time.
 */
const MAX_ATTEMPTS = 16;

/**
 * Repeats a write until no other one was faster.
 * @param attempt gets the observations that the last attempt asked for
 * @throws DependencyError when the database failed, or every attempt was lost
 */
export async function writeToRecord<T>(
  attempt: (revised: readonly Observation[]) => Promise<T | Revise | typeof LOST>,
): Promise<T> {
  let revised: readonly Observation[] = [];
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    const result = await attempt(revised);
    if (isRevise(result)) revised = result.observations;
    else if (result !== LOST) return result;
  }
  throw new DependencyError("database", "busy", `the record changed during each of ${MAX_ATTEMPTS} attempts`);
}

function isRevise<T>(result: T | Revise): result is Revise {
  return typeof result === "object" && result !== null && "state" in result && result.state === "revise";
}
