// The compression of many past answers and sessions, and after a failure of each single call.

import { beforeEach, describe, expect, it } from "vitest";
import { compressSessions } from "../../../functions/jobs/compress-sessions.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import {
  at,
  documentIds,
  failingCall,
  HOUR_MS,
  indexedIds,
  LAST_TURN,
  pastAnswersOf,
  shift,
  storeTurns,
  uuid,
} from "../../integration/jobs/support.ts";
import { createHarness, emptyStores, sql } from "../../integration/support/harness.ts";

const { services } = createHarness();
const IDLE = shift(LAST_TURN, 24 * HOUR_MS);
const COLLECTION = "past_answers";

beforeEach(() => emptyStores(services));

const compressAt = (time: Date) => compressSessions(at(services, time), () => {});
const retryOutboxAt = (time: Date) => retryOutbox(at(services, time));

describe("a session", () => {
  it("with more than 200 past answers keeps the newest ones uncompressed", async () => {
    await storeTurns(services, { count: 201 });
    expect(await compressAt(IDLE)).toEqual({ sessions: 1, past_answers: 200, retired: 200, failed: 0 });
    expect((await pastAnswersOf()).raw.map(({ id }) => id)).toEqual([uuid(201)]);
  });
});

describe("many sessions", () => {
  it("are compressed in one run, batch by batch", async () => {
    for (let i = 0; i < 11; i++) await storeTurns(services, { id: `session-${i}`, count: 21, first: 1 + i * 100 });
    expect(await compressAt(IDLE)).toEqual({ sessions: 11, past_answers: 231, retired: 231, failed: 0 });
  });
});

describe("after a failure midway", () => {
  it.each([
    ["before it takes effect", false],
    ["after it takes effect", true],
  ])(
    "of each single call %s, a later run ends with one summary and no lost or duplicate record",
    async (_, whenReached) => {
      let failing = 0;
      for (let wasReached = true; wasReached; ) {
        failing += 1;
        await emptyStores(services);
        const ids = await storeTurns(services, { count: 21 });
        await retryOutboxAt(LAST_TURN);
        await retryOutboxAt(LAST_TURN);
        const broken = failingCall(at(services, IDLE), failing, { whenReached });
        await compressSessions(broken.services, () => {}).catch(() => {});
        wasReached = broken.wasReached();

        const inBetween = await pastAnswersOf();
        const reachable = new Set(await documentIds(COLLECTION));
        for (const { id } of inBetween.raw) expect(reachable, `call ${failing}`).toContain(id);
        if (inBetween.compressed.length > 0)
          expect(await indexedIds(services, COLLECTION)).toContain(inBetween.summaries[0]?.id);

        const later = shift(IDLE, HOUR_MS);
        await retryOutboxAt(later);
        await compressAt(later);
        for (let i = 0; i < 2; i++) await retryOutboxAt(shift(later, HOUR_MS));
        const { summaries, raw, compressed } = await pastAnswersOf();
        expect(summaries, `call ${failing}`).toHaveLength(1);
        expect(raw).toEqual([]);
        expect(compressed.map(({ id }) => id)).toEqual(ids);
        expect(await documentIds(COLLECTION)).toEqual([summaries[0]?.id]);
        expect(await indexedIds(services, COLLECTION)).toEqual([summaries[0]?.id]);
        const [row] = await sql`select (select count(*)::int from public.outbox where done_at is null) as pending,
        (select raw_count from public.sessions) as raw_count`;
        expect({ ...row }).toEqual({ pending: 0, raw_count: 0 });
      }
      // Every statement failed once: retire, claim, store, embed, copy, complete, retire.
      expect(failing).toBeGreaterThanOrEqual(7);
    },
  );
});
