import { describe, expect, it } from "vitest";
import { createTimeLimit, MAX_BATCHES, MAX_RUN_MS, runInBatches } from "../../../functions/jobs/run-in-batches.ts";

/** Counts the batches of a job whose batches take so long each. */
async function countBatches(batchMs: number, batch: (done: number) => boolean): Promise<number> {
  let time = 0;
  let done = 0;
  await runInBatches(createTimeLimit({ now: () => new Date(time) }), async () => {
    time += batchMs;
    done += 1;
    return batch(done);
  });
  return done;
}

describe("runInBatches", () => {
  it("does one batch where there is no more", async () => {
    expect(await countBatches(1, () => false)).toBe(1);
  });

  it("goes on while there is more", async () => {
    expect(await countBatches(1, (done) => done < 7)).toBe(7);
  });

  it("leaves the rest to the next run after so many batches", async () => {
    expect(await countBatches(1, () => true)).toBe(MAX_BATCHES);
  });

  it("leaves the rest to the next run after so much time", async () => {
    expect(await countBatches(MAX_RUN_MS / 4, () => true)).toBe(4);
  });

  it("does one batch also when the time was over before, so that each run comes a little further", async () => {
    let done = 0;
    await runInBatches(
      () => true,
      async () => {
        done += 1;
        return true;
      },
    );
    expect(done).toBe(1);
  });
});
