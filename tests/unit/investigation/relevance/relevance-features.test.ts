import { describe, expect, it } from "vitest";
import { standardScore } from "../../../../functions/investigation/relevance/relevance.ts";
import { relevanceFeatures } from "../../../../functions/investigation/relevance/relevance-features.ts";
import { errorLine, sampleCandidate, sampleReport } from "./samples.ts";

const DISK = sampleCandidate("# Disk is full\n\nThe volume has no space left on device.\n", "disk-full.md");
const MEMORY = sampleCandidate("# Out of memory\n\nThe kernel killed the process.\n", "out-of-memory.md");
const REPORT = sampleReport({ title: "the disk is full" });

function featuresOf(report = REPORT, candidates = [DISK, MEMORY]) {
  const [first, second] = relevanceFeatures(report, candidates);
  if (!first || !second) throw new Error("The sample has two candidates.");
  return [first, second] as const;
}

describe("the features of a text", () => {
  it("have the shares of the headline that it covers", () => {
    const [disk, memory] = featuresOf();
    expect(disk).toMatchObject({ coverage: 1, heaviest_coverage: 1, lead_coverage: 1, word_pairs: 1, sentence: 1 });
    expect(memory).toMatchObject({ coverage: 0, heaviest_coverage: 0, lead_coverage: 0, word_pairs: 0, sentence: 0 });
    const [half] = featuresOf(sampleReport({ title: "the disk is slow" }));
    expect(half.coverage).toBe(0.5);
  });

  it("have the shares of its title", () => {
    const [disk, memory] = featuresOf();
    expect(disk).toMatchObject({ title_coverage: 1, title_of_report: 1, title_missing: 0 });
    expect(memory).toMatchObject({ title_coverage: 0, title_missing: 1 });
  });

  it("have the alert's name", () => {
    const alert = sampleCandidate("# KubePodCrashLooping\n\nThe pod restarts.\n", "alerts/kube-pod-crash-looping.md");
    const labelled = sampleReport({ title: "pod restarts", labels: { alertname: "KubePodCrashLooping" } });
    const [named, other] = featuresOf(labelled, [alert, MEMORY]);
    expect(named).toMatchObject({ named_by_alert: 1, named_otherwise: 0, name_title: 1 });
    expect(other).toMatchObject({ named_by_alert: 0, named_otherwise: 1, name_title: 0 });
    const [mentioned] = featuresOf(sampleReport({ title: "what does KubePodCrashLooping mean?" }), [alert, MEMORY]);
    expect(mentioned).toMatchObject({ named_by_alert: 0, named_in_text: 1 });
    // Without a name, no text has another one.
    expect(featuresOf()[1]).toMatchObject({ named_by_alert: 0, named_otherwise: 0 });
  });

  it("have the shares of the error lines, by their importance", () => {
    const lines = [errorLine("no space left on device", 0.8), errorLine("quota exceeded", 0.2)];
    const [disk, memory] = featuresOf(sampleReport({ title: "writes fail", evidence: { lines, state: null } }));
    expect(disk).toMatchObject({ line_recall: 0.8, line_coverage: expect.closeTo(0.8, 10) });
    expect(disk.line_sentence).toBeGreaterThan(0.6);
    expect(disk.line_sentence).toBeLessThanOrEqual(0.8);
    expect(memory).toMatchObject({ line_recall: 0, line_sentence: 0, line_coverage: 0, report_coverage: 0 });
    expect(featuresOf()[0]).toMatchObject({ line_recall: 0, line_sentence: 0, line_coverage: 0 });
  });

  it("have what the ranking says, without the bonus of an attached runbook", () => {
    const hit = DISK.hits[0];
    if (!hit) throw new Error("The sample has a hit.");
    const ranked = {
      ...DISK,
      hits: [
        {
          ...hit,
          score: 12,
          distance: 0.3,
          contributions: {
            attached: { rank: 1, value: 10 },
            type: { rank: 1, value: 1 },
            document: { rank: 1, value: 0.7 },
          },
        },
      ],
    };
    const [features] = featuresOf(REPORT, [ranked, MEMORY]);
    expect(features).toMatchObject({ score: 2, document: 0.7, domain: 0, proximity: 0 });
    expect(features.nearness).toBeGreaterThan(0);
    expect(featuresOf()[0].nearness).toBe(-1);
  });
});

it("counts a type only where the report hints at the domain of the text", () => {
  const [hit] = DISK.hits;
  if (!hit) throw new Error("The sample has a hit.");
  const typeWith = (contributions: typeof hit.contributions) =>
    featuresOf(REPORT, [{ ...DISK, hits: [{ ...hit, contributions }] }, MEMORY])[0]?.type;
  const type = { rank: 1, value: 1 };
  expect(typeWith({ type })).toBe(0);
  expect(typeWith({ type, domain: { rank: 1, value: 0.3 } })).toBe(1);
});

describe("the competitors of a text", () => {
  it("change how far it is ahead, not its own shares", () => {
    const [alone] = relevanceFeatures(REPORT, [DISK]);
    const twin = { ...DISK, source: "disk-full-2.md" };
    const [beside] = featuresOf(REPORT, [DISK, twin]);
    const [ahead] = featuresOf();
    expect(beside.coverage).toBe(ahead.coverage);
    expect(alone?.coverage_ahead).toBe(1);
    expect(ahead.coverage_ahead).toBe(1);
    expect(beside.coverage_ahead).toBe(0);
    expect(ahead.coverage_spread).toBeCloseTo(1, 10);
    expect(beside.coverage_spread).toBe(0);
    expect(featuresOf()[1].coverage_ahead).toBe(-1);
  });

  it("give it its place", () => {
    expect(featuresOf().map(({ rank }) => rank)).toEqual([0, 1]);
    expect(relevanceFeatures(REPORT, [])).toEqual([]);
  });
});

it("every feature is a number, whatever the report and the texts hold", () => {
  const empty = { title: "", hits: [], texts: [] };
  const lines = [errorLine("", 0), errorLine("?!", 1)];
  for (const report of [
    sampleReport({ title: "" }),
    sampleReport({ title: "?!", evidence: { lines, state: null } }),
    REPORT,
  ])
    for (const candidates of [[empty], [empty, empty], [DISK, empty]])
      for (const features of relevanceFeatures(report, candidates))
        for (const [name, value] of Object.entries(features)) expect(Number.isFinite(value), name).toBe(true);
});

it("a standard score is the distance from the mean in standard deviations", () => {
  expect([2, 4, 4, 4, 5, 5, 7, 9].map((value, _, all) => standardScore(all, value))).toEqual([
    -1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2,
  ]);
  expect(standardScore([0.1 + 0.2, 0.3], 0.3)).toBe(0);
});
