// `npm run simulate`: a small burst through the code and the SQL of the product on the simulated platform.

import { beforeAll, describe, expect, inject, it } from "vitest";
import type { Burst } from "../../bench/simulate/burst/burst.ts";
import type { LimitName } from "../../bench/simulate/figures/limits.ts";
import type { ResourceName } from "../../bench/simulate/platform/resources.ts";
import { replayBurst } from "../../bench/simulate/replay/replay-burst.ts";
import { firstLimit, reachedLimits } from "../../bench/simulate/result/ladder.ts";
import { type PlatformFigures, type Recording, simulateBurst } from "../../bench/simulate/simulate-burst.ts";
import { storesOf } from "../../bench/simulate/stores.ts";
import { openFileStores } from "../support/file-stores.ts";
import { plentyOf, SMALL_BURST } from "./figures.ts";

async function run(burst: Burst = SMALL_BURST, figures: PlatformFigures = plentyOf()): Promise<Recording> {
  const stores = await openFileStores(inject("stack"));
  try {
    return await simulateBurst(burst, figures, { stores: storesOf(stores) });
  } finally {
    await stores.close();
  }
}

let recording: Recording;
beforeAll(async () => {
  recording = await run();
});

describe("a simulated burst", () => {
  it("stores every alert once, gives every incident one answer, and completes the index", () => {
    const { stored, delivery, violations, errors, recordsWritten } = recording.outcome;
    expect(violations).toEqual([]);
    expect(errors).toEqual({});
    expect(stored).toMatchObject({ alerts: 96, incidents: 16, answered: 16, triages: 16, overlappingRuns: 0 });
    expect(delivery.decisions).toMatchObject({ created: 16, grouped: 80 });
    expect(delivery.decisions.deduplicated).toBe(delivery.offered - 96);
    expect(recordsWritten).toBeGreaterThanOrEqual(16);
  });

  it("is the same again with the same seed", async () => {
    const { outcome } = await run();
    expect(outcome).toEqual(recording.outcome);
  });

  it("reaches no limit where there is plenty of everything", () => {
    expect(firstLimit(recording.outcome.uses)).toBeNull();
  });

  it("counts the requests of a token: senders get 429 with Retry-After, and deliver all alerts later", async () => {
    const figures = plentyOf();
    const rateLimits = figures.settings.rateLimits.map((rate) => ({ ...rate, limit: 12 }));
    const settings = { ...figures.settings, rateLimits };
    const { outcome } = await run(
      { ...SMALL_BURST, tokens: 1, regions: SMALL_BURST.regions.slice(0, 1) },
      { ...figures, settings },
    );
    expect(outcome.violations).toEqual([]);
    expect(outcome.delivery.statuses["429"]).toBeGreaterThan(0);
    expect(outcome.stored).toMatchObject({ alerts: 96, overlappingRuns: 0 });
    expect(reachedLimits(outcome.uses).map(({ name }) => name)).toContain("requests_of_a_token");
  });
});

describe("the first limit", () => {
  it.each<[ResourceName, Partial<Record<LimitName, number>>]>([
    ["postgres_connections", { postgrestPool: 2 }],
    ["postgres_cpu", { postgresCores: 1 }],
    ["queue_messages", { queueMessagesPerSecond: 2 }],
    ["chroma_writes", { chromaWrites: 1 }],
    ["chroma_reads", { chromaReads: 1 }],
    ["embedding_requests", { embeddingRequestsPerMinute: 4 }],
  ])("is %s where it is lowered", async (name, lowered) => {
    const replayed = await replayBurst(SMALL_BURST, plentyOf(lowered), recording);
    expect(firstLimit(replayed.uses)?.name).toBe(name);
  });

  it("is also found by a run of code and SQL, which loses nothing", async () => {
    const { outcome } = await run(SMALL_BURST, plentyOf({ chromaWrites: 1 }));
    expect(outcome.violations).toEqual([]);
    expect(firstLimit(outcome.uses)?.name).toBe("chroma_writes");
  });
});

describe("a replay", () => {
  it("has the times of the run where nothing is changed", async () => {
    const { stored } = await replayBurst(SMALL_BURST, plentyOf(), recording);
    const { answeredAfter, lastAlertAfter } = recording.outcome.stored;
    for (const ratio of [
      stored.answeredAfter.median / answeredAfter.median,
      stored.answeredAfter.last / answeredAfter.last,
      stored.lastAlertAfter / lastAlertAfter,
    ]) {
      // A burst of a second: the replay counts an answer when it is stored, the run when its storing begins.
      expect(ratio).toBeGreaterThan(0.85);
      expect(ratio).toBeLessThan(1.15);
    }
  });
});
