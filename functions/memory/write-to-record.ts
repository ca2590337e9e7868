// Optimistic writes: the text of a record is computed here from the record as it was read. If another write came between,
// the attempt is repeated.

import { DependencyError } from "../dependencies.ts";

/** What an attempt returns if the record is not as it was read. */
export const LOST = Symbol("the record is not as it was read");

/**
 * A first attempt without a text is lost only to get the record that the text is computed from. Each later lost one means
 * that another write succeeded, so the limit is the number of writes to one record at the same time.
 */
const MAX_ATTEMPTS = 16;

/**
 * Repeats a write until no other one was faster.
 * @throws DependencyError when the database failed, or every attempt was lost
 */
export async function writeToRecord<T>(attempt: () => Promise<T | typeof LOST>): Promise<T> {
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    const result = await attempt();
    if (result !== LOST) return result;
  }
  throw new DependencyError("database", "busy", `the record changed during each of ${MAX_ATTEMPTS} attempts`);
}
