import { describe, expect, it } from "vitest";
import { coverage, isIdentifier, squash, sumOf } from "../../../../functions/investigation/relevance/report-terms.ts";
import { errorLine, sampleReport } from "./samples.ts";

describe("the terms of a report", () => {
  it("weigh their rarity times 1 + ln of their occurrences", () => {
    const { headline } = sampleReport(
      { title: "disk disk full" },
      { disk: { df: 4, idf: 2 }, full: { df: 9, idf: 1 } },
    );
    expect(headline.get("disk")).toBeCloseTo(2 * (1 + Math.log(2)), 10);
    expect(headline.get("full")).toBe(1);
  });

  it("weigh less if the collection does not hold them", () => {
    const { headline } = sampleReport({ title: "ledger full" }, { ledger: { df: 0, idf: 5 }, full: { df: 9, idf: 1 } });
    expect(headline.get("ledger")).toBe(3);
  });

  it("weigh 1 where the collection has no statistics", () => {
    expect([...sampleReport({ title: "disk full" }).headline.values()]).toEqual([1, 1]);
  });

  it("leave out an unknown compound, whose parts are terms", () => {
    const { headline } = sampleReport(
      { title: "api-gateway" },
      { "api-gateway": { df: 0, idf: 6 }, api: { df: 1, idf: 3 }, gateway: { df: 1, idf: 4 } },
    );
    expect([...headline.keys()].sort()).toEqual(["api", "gateway"]);
  });

  it("include the terms of each error line, by the line's importance", () => {
    const lines = [errorLine("quota exceeded", 0.5), errorLine("disk gone", 1)];
    const report = sampleReport({ title: "disk full", evidence: { lines, state: null } });
    expect(report.lines.map(({ weight }) => weight)).toEqual([0.5, 1]);
    expect(report.all.get("quota")).toBe(0.5);
    // The headline's own weight is not lowered.
    expect(report.all.get("disk")).toBe(1);
    expect([...report.headline.keys()]).not.toContain("quota");
    expect(report.words.has("quota")).toBe(true);
  });

  it("hold the six heaviest of the headline", () => {
    const words = ["alpha", "bravo", "kilo", "delta", "foxtrot", "golf", "hotel", "india"];
    const statistics = Object.fromEntries(words.map((word, i) => [word, { df: 1, idf: i + 1 }]));
    const { heaviest, headline } = sampleReport({ title: words.join(" ") }, statistics);
    expect(headline.size).toBe(8);
    expect([...heaviest.values()]).toEqual([8, 7, 6, 5, 4, 3]);
  });
});

describe("the name of an alert", () => {
  it.each([
    ["the label", { title: "Pod restarts", labels: { alertname: "KubePodCrashLooping" } }, "kubepodcrashlooping"],
    ["an identifier at the beginning", { title: "KubePodCrashLooping: pod restarts" }, "kubepodcrashlooping"],
    ["words joined by underscores", { title: "[FIRING:1] disk_space_usage (/var)" }, "diskspaceusage"],
  ])("is %s", (_, report, name) => {
    expect(sampleReport(report).alertName).toBe(name);
  });

  it.each([
    "Pod restarts",
    "container exited with code 137",
    "",
    "the KubePodCrashLooping alert",
    "StatefulSet has not matched the replicas",
  ])("is not in %j", (title) => {
    expect(sampleReport({ title }).alertName).toBeUndefined();
  });
});

it("an identifier is one word made of several", () => {
  expect(["KubePodCrashLooping", "disk_space_usage", "diskFull"].map(isIdentifier)).toEqual([true, true, true]);
  expect(["Disk", "DISK", "disk full", "disk-full"].map(isIdentifier)).toEqual([false, false, false, false]);
  expect(squash("Disk_space usage")).toBe(squash("diskSpaceUsage"));
});

describe("the coverage", () => {
  const weights = new Map([
    ["disk", 3],
    ["full", 1],
  ]);

  it("is the share of the weight", () => {
    expect(sumOf(weights)).toBe(4);
    expect(coverage(weights, new Set(["disk", "other"]))).toBe(0.75);
    expect(coverage(weights, new Set(["disk", "full"]))).toBe(1);
  });

  it("is 0 of nothing", () => {
    expect(coverage(new Map(), new Set(["disk"]))).toBe(0);
    expect(coverage(weights, new Set())).toBe(0);
  });
});
