import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { failureTextOf } from "../../../../functions/investigation/relevance/failure-text.ts";
import { incidentFeatures } from "../../../../functions/investigation/relevance/incident-features.ts";
import { probabilityOf } from "../../../../functions/investigation/relevance/relevance.ts";
import { relevanceFeatures } from "../../../../functions/investigation/relevance/relevance-features.ts";
import {
  assessRelevance,
  kindOfReport,
  RELEVANCE_MODEL_FINGERPRINT,
  RELEVANCE_MODELS,
} from "../../../../functions/investigation/relevance/relevance-model.ts";
import { type RelevanceWeights, relevanceOf } from "../../../../functions/investigation/relevance/relevance-weights.ts";
import { SHIPPED_DOMAINS } from "../../../support/domains.ts";
import { sampleIncident, THRESHOLDS } from "../samples.ts";
import { errorLine, sampleCandidate, sampleReport } from "./samples.ts";

const DISK = sampleCandidate("# Disk is full\n\nThe volume has no space left on device.\n", "disk-full.md");
const MEMORY = sampleCandidate("# Out of memory\n\nThe kernel killed the process.\n", "out-of-memory.md");

/** A model whose log-odds are 4 × coverage − 2. */
const WEIGHTS = { bias: 0, features: { coverage: { mean: 0.5, weight: 4 } } };
const SIMPLE = { with_lines: WEIGHTS, with_name: WEIGHTS, words_only: WEIGHTS };

const sumOf = (contributions: Readonly<Record<string, number>>) =>
  Object.values(contributions).reduce((sum, each) => sum + each, 0);

describe("a report with lines that tell nothing", () => {
  /** With lines, nothing is believed. */
  const doubting = { ...SIMPLE, with_lines: { bias: -3, features: {} } };
  const probabilityOfDisk = (weight: number) => {
    const report = sampleReport({
      title: "disk full",
      evidence: { lines: [errorLine("mail sent", weight)], state: null },
    });
    return assessRelevance(doubting, report, [DISK, MEMORY])[0]?.probability;
  };

  it("is judged by its headline, too, and the surer judgement counts", () => {
    expect(probabilityOfDisk(0.2)).toBe(probabilityOf(2));
    expect(probabilityOfDisk(0.8)).toBe(probabilityOf(-3));
  });

  it("keeps what its lines add", () => {
    const believing = { ...SIMPLE, with_lines: { bias: 4, features: {} } };
    const report = sampleReport({ title: "odd", evidence: { lines: [errorLine("disk full", 0.2)], state: null } });
    expect(assessRelevance(believing, report, [DISK])[0]?.probability).toBe(probabilityOf(4));
  });
});

describe("the relevance", () => {
  it("is the logistic function of the weighted features", () => {
    const [disk, memory] = assessRelevance(SIMPLE, sampleReport({ title: "disk full" }), [DISK, MEMORY]);
    expect(disk).toEqual({ probability: probabilityOf(2), logOdds: 2, contributions: { bias: 0, coverage: 2 } });
    expect(memory).toEqual({ probability: probabilityOf(-2), logOdds: -2, contributions: { bias: 0, coverage: -2 } });
  });

  it("has contributions that sum to the log-odds, also at the bounds", () => {
    for (const weight of [1, 4, 40, -40]) {
      const weights = { bias: 0.3, features: { coverage: { mean: 0.2, weight }, rank: { mean: 1, weight: 0.1 } } };
      for (const coverage of [0, 0.4, 1]) {
        const { probability, logOdds, contributions } = relevanceOf(weights, { coverage, rank: 2 });
        expect(sumOf(contributions)).toBeCloseTo(logOdds, 10);
        expect(probability).toBeCloseTo(probabilityOf(logOdds), 10);
        expect(Math.abs(logOdds)).toBeLessThanOrEqual(4.595);
      }
    }
    expect(relevanceOf({ ...WEIGHTS, bias: 9 }, { coverage: 1 })).toMatchObject({
      logOdds: 4.595,
      contributions: { bound: expect.closeTo(4.595 - 11, 10) },
    });
    expect(relevanceOf(WEIGHTS, { coverage: 1 }).contributions).not.toHaveProperty("bound");
  });

  it("is calibrated, with the log-odds and contributions of the model", () => {
    const report = sampleReport({ title: "disk full" });
    const [plain] = assessRelevance(SIMPLE, report, [DISK]);
    const [calibrated] = assessRelevance(SIMPLE, report, [DISK], { slope: 0.5, intercept: -1 });
    expect(calibrated).toEqual({ ...plain, probability: 0.5 });
  });

  it("depends on the competitors", () => {
    const ahead = { bias: 0, features: { coverage_ahead: { mean: 0, weight: 2 } } };
    const model = { with_lines: ahead, with_name: ahead, words_only: ahead };
    const report = sampleReport({ title: "disk full" });
    const [beside] = assessRelevance(model, report, [DISK, MEMORY]);
    const [twin] = assessRelevance(model, report, [DISK, { ...DISK, source: "b.md" }]);
    expect(beside?.logOdds).toBe(2);
    expect(twin?.logOdds).toBe(0);
  });
});

describe("the kind of a report", () => {
  it.each([
    ["with_name", { title: "KubePodCrashLooping", evidence: { lines: [errorLine("refused")], state: null } }],
    ["with_name", { title: "KubePodCrashLooping" }],
    ["words_only", { title: "the disk is full" }],
    ["words_only", { title: "" }],
  ] as const)("is %s for %j", (kind, report) => {
    expect(kindOfReport(sampleReport(report))).toBe(kind);
  });
});

const failure = failureTextOf(sampleIncident({ title: "disk full" }));
const FEATURES = {
  runbooks: relevanceFeatures(sampleReport({ title: "disk full" }), [DISK]),
  incidents: incidentFeatures(failure, [{ failure, distance: 0.2, similarity: 0.9 }], () => 1),
};
/** Without the fields that describe the file. */
const WEIGHTS_BY_KIND = (["runbooks", "incidents"] as const).flatMap((name) =>
  Object.entries(RELEVANCE_MODELS[name])
    .filter(([, weights]) => typeof weights === "object" && "bias" in weights)
    .map(([kind, weights]) => [name, kind, weights as RelevanceWeights] as const),
);

describe("the shipped weights", () => {
  it.each(WEIGHTS_BY_KIND)(
    "for %s use only features that are produced: %s",
    (model, _, { bias, features: weighted }) => {
      const features = new Set(Object.keys(FEATURES[model][0] ?? {}));
      const names = Object.keys(weighted);
      expect(names.length).toBeGreaterThanOrEqual(5);
      expect(names.filter((each) => !features.has(each))).toEqual([]);
      const numbers = Object.values(weighted).flatMap(({ mean, weight }) => [mean, weight]);
      expect([bias, ...numbers].every(Number.isFinite)).toBe(true);
    },
  );

  it.each(["runbook-weights.json", "incident-weights.json"])(
    "in %s fit into 10 kB and state their fingerprint",
    (file) => {
      const path = fileURLToPath(new URL(`../../../../functions/investigation/relevance/${file}`, import.meta.url));
      expect(statSync(path).size).toBeLessThan(10_000);
      const { fingerprint } = JSON.parse(readFileSync(path, "utf8"));
      expect(fingerprint).toMatch(/^[0-9a-f]{12}$/);
      expect(RELEVANCE_MODEL_FINGERPRINT).toContain(fingerprint);
    },
  );
});

describe("the shipped model", () => {
  const runbooks = SHIPPED_DOMAINS.flatMap(({ runbooks }) =>
    runbooks.map(({ source, markdown }) => sampleCandidate(markdown, source)),
  );
  /** The runbooks by nine, as many as a search returns. */
  const searches = Array.from({ length: Math.ceil(runbooks.length / 9) }, (_, i) => runbooks.slice(9 * i, 9 * i + 9));

  it.each(["What did we find?", "", "Please help"])("finds no runbook possible for %j", (title) => {
    const report = sampleReport({ title });
    const best = Math.max(
      ...searches.flatMap((candidates) =>
        assessRelevance(RELEVANCE_MODELS.runbooks, report, candidates).map(({ probability }) => probability),
      ),
    );
    expect(best).toBeLessThan(THRESHOLDS.POSSIBLE_THRESHOLD);
  });

  it("finds a runbook that ships no more than possible by the alert's name alone, if it says nothing of the error line", () => {
    const text =
      "# HighLatency\n\nRequests are slow.\n\n## Symptoms\n\n- upstream timed out while reading response header\n";
    const probabilityBy = (line: string, built_in: boolean) => {
      const candidate = sampleCandidate(text, "high-latency.md");
      const texts = candidate.texts.map((each) => ({ ...each, metadata: { ...each.metadata, built_in } }));
      const evidence = { lines: [errorLine(line, 0.9)], state: null };
      const report = sampleReport({ title: "HighLatency", labels: { alertname: "HighLatency" }, evidence });
      const [first] = assessRelevance(RELEVANCE_MODELS.runbooks, report, [{ ...candidate, texts }, DISK, MEMORY]);
      return first?.probability ?? 0;
    };
    const foreign = "ZkController did not find a shard leader";
    expect(probabilityBy(foreign, true)).toBe(0.5);
    expect(probabilityBy(foreign, false)).toBeGreaterThan(0.9);
    expect(probabilityBy("upstream timed out while reading response header", true)).toBeGreaterThan(0.9);
  });

  it("sums up to the log-odds of each runbook", () => {
    const report = sampleReport({ title: "container exited with code 137" });
    for (const candidates of searches)
      for (const { probability, logOdds, contributions } of assessRelevance(
        RELEVANCE_MODELS.runbooks,
        report,
        candidates,
      )) {
        expect(sumOf(contributions)).toBeCloseTo(logOdds, 8);
        expect(probability).toBeGreaterThan(0.004);
        expect(probability).toBeLessThan(0.996);
      }
  });
});
