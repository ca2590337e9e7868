import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TermWeight, weightTerms } from "../../../../lib/ranking/bm25.ts";
import { createTitleMatcher, type TitleMatcher } from "../../../../lib/ranking/title-match.ts";
import { tokenize } from "../../../../lib/text/tokenize.ts";

function matcherOf(
  query: string,
  titles: readonly string[] = [],
  statistics: Record<string, TermWeight> = {},
): TitleMatcher {
  return createTitleMatcher(query, weightTerms(tokenize(query)), { titles, statistics });
}

describe("strengthOf", () => {
  it.each([
    // coverage² · √(share of the query)
    ["disk full", "Disk full", 1],
    ["full disk", "The disk is full", 1],
    ["disk full", "Disk slow", 0.25 * Math.sqrt(0.5)],
    ["disk full", "Disk", Math.sqrt(0.5)],
    ["disk full", "Node down", 0],
    // The query has the whole identifier and its words.
    ["DiskFull", "Disk full", Math.sqrt(2 / 3)],
    ["disk disk full", "Full", Math.sqrt(1 / (2 + Math.log(2)))],
  ])("for the query %j and the title %j is %d", (query, title, strength) => {
    expect(matcherOf(query).strengthOf(title)).toBeCloseTo(strength, 12);
  });

  it.each([
    ["", "Disk full"],
    ["the of — …", "Disk full"],
    ["disk full", ""],
    ["disk full", "The of …"],
    ["", ""],
  ])("for the query %j and the title %j is 0", (query, title) => {
    expect(matcherOf(query).strengthOf(title)).toBe(0);
  });

  it("is higher for a title that the query covers completely", () => {
    const query = "replica lag on the primary database since 10:00";
    const titles = ["Replica lag", "Replica lost"];
    const matcher = matcherOf(query, titles);
    expect(matcher.strengthOf("Replica lag")).toBeGreaterThan(2 * matcher.strengthOf("Replica lost"));
  });

  it("is low for a title that matches in one word", () => {
    const query = "disk of node db-3 is full, writes fail with ENOSPC since the nightly backup";
    const matcher = matcherOf(query, ["Backup", "Disk full writes fail"]);
    expect(matcher.strengthOf("Backup")).toBeLessThan(matcher.strengthOf("Disk full writes fail") / 1.5);
    expect(matcher.strengthOf("Backup")).toBeLessThan(0.35);
  });

  it.each([
    ["config", "Configuration", 0.8],
    ["configuration", "Config", 0.8],
    ["inconsistent", "Inconsistency", 0.8],
    ["configured", "Configuration", 0.8],
    ["execution", "Executor", 0.8],
    ["config", "Config", 1],
  ])("matches %j and the title %j by their prefix", (query, title, likeness) => {
    expect(matcherOf(query).strengthOf(title)).toBeCloseTo(likeness ** 2 * Math.sqrt(likeness), 12);
  });

  it.each([
    ["container", "Contract"],
    ["transit", "Transport"],
    ["pod", "Podman"],
    ["40p01", "40p02"],
    ["err", "Errno"],
    ["node", "Note"],
  ])("does not match %j and %j", (query, title) => {
    expect(matcherOf(query).strengthOf(title)).toBe(0);
  });

  it("counts a query word once for several title words with the same prefix", () => {
    expect(matcherOf("config map").strengthOf("Config configuration")).toBeCloseTo(0.9 ** 2 * Math.sqrt(0.5), 12);
  });

  it("counts a repeated title word once", () => {
    const matcher = matcherOf("disk full");
    expect(matcher.strengthOf("Disk disk slow")).toBe(matcher.strengthOf("Disk slow"));
  });

  it("weighs a word less when many titles have it", () => {
    const titles = ["High latency", "High memory", "High load", "Low disk"];
    const matcher = matcherOf("high latency", titles);
    expect(matcher.strengthOf("High memory")).toBeLessThan(matcherOf("high latency").strengthOf("High memory"));
    expect(matcher.strengthOf("Latency memory")).toBeGreaterThan(matcher.strengthOf("High memory"));
  });

  it("weighs the query's words by their idf in the collection", () => {
    const statistics = { disk: { idf: 3 }, full: { idf: 1 } };
    expect(matcherOf("disk full", [], statistics).strengthOf("Disk")).toBeCloseTo(Math.sqrt(0.75), 12);
    expect(matcherOf("disk full", [], statistics).strengthOf("Full")).toBeCloseTo(Math.sqrt(0.25), 12);
  });

  it("uses the corrected terms, not the misspelt words of the query", () => {
    const matcher = createTitleMatcher("dsik full", weightTerms(["disk", "full"]), { titles: [], statistics: {} });
    expect(matcher.strengthOf("Disk full")).toBe(1);
  });

  it("splits an identifier into its words", () => {
    const [asWords, asName] = ["Kube pod crash looping", "KubePodCrashLooping"].map((title) =>
      matcherOf("pod crash looping").strengthOf(title),
    );
    expect(asName).toBe(asWords);
  });

  const text = fc
    .array(fc.constantFrom("disk", "Full", "config", "Configuration", "the", "40P01", "__proto__", "nodes", "-"), {
      maxLength: 8,
    })
    .map((words) => words.join(" "));

  it("is between 0 and 1, and 1 for the query itself", () => {
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 4 }), (query, title, titles) => {
        const strength = matcherOf(query, titles).strengthOf(title);
        expect(strength).toBeGreaterThanOrEqual(0);
        expect(strength).toBeLessThanOrEqual(1);
        const own = query.replaceAll("__proto__", "").replaceAll("-", "");
        if (tokenize(own).length > 0) expect(matcherOf(own, titles).strengthOf(own)).toBeCloseTo(1, 12);
      }),
    );
  });
});

describe("isQuoted", () => {
  it.each([
    ["KubePodCrashLooping fires on web-1", "Kube pod crash looping"],
    ["[FIRING:1] kube_pod_crash_looping", "KubePodCrashLooping"],
    ["what to do when the disk is full?", "Disk full"],
    ["Disks are full", "The disk is full"],
    ["alert host-out-of-memory", "host-out-of-memory"],
  ])("is true for the query %j and the name %j", (query, name) => {
    expect(matcherOf(query).isQuoted(name)).toBe(true);
  });

  it.each([
    ["a name of one word", "Disk is full", "Disk"],
    ["a name of one word beside a function word", "the disk is full", "The disk"],
    ["another order", "full disk", "Disk full"],
    ["words between", "disk nearly full", "Disk full"],
    ["the half of a word", "harddisk fullness", "disk full"],
    ["a part of the name only", "disk full", "Disk full on node"],
    ["no words", "— …", "— …"],
    ["an empty name", "disk full", ""],
    ["an empty query", "", "Disk full"],
  ])("is false for %s", (_what, query, name) => {
    expect(matcherOf(query).isQuoted(name)).toBe(false);
  });
});

it("handles a query and a title of 100 kB", () => {
  for (const unit of ["disk full ", "DiskFull", "disk-", "a", " ", "config/"]) {
    const long = unit.repeat(100_000 / unit.length);
    const matcher = matcherOf(long, [long]);
    expect(matcher.strengthOf(long)).toBeGreaterThanOrEqual(0);
    expect(matcher.isQuoted(`${long} end`)).toBe(false);
  }
});
