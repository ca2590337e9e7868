import { beforeEach, describe, expect, it } from "vitest";
import { compressSessions } from "../../../functions/jobs/compress-sessions.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { ANSWER_LENGTH } from "../../../functions/memory/past-answers.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import {
  at,
  documentIds,
  HOUR_MS,
  indexedIds,
  LAST_TURN,
  MINUTE_MS,
  pastAnswersOf,
  shift,
  storeTurns,
  uuid,
} from "./support.ts";

/** The default is 20; fewer turns show the same. */
const THRESHOLD = { SESSION_COMPRESS_THRESHOLD: "5" };
const { services } = createHarness(THRESHOLD);
const IDLE = shift(LAST_TURN, 24 * HOUR_MS);
const COLLECTION = "past_answers";
const NOTHING = { sessions: 0, past_answers: 0, retired: 0, failed: 0 };

beforeEach(() => emptyStores(services));

const compressAt = (time: Date) => compressSessions(at(services, time), () => {});
const retryOutboxAt = (time: Date) => retryOutbox(at(services, time));

describe("a session", () => {
  it("is skipped with as many past answers as the threshold, and compressed with one more", async () => {
    await storeTurns(services, { count: 5 });
    expect(await compressAt(IDLE)).toEqual(NOTHING);
    await storeTurns(services, { count: 1, first: 6 });
    expect(await compressAt(IDLE)).toEqual({ sessions: 1, past_answers: 6, retired: 6, failed: 0 });
  });

  it("is skipped 23 hours and 59 minutes after its last turn and compressed a minute later", async () => {
    await storeTurns(services, { count: 6 });
    expect(await compressAt(shift(IDLE, -MINUTE_MS))).toEqual(NOTHING);
    expect(await compressAt(IDLE)).toMatchObject({ sessions: 1 });
  });

  it("is kept active by a run without a past answer", async () => {
    await storeTurns(services, { count: 6 });
    await sql`insert into public.runs (run_id, session_id, started_at, query)
      values (${uuid(900)}, 'on-call-2026-02-01', ${shift(LAST_TURN, HOUR_MS)}, 'is it benign?')`;
    expect(await compressAt(IDLE)).toEqual(NOTHING);
    expect(await compressAt(shift(IDLE, HOUR_MS))).toMatchObject({ sessions: 1 });
  });

  it("becomes one summary with its name, the time of its last turn and the sum of the ratings", async () => {
    const ids = await storeTurns(services, { count: 6 });
    await sql`update public.past_answers set net_rating = 2 where id = ${uuid(3)}`;
    await sql`update public.past_answers set net_rating = -1 where id = ${uuid(4)}`;
    await compressAt(IDLE);
    const { summaries, raw, compressed } = await pastAnswersOf();
    expect(summaries).toMatchObject([
      { question: "[SESSION SUMMARY on-call-]", domain: "docker", net_rating: 1, created_at: LAST_TURN },
    ]);
    expect(summaries[0]?.answer).toContain("Q: why did worker 3 of on-call-2026-02-01 stop?\nA: Worker 3 ran out");
    expect(summaries[0]?.answer.length).toBeLessThanOrEqual(ANSWER_LENGTH);
    expect(raw).toEqual([]);
    expect(compressed.map(({ id }) => id)).toEqual(ids);
    expect(new Set(compressed.map(({ summary_id }) => summary_id))).toEqual(new Set([summaries[0]?.id]));
    const [session] = await sql`select raw_count, claimed_until from public.sessions`;
    expect({ ...session }).toEqual({ raw_count: 0, claimed_until: null });
  });

  it("is replaced by its summary in both stores", async () => {
    const ids = await storeTurns(services, { count: 6 });
    await retryOutboxAt(LAST_TURN);
    await retryOutboxAt(LAST_TURN);
    expect(await indexedIds(services, COLLECTION)).toEqual(ids);
    await compressAt(IDLE);
    const [summary] = (await pastAnswersOf()).summaries;
    expect(await documentIds(COLLECTION)).toEqual([summary?.id]);
    expect(await indexedIds(services, COLLECTION)).toEqual([...ids, summary?.id].sort());
    expect(await retryOutboxAt(IDLE)).toEqual({ written: 6, failed: 0 });
    expect(await indexedIds(services, COLLECTION)).toEqual([summary?.id]);
  });

  it("is compressed once: the next run finds nothing to do", async () => {
    await storeTurns(services, { count: 6 });
    await compressAt(IDLE);
    expect(await compressAt(shift(IDLE, HOUR_MS))).toEqual(NOTHING);
  });

  it("gets another summary after it exceeds the threshold again", async () => {
    await storeTurns(services, { count: 6 });
    await compressAt(IDLE);
    await storeTurns(services, { count: 6, first: 101 });
    expect(await compressAt(shift(IDLE, HOUR_MS))).toMatchObject({ sessions: 1, past_answers: 6, retired: 6 });
    expect((await pastAnswersOf()).summaries).toHaveLength(2);
  });

  it("over three domains is one session with one summary, which a triage in any domain recalls", async () => {
    const domains = ["docker", "postgres", "checkout-team"];
    for (const [i, domain] of domains.entries()) await storeTurns(services, { count: 2, first: 1 + i * 100, domain });
    expect(await sql`select session_id, raw_count from public.sessions`).toEqual([
      { session_id: "on-call-2026-02-01", raw_count: 6 },
    ]);
    expect(await compressAt(IDLE)).toEqual({ sessions: 1, past_answers: 6, retired: 6, failed: 0 });
    const { summaries } = await pastAnswersOf();
    expect(summaries).toMatchObject([{ domain: "general" }]);
    const seenWith = async (...own: string[]) => {
      const [row] = await sql`select public.call_restricted(${own}, 'list_past_answers', '{"p_limit": 50}') as listed`;
      return JSON.stringify(row?.listed).includes("[SESSION SUMMARY");
    };
    expect(await seenWith("docker", "postgres", "general")).toBe(false);
    expect(await seenWith(...domains, "general")).toBe(true);
    await sql`select public.add_summary_domain(${uuid(1)}, 'payments')`;
    expect(await seenWith(...domains, "general")).toBe(false);
    for (let i = 0; i < 2; i++) await retryOutboxAt(IDLE);
    const harness = createHarness();
    await sql`insert into public.domains (name) select unnest(${domains}::text[])`;
    for (const domain of [...domains, undefined]) {
      const labels = domain === undefined ? {} : { domain };
      const { recalled } = await harness.triage({ title: "why did worker 3 of on-call-2026-02-01 stop?", labels });
      expect(recalled.past_answers.map(({ id }) => id)).toContain(summaries[0]?.id);
    }
  });
});

describe("many sessions", () => {
  it("are not delayed by one whose past answers were deleted by hand", async () => {
    await storeTurns(services, { id: "emptied", count: 6 });
    await sql`delete from public.past_answers`;
    await storeTurns(services, { count: 6 });
    expect(await compressAt(IDLE)).toMatchObject({ sessions: 1, failed: 0 });
  });

  it("wait for the next run when the time budget of this one is used up", async () => {
    for (let i = 0; i < 3; i++) await storeTurns(services, { id: `session-${i}`, count: 6, first: 1 + i * 100 });
    // Each reading of the clock takes 5 seconds.
    let readings = 0;
    const slow = { ...services, now: () => shift(IDLE, 5_000 * readings++) };
    const first = await compressSessions(slow, () => {});
    expect(first.sessions).toBeLessThan(3);
    const second = await compressAt(shift(IDLE, HOUR_MS));
    expect(first.sessions + second.sessions).toBe(3);
  });

  it("are each compressed once by two overlapping runs", async () => {
    for (let i = 0; i < 4; i++) await storeTurns(services, { id: `session-${i}`, count: 6, first: 1 + i * 100 });
    const runs = await Promise.all([compressAt(IDLE), compressAt(IDLE)]);
    const sum = (key: keyof typeof NOTHING) => runs.reduce((total, counts) => total + counts[key], 0);
    expect({ sessions: sum("sessions"), past_answers: sum("past_answers"), failed: sum("failed") }).toEqual({
      sessions: 4,
      past_answers: 24,
      failed: 0,
    });
    // A run skips rows that the other one has locked; the next run retires them.
    const rest = await compressAt(shift(IDLE, HOUR_MS));
    expect(sum("retired") + rest.retired).toBe(24);
    const [row] = await sql`select count(*)::int as pending from public.outbox where document_id = ${uuid(1)}`;
    expect(row?.pending).toBe(2);
  });
});

describe("after a failure midway", () => {
  it("of one session, the others are still compressed", async () => {
    for (let i = 0; i < 3; i++) await storeTurns(services, { id: `session-${i}`, count: 6, first: 1 + i * 100 });
    const idleServices = at(services, IDLE);
    const { database } = services.background;
    const call: typeof database.call = async (name, args, schema, options) => {
      if (name === "store_summary" && JSON.stringify(args).includes("session-1"))
        throw new TypeError("a bug that only this session shows");
      return database.call(name, args, schema, options);
    };
    const counts = await compressSessions(
      { ...idleServices, background: { ...services.background, database: { call } } },
      () => {},
    );
    expect(counts).toEqual({ sessions: 2, past_answers: 12, retired: 12, failed: 1 });
    expect((await pastAnswersOf("session-1")).raw).toHaveLength(6);
    expect(await compressAt(shift(IDLE, HOUR_MS))).toMatchObject({ sessions: 1, failed: 0 });
  });

  it("of the index write, the originals stay until the summary is in the index", async () => {
    const ids = await storeTurns(services, { count: 6 });
    await using unavailable = await lyingServer({ answer: () => ({ status: 503, body: "{}" }) });
    const broken = createHarness({ ...THRESHOLD, CHROMA_URL: unavailable.url }).services;
    expect(await compressSessions(at(broken, IDLE), () => {})).toEqual({
      sessions: 1,
      past_answers: 6,
      retired: 0,
      failed: 0,
    });
    expect((await pastAnswersOf()).raw.map(({ id }) => id)).toEqual(ids);
    expect(await documentIds(COLLECTION)).toHaveLength(7);
  });
});
