import { describe, expect, it } from "vitest";
import { isShortReport, withWeakLikeness } from "../../../../functions/investigation/recall/weak-likeness.ts";
import { readSignature } from "../../../../functions/memory/read-signature.ts";
import { sampleIncident, samplePastIncident, sampleRunbook } from "../samples.ts";

const FIXED = { row: { resolution: { text: "More memory.", by: null, at: new Date("2026-02-01T09:00:00Z") } } };
const RUNBOOK = sampleRunbook("# Out of memory\n\nThe kernel killed it.", { source: "oom.md", probability: 0.9 });

const past = (id: string, probability = 0.1, changes = {}) =>
  samplePastIncident(id, { probability, ...FIXED, ...changes });

function raise(
  incidents: readonly ReturnType<typeof past>[],
  answeredBy: Readonly<Record<string, string>>,
  { runbooks = [RUNBOOK], incident = sampleIncident() } = {},
) {
  return withWeakLikeness(incidents, {
    incident,
    runbooks,
    answeredBy: new Map(Object.entries(answeredBy)),
    possible: 0.3,
  });
}

const probabilities = (incidents: ReturnType<typeof raise>) => incidents.map(({ relevance }) => relevance.probability);

describe("past incidents that share little with the report", () => {
  it("raises the most similar one with a fix to possible, and says why", () => {
    const incidents = raise([past("other"), past("a"), past("b")], { a: "oom.md", b: "oom.md" });
    expect(probabilities(incidents)).toEqual([0.1, expect.closeTo(0.4), 0.1]);
    expect(incidents[1]?.likeness.alike).toEqual(["the runbook that answers both: Out of memory"]);
    expect(Object.keys(incidents[1]?.relevance.contributions ?? {})).toContain("same_runbook");
  });

  it("leaves them as they are if one is alike by itself", () => {
    expect(probabilities(raise([past("a"), past("alike", 0.5)], { a: "oom.md" }))).toEqual([0.1, 0.5]);
  });

  it("leaves them as they are without a fix, for another runbook, or if the runbook is not sure", () => {
    expect(probabilities(raise([past("a", 0.1, { row: { resolution: null } })], { a: "oom.md" }))).toEqual([0.1]);
    expect(probabilities(raise([past("a")], { a: "disk.md" }))).toEqual([0.1]);
    const unsure = sampleRunbook("# Out of memory\n\nIt died.", { source: "oom.md", probability: 0.2 });
    expect(probabilities(raise([past("a")], { a: "oom.md" }, { runbooks: [unsure] }))).toEqual([0.1]);
    expect(probabilities(raise([past("a")], { a: "oom.md" }, { runbooks: [] }))).toEqual([0.1]);
  });

  it("raises one that has a whole error line in common, with any runbook", () => {
    const line = "ERROR FlywayValidateException: migration checksum mismatch for migration version 7";
    const signature = readSignature(sampleIncident({ logs: line }));
    const incident = sampleIncident({ title: "wallet is not coming up", logs: `INFO starting\n${line}` });
    const fixed = past("a", 0.1, { row: { ...FIXED.row, signature } });
    expect(probabilities(raise([past("other"), fixed], {}, { runbooks: [], incident }))).toEqual([
      0.1,
      expect.closeTo(0.4),
    ]);
    const other = sampleIncident({ logs: "ERROR the heap of the process is full, giving up" });
    expect(probabilities(raise([fixed], {}, { runbooks: [], incident: other }))).toEqual([0.1]);
  });

  it("are raised beside an unresolved one that is alike", () => {
    const open = past("open", 0.8, { row: { resolution: null } });
    expect(probabilities(raise([open, past("a")], { a: "oom.md" }))).toEqual([0.8, expect.closeTo(0.4)]);
  });

  it("counts for a headline alone and for a few lines", () => {
    expect(isShortReport(sampleIncident({ logs: null }))).toBe(true);
    expect(isShortReport(sampleIncident({ logs: "ERROR the heap of the process is full" }))).toBe(true);
    const letters = (i: number) => String.fromCharCode(97 + (i % 26), 97 + (i % 23), 97 + (i % 19), 97 + (i % 17));
    const lines = Array.from({ length: 90 }, (_, i) => `INFO stage ${letters(i)} of ${letters(i * 7)} is done`);
    expect(isShortReport(sampleIncident({ logs: ["ERROR the heap is full", ...lines].join("\n") }))).toBe(false);
  });
});
