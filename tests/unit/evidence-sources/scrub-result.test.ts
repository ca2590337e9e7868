import { describe, expect, it } from "vitest";
import { createResultScrubber } from "../../../functions/evidence-sources/scrub-result.ts";
import { redact } from "../../../lib/redaction/redact.ts";

const scrub = createResultScrubber(redact);

const EMAIL = "dana@example.com";

describe("a result of a source", () => {
  it("keeps numbers, times, names and structure", () => {
    const series = [{ labels: { instance: "10.0.0.1:9100" }, points: [[1_772_334_000_000, Number.NaN]] as const }];
    expect(scrub.result({ kind: "series", series })).toEqual({ kind: "series", series });
    const rows = {
      kind: "rows",
      columns: ["state", "n", "on"],
      rows: [
        ["idle", 3, true],
        [null, 0, false],
      ],
    } as const;
    expect(scrub.result(rows)).toEqual(rows);
    const objects = [{ metadata: { name: "a", generation: 2 }, items: [1, "x", null] }];
    expect(scrub.result({ kind: "objects", objects })).toEqual({ kind: "objects", objects });
    const large = { kind: "too_large", size: "21 series", hint: "topk(20, x)" } as const;
    expect(scrub.result(large)).toEqual(large);
  });

  it.each([
    ["labels of series", { kind: "series", series: [{ labels: { user: EMAIL }, points: [] }] }],
    ["log lines", { kind: "lines", lines: [{ time: new Date(0), labels: {}, text: `login of ${EMAIL}` }] }],
    ["labels of lines", { kind: "lines", lines: [{ time: new Date(0), labels: { user: EMAIL }, text: "x" }] }],
    ["cells", { kind: "rows", columns: ["client"], rows: [[EMAIL]] }],
    ["objects", { kind: "objects", objects: [{ spec: { owners: [{ mail: EMAIL }] } }] }],
    ["keys of objects", { kind: "objects", objects: [{ annotations: { [EMAIL]: "owner" } }] }],
  ] as const)("has no personal data in %s", (_, result) => {
    const text = JSON.stringify(scrub.result(result));
    expect(text).not.toContain(EMAIL);
    expect(text).toContain("REDACTED_EMAIL");
  });

  it.each([
    ["a label", { kind: "series", series: [{ labels: { password: "hunter2-Aa9" }, points: [] }] }],
    ["a cell", { kind: "rows", columns: ["password"], rows: [["hunter2-Aa9"]] }],
    ["a field", { kind: "objects", objects: [{ env: { password: "hunter2-Aa9" } }] }],
  ] as const)("has no secret that only the name of %s shows to be one", (_, result) => {
    expect(JSON.stringify(scrub.result(result))).not.toContain("hunter2");
  });

  it("has no orders to a terminal", () => {
    const lines = [{ time: new Date(0), labels: {}, text: "\u001b[31mred\u001b[0m" }];
    expect(scrub.result({ kind: "lines", lines })).toMatchObject({ lines: [{ text: "red" }] });
  });
});

describe("a judgement", () => {
  it("has no personal data in its value and statement", () => {
    const judgement = {
      verdict: "confirmed",
      statement: `seen: ${EMAIL}`,
      rule: "any > 0",
      value: `1 (user=${EMAIL})`,
    } as const;
    const scrubbed = scrub.judgement(judgement);
    expect(scrubbed).toMatchObject({ verdict: "confirmed", rule: "any > 0" });
    expect(JSON.stringify(scrubbed)).not.toContain(EMAIL);
    expect(scrub.judgement({ ...judgement, value: null }).value).toBeNull();
  });
});
