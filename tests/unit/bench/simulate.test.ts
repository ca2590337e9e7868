import { describe, expect, it } from "vitest";
import { drawCost, readCosts } from "../../bench/simulate/figures/costs.ts";
import { LIMITS, type Limit, type LimitName, publishedLimits } from "../../bench/simulate/figures/limits.ts";
import { readWranglerSettings } from "../../bench/simulate/figures/wrangler-settings.ts";
import { OptionError, readOptions } from "../../bench/simulate/options.ts";
import {
  createPool,
  createRate,
  createUseRecorder,
  type ResourceName,
} from "../../bench/simulate/platform/resources.ts";
import { predecessorsOf, type RecordedCall } from "../../bench/simulate/platform/traces.ts";
import { createVirtualClock } from "../../bench/simulate/platform/virtual-clock.ts";
import { REMEDIES } from "../../bench/simulate/result/remedies.ts";
import { duration } from "../../bench/simulate/result/report.ts";

describe("the virtual clock", () => {
  it("runs events in the order of their time, and those of one instant in the order in which they were added", async () => {
    const clock = createVirtualClock();
    const events: string[] = [];
    clock.after(20, () => void events.push("late"));
    clock.after(10, () => void events.push("first of two"));
    clock.after(10, () => void events.push("second of two"));
    clock.after(5, () => void events.push("cancelled"))();
    await clock.run(() => false, 1_000);
    expect(events).toEqual(["first of two", "second of two", "late"]);
    expect(clock.now()).toBe(20);
  });

  it("ends with the error of work that nobody waits for", async () => {
    const clock = createVirtualClock();
    clock.start(async () => {
      await clock.sleep(1);
      throw new Error("a bug");
    });
    await expect(clock.run(() => false, 1_000)).rejects.toThrow("a bug");
  });
});

describe("a resource", () => {
  it("gives its places in the order of arrival, and reports noticeable waits", async () => {
    const [clock, recorder] = [createVirtualClock(), createUseRecorder()];
    const pool = createPool({ clock, recorder, name: "postgres_connections", size: 1 });
    const events: number[] = [];
    for (const place of [1, 2, 3]) {
      clock.start(async () => {
        const release = await pool.acquire();
        events.push(place);
        await clock.sleep(150);
        release();
      });
    }
    await clock.run(() => false, 1_000);
    expect(events).toEqual([1, 2, 3]);
    const use = recorder.report({ ...NO_LIMITS, postgres_connections: 1 }).find(({ peak }) => peak > 0);
    expect(use).toMatchObject({ peak: 1, limit: 1, reachedAt: 0, waitedMs: 450, longestWaitMs: 300, refused: 0 });
  });

  it("refuses what exceeds the rate of a period, and admits it in the next one", async () => {
    const [clock, recorder] = [createVirtualClock(), createUseRecorder()];
    const rate = createRate({ clock, recorder, name: "queue_messages", size: 2, periodMs: 1_000 });
    const events = [rate.take(), rate.take(), rate.take()];
    clock.after(1_000, () => void events.push(rate.take()));
    await clock.run(() => false, 10_000);
    expect(events).toEqual([true, true, false, true]);
  });
});

const NO_LIMITS = {
  postgres_connections: 0,
  postgres_cpu: 0,
  postgres_locks: 0,
  worker_connections: 0,
  request_cpu: 0,
  triage_cpu: 0,
  triage_consumers: 0,
  queue_messages: 0,
  chroma_reads: 0,
  chroma_writes: 0,
  embedding_requests: 0,
  requests_of_a_token: 0,
  waiting_incidents_of_a_token: 0,
};

it("replays each call after the last call that had ended before it", () => {
  const call = (startedAt: number, endedAt: number): RecordedCall => ({
    store: "sql",
    name: "x",
    alerts: 0,
    locks: [],
    collection: "",
    startedAt,
    endedAt,
  });
  expect(predecessorsOf([call(0, 10), call(0, 20), call(20, 30), call(12, 15)])).toEqual([-1, -1, 1, 0]);
});

describe("figures", () => {
  it("are above zero, and have an address as their source unless they are assumed", () => {
    for (const { value, source } of Object.values<Limit>(LIMITS)) {
      expect(value).toBeGreaterThan(0);
      if (source !== null) expect(source).toMatch(/^https:\/\//);
    }
  });

  it("read the queues and the rate limits from wrangler.toml", () => {
    const { queues, rateLimits, producers } = readWranglerSettings();
    expect(queues.find(({ name }) => name === "dejavu-triages")).toMatchObject({
      deadLetterQueue: "dejavu-triages-dead",
    });
    expect(rateLimits.map(({ binding }) => binding)).toContain("RATE_LIMIT");
    expect(producers.TRIAGE_QUEUE).toBe("dejavu-triages");
  });

  it("draw a duration between the recorded ones, longer for more alerts", () => {
    const costs = readCosts();
    const of = (alerts: number, random: number) => drawCost(costs, "sql ingest_alerts_within", alerts, random);
    expect(of(1, 0)).toBe(costs.operations["sql ingest_alerts_within"]?.quantiles[0]);
    expect(of(50, 0.5)).toBeGreaterThan(of(1, 0.5));
    expect(of(costs.manyAlerts, 1)).toBeCloseTo(costs.operations["sql ingest_alerts_within"]?.manyAlerts?.at(-1) ?? 0);
  });
});

describe("remedies", () => {
  it("double the consumers, and grow the pool before the compute", () => {
    const figures = { settings: readWranglerSettings(), limits: publishedLimits(), costs: readCosts() };
    const changes = (name: ResourceName, limits: Partial<Record<LimitName, number>> = {}) =>
      REMEDIES[name].ways.map((way) => way({ ...figures, limits: { ...figures.limits, ...limits } })?.description);
    const larger = "Supabase, Settings, Compute: XL, 4 cores, 240 connections";
    expect(changes("triage_consumers")).toEqual([
      "wrangler.toml, consumer of dejavu-triages: max_concurrency = 8",
      larger,
    ]);
    expect(changes("postgres_connections")).toEqual(["Supabase, Settings, Data API: Pool size = 20", larger]);
    expect(changes("postgres_connections", { postgrestPool: 40 })).toEqual([undefined, larger]);
    expect(changes("postgres_cpu", { postgresCores: 32 })).toEqual([undefined]);
  });
});

describe("options", () => {
  it.each([
    [["--alerts", "many"], "--alerts is many: it must be a whole number from 1 to 1000000."],
    [["--alerts", "5", "--teams", "9"], "--alerts is 5, but there are 9 teams: each needs an alert."],
    [["--regions", "11"], "--regions is 11: it must be a whole number from 1 to 10."],
    [["--repeats", "2"], "--repeats is 2: it must be from 0 to 1."],
    [["--set", "pool=3"], "--set names pool, which is no limit."],
    [["--set", "postgrestPool"], "--set is postgrestPool: it must be <name>=<number above 0>."],
    [["--consumer-region", "moon"], "--consumer-region names moon, which is no region."],
    [["--wrong"], "--wrong"],
  ])("%j are refused with a reason", (args, message) => {
    expect(() => readOptions(args)).toThrow(OptionError);
    expect(() => readOptions(args)).toThrow(message);
  });

  it("change limits and round trips", () => {
    const options = readOptions(["--set", "postgrestPool=3", "--rtt", "eu-west-1=12", "--regions", "4"]);
    expect(options?.limits.postgrestPool).toBe(3);
    expect(options?.burst.regions.at(-1)).toEqual({ name: "eu-west-1", roundTripMs: 12 });
    expect(options?.burst.tokens).toBe(1_000);
  });
});

it("writes durations for people", () => {
  expect([0.44, 38.2, 250, 7_260].map(duration)).toEqual(["0.4 s", "38 s", "4 min 10 s", "2 h 1 min"]);
});
