import { beforeEach, describe, expect, it } from "vitest";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { MAX_BATCHES } from "../../../functions/jobs/run-in-batches.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { at, indexedIds, LAST_TURN, storeTurns } from "./support.ts";

const { services } = createHarness({ OUTBOX_BATCH_SIZE: "2" });

beforeEach(() => emptyStores(services));

describe("retry-outbox", () => {
  it("writes up to 20 batches in a run and leaves the rest to the next", async () => {
    const ids = await storeTurns(services, { count: 2 * MAX_BATCHES + 1 });
    expect(await retryOutbox(at(services, LAST_TURN))).toEqual({ written: 2 * MAX_BATCHES, failed: 0 });
    expect(await retryOutbox(at(services, LAST_TURN))).toEqual({ written: 1, failed: 0 });
    expect(await indexedIds(services, "past_answers")).toEqual(ids);
  });

  it("writes each entry once when two runs overlap", async () => {
    const ids = await storeTurns(services, { count: 30 });
    const runs = await Promise.all([retryOutbox(at(services, LAST_TURN)), retryOutbox(at(services, LAST_TURN))]);
    expect(runs.reduce((sum, { written }) => sum + written, 0)).toBe(30);
    expect(await indexedIds(services, "past_answers")).toEqual(ids);
    // The attempt of the request that stored the record, and one more.
    expect(await sql`select 1 from public.outbox where attempts <> 2 or done_at is null`).toHaveLength(0);
  });
});
