import { describe, expect, it } from "vitest";
import { type ExplainedRecord, explainRecord } from "../../../functions/memory/explain-record.ts";
import { fixEntry } from "../../../functions/memory/fixes.ts";
import { sampleFix } from "./samples.ts";

const line = (text: string, weight = 0.9) => ({ text, weight });
const SIGNATURE: ExplainedRecord["signature"] = {
  version: 1,
  basis: "error_lines",
  alert: null,
  kind: "pod",
  codes: [],
  templates: [line("one"), line("two"), line("three"), line("four", 0.1)],
  mechanisms: {},
};
const day = (text: string) => new Date(`${text}T03:00:00Z`);

function explain({ signature = {}, ...changes }: Partial<Omit<ExplainedRecord, "signature">> & { signature?: object }) {
  return explainRecord({
    signature: { ...SIGNATURE, ...signature },
    occurrences: 1,
    targets: ["api"],
    fixes: [],
    shown_count: 0,
    helped_count: 0,
    ...changes,
  });
}

describe("the first sentence", () => {
  it.each<[string, object]>([
    ["Identified by 3 error lines: the same lines on any service are the same failure.", {}],
    [
      "Identified by 1 error line: the same line on any service is the same failure.",
      { templates: [line("one"), line("two", 0.3)] },
    ],
    [
      "Identified by the alert DiskFull: it is the same failure only on the same service.",
      { basis: "alert", alert: "DiskFull" },
    ],
    ["Little is known: only a title. It merges with exact repeats only.", { basis: "title", templates: [] }],
    [
      "Little is known: a title, and error lines that many failures share. It merges with exact repeats only.",
      { basis: "title" },
    ],
  ])("is %j", (sentence, signature) => {
    expect(explain({ signature })).toEqual([sentence]);
  });
});

describe("the sentence about reports", () => {
  it.each<[string, object]>([
    ["4 reports on 2 services share its error lines.", { occurrences: 4, targets: ["api", "cart"] }],
    ["2 reports on 1 service share its error lines.", { occurrences: 2 }],
    ["2 reports share its error lines.", { occurrences: 2, targets: [] }],
    ["3 reports on 1 service share its alert.", { occurrences: 3, signature: { basis: "alert", alert: "Disk" } }],
    ["3 reports are the same.", { occurrences: 3, signature: { basis: "title" } }],
  ])("is %j", (sentence, changes) => {
    expect(explain(changes)[1]).toBe(sentence);
  });
});

describe("the sentences about fixes", () => {
  const retired = (on: string) => ({ at: day(on), reason: "a newer fix" });
  it("name the last replacement, what did not help, and a failure that came back", () => {
    const fixes = [
      sampleFix({ lastWorkedAt: day("2026-03-01"), cameBackAt: day("2026-03-04") }),
      sampleFix({ retired: retired("2026-03-01") }),
      sampleFix({ worked: 0 }),
      sampleFix({ worked: 0, tried: 0, retired: { at: day("2026-03-01"), reason: "corrected" } }),
    ];
    expect(explain({ fixes: fixes.map(fixEntry) }).slice(1)).toEqual([
      "It came back on 2026-03-04 after its fix had worked on 2026-03-01.",
      "Its fix was replaced on 2026-03-01 by a newer one.",
      "1 action did not help.",
    ]);
  });

  it("count several replacements", () => {
    const fixes = [sampleFix({ retired: retired("2026-02-01") }), sampleFix({ retired: retired("2026-03-01") })];
    expect(explain({ fixes: fixes.map(fixEntry) })[1]).toBe(
      "2 fixes were replaced by newer ones, the last on 2026-03-01.",
    );
  });
});

describe("the last sentence", () => {
  it("counts the answers that showed it", () => {
    const sentence = "Shown 3 times, it helped 1 time.";
    expect(explain({ shown_count: 3, helped_count: 1 }).at(-1)).toBe(sentence);
  });
});
