import { describe, expect, it } from "vitest";
import { fitLog } from "../../../../lib/logs/fit-log.ts";
import { originalLines, withOriginalLines } from "../../../../lib/logs/original-lines.ts";
import { readEvidence } from "../../../../lib/logs/read-evidence.ts";

const FAILURE = "2026-03-01T02:59:00Z ERROR payment failed: connection refused by ledger:5432";

/** A log with one failure in the given line. */
function logOf(lines: number, failure: number): string {
  const fill = (n: number) => `2026-03-01T02:59:00Z INFO request ${n} of the shop was served in ${n % 97} ms`;
  return Array.from({ length: lines }, (_, i) => (i + 1 === failure ? FAILURE : fill(i + 1))).join("\n");
}

describe("a line number of an answer", () => {
  it.each([
    [200, 120],
    [30_000, 3],
    [30_000, 14_321],
    [30_000, 29_998],
  ])("is that of the whole log: of %d lines, line %d", (lines, failure) => {
    const { text, linesOmitted } = fitLog(logOf(lines, failure));
    expect(linesOmitted > 0).toBe(lines > 200);
    const evidence = readEvidence({ headline: "payment failed", logs: text, target: null, labels: {} });
    expect(withOriginalLines(evidence, text).lines[0]).toMatchObject({
      line: failure,
      text: expect.stringContaining("connection refused"),
    });
  });
});

it("counts the lines of several markers", () => {
  const original = originalLines("a\n… [1,204 lines left out]\nb\n… [1 line left out]\nc\n… [3 lines left out]");
  expect([1, 2, 3, 4, 5, 6].map(original)).toEqual([1, 2, 1206, 1207, 1208, 1209]);
});
