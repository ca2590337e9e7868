import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { renderRecord } from "../../../cli/render-record.ts";
import type { ObservationDetail } from "../../../functions/incidents/observation-detail.ts";
import { fixEntry } from "../../../functions/memory/fixes.ts";
import { OBSERVATION_EXAMPLE, observationEntrySchema } from "../../../functions/memory/memory-lists.ts";
import { sampleFix } from "../memory/samples.ts";

const WIDE = { width: 160, color: false };
const ID = "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a";

const record: ObservationDetail = {
  ...observationEntrySchema.parse(OBSERVATION_EXAMPLE),
  fixes: [
    sampleFix({ text: "Raised the limit", tried: 3, worked: 2, cameBackAt: new Date("2026-03-05T03:00:00Z") }),
    sampleFix({ text: "Restarted it", retired: { at: new Date("2026-03-04T03:00:00Z"), reason: "a newer fix" } }),
    sampleFix({ text: "Emptied the cache", tried: 2, worked: 0 }),
  ].map(fixEntry),
  joined_ids: [],
  separated_from: [],
  incidents: {
    total: 60,
    latest: [
      {
        id: ID,
        target: "api-gateway",
        reported_at: "2026-03-01T03:00:00+00:00",
        fingerprint: "5f0c2b7a9d1e4c3f",
        status: "resolved",
        title: "exited\u001b[31m with 137",
      },
    ],
  },
};

describe("the view of a record", () => {
  const text = renderRecord(record, WIDE);

  it("shows what identifies it, why it is as it is, its shows and its incidents", () => {
    expect(text).toContain(`on api-gateway; domain docker; ${ID}`);
    expect(text).toContain("   - 2 reports on 1 service share its error lines.");
    expect(text).toContain("   - error lines, rules of version 1");
    expect(text).toContain("   - codes: exit 137, OOMKilled");
    expect(text).toContain("   - line, weight 0.90: memory cgroup out of memory killed process *");
    expect(text).toContain("   - 1 time, helped 1 time");
    expect(text).toContain("Incidents: 60, the newest 1");
    expect(text).toMatch(/2026-03-01 03:00 {2}resolved {2}api-gateway {2}5f0c2b7a {5}exited \[31m with 137/);
  });

  it("shows fixes with their proofs, struck through with the reason once retired, and actions that did not help", () => {
    expect(text).toMatch(/ {3}- Raised the limit: helped 2 of 3 times.*; came back 2026-03-05/);
    expect(text).toMatch(/ {3}- ~~Restarted it~~: .*; retired 2026-03-04: a newer fix/);
    expect(text).toContain("   - Emptied the cache: did not help, tried 2 times");
    const colored = renderRecord(record, { ...WIDE, color: true });
    expect(colored).toContain("\u001b[9mRestarted it\u001b[29m");
    expect(stripVTControlCharacters(colored)).not.toContain("~~");
  });

  it("fits the width", () => {
    const lines = renderRecord(record, { width: 60, color: false }).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});
