import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ASSUMPTIONS, monthlyCosts, totalOf } from "../../../bench/costs/calculate.ts";
import { costTables, withTables } from "../../../bench/costs/costs.ts";
import { freeWorkersProblem, planLimits } from "../../../bench/costs/free-plans.ts";
import { PRICES } from "../../../bench/costs/prices.ts";
import { readUsage, type Usage } from "../../../bench/costs/usage.ts";

const USAGE: Usage = {
  measuredOn: "2026-01-01",
  incidents: 10,
  perIncident: {
    cpuMs: 100,
    subrequests: 20,
    rows: 10,
    postgresBytes: 20_000,
    postgresBytesReturned: 50_000,
    collections: { incidents: { queries: 2, recordsWritten: 1, bytesWritten: 1_024, bytesReturned: 2_048 } },
  },
};
const costs = (incidents: number) =>
  new Map(
    monthlyCosts(USAGE, PRICES, incidents).map((line) => [
      `${line.platform} ${line.unit}`,
      [line.amount, line.dollars],
    ]),
  );

describe("planLimits", () => {
  it("names first the limit that fewer incidents reach", () => {
    const limits = planLimits(USAGE);
    // 460 MB of 20 kB, kept for 12 months.
    expect(limits[0]).toMatchObject({ plan: "Supabase Free", incidents: 1_916 });
    expect(limits.map(({ incidents }) => incidents)).toEqual(
      limits.map(({ incidents }) => incidents).toSorted((a, b) => a - b),
    );
    const returned = planLimits({ ...USAGE, perIncident: { ...USAGE.perIncident, postgresBytesReturned: 5e6 } });
    expect(returned[0]).toMatchObject({ limit: "the database has sent 5 GB", incidents: 1_000 });
  });

  it("says why the free plan of Workers does not do", () => {
    expect(freeWorkersProblem(USAGE)).toMatch(
      /a triage needs 100 ms of CPU time, and a request gets 10; Dejavu has 9 cron/,
    );
  });
});

describe("monthlyCosts", () => {
  it("charges the plans alone for what they include", () => {
    const lines = monthlyCosts({ ...USAGE, perIncident: { ...USAGE.perIncident, collections: {} } }, PRICES, 0);
    expect(totalOf(lines)).toBe(PRICES.workers.base + PRICES.supabase.base);
  });

  it("charges what is above the included amounts", () => {
    const million = costs(1_000_000);
    // 9 requests an incident and those of the cron triggers stay below ten million.
    expect(million.get("Cloudflare Workers million requests")).toEqual([9.05256, 0]);
    // 100 million milliseconds, 30 of them included.
    expect(million.get("Cloudflare Workers million CPU milliseconds")).toEqual([100, expect.closeTo(1.4)]);
    expect(million.get("Cloudflare Queues million operations")).toEqual([6, 2]);
    // 12 million incidents of 20 kB, 8 GB of them included.
    expect(million.get("Supabase GB stored")).toEqual([240, 29]);
    expect(million.get("Supabase GB returned")).toEqual([50, 0]);
  });

  it("charges vectors by their written, stored, scanned and returned bytes", () => {
    const [gib, tib] = [2 ** 30, 2 ** 40];
    const written = 1_000 * (1_024 + ASSUMPTIONS.dimensions * 4);
    const thousand = costs(1_000);
    expect(thousand.get("Chroma Cloud GiB written")?.[1]).toBeCloseTo((written / gib) * 2.5, 9);
    expect(thousand.get("Chroma Cloud GiB stored")?.[1]).toBeCloseTo(((12 * written) / gib) * 0.33, 9);
    expect(thousand.get("Chroma Cloud TiB scanned")?.[1]).toBeCloseTo(((2_000 * 12 * written) / tib) * 0.0075, 9);
    expect(thousand.get("Chroma Cloud GiB returned")?.[1]).toBeCloseTo(((1_000 * 2_048) / gib) * 0.09, 9);
  });

  it("grows with the square of the incidents only in the scans", () => {
    const [once, twice] = [costs(1_000), costs(2_000)];
    for (const [unit, [amount = 0]] of once) {
      const factor = unit.endsWith("plan") ? 1 : unit.endsWith("scanned") ? 4 : 2;
      const crons = unit.endsWith("requests") ? ASSUMPTIONS.cronRuns / 1e6 : 0;
      expect(twice.get(unit)?.[0], unit).toBeCloseTo((amount - crons) * factor + crons, 6);
    }
  });
});

describe("docs/explanation/costs.md", () => {
  it("is what npm run bench -- costs writes", () => {
    const page = readFileSync(new URL("../../../docs/explanation/costs.md", import.meta.url), "utf8");
    expect(page).toBe(withTables(page, costTables(readUsage())));
  });
});
