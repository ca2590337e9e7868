import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitLog, LogFitter } from "../../../../lib/logs/fit-log.ts";

const numbered = (count: number, text = (line: number) => `request ${line} served`) =>
  Array.from({ length: count }, (_, i) => text(i + 1));

/** The omitted lines by the markers of a fitted text. */
function omittedBy(text: string): number {
  return [...text.matchAll(/^… \[([\d,]+) lines? left out\]$/gm)].reduce(
    (sum, [, count = "0"]) => sum + Number(count.replaceAll(",", "")),
    0,
  );
}

describe("fitLog", () => {
  it("returns a log that fits, without terminal sequences", () => {
    expect(fitLog("\u001b[31ma\u001b[0m\r\nb\n")).toEqual({
      text: "a\r\nb\n",
      lines: 2,
      linesOmitted: 0,
      charactersOmitted: 0,
    });
  });

  it("keeps the start, the end and the error line between them with its neighbours", () => {
    const lines = numbered(2_000, (line) => (line === 900 ? "ERROR disk full on /data" : `request ${line} served`));
    const { text, linesOmitted } = fitLog(lines.join("\n"), 4_000);
    expect(text).toMatch(/^request 1 served\n/);
    expect(text).toMatch(/\nrequest 2000 served$/);
    expect(text).toContain(
      "request 898 served\nrequest 899 served\nERROR disk full on /data\nrequest 901 served\nrequest 902 served\n…",
    );
    expect(linesOmitted).toBe(omittedBy(text));
    expect(text.split("\n").filter((line) => !line.startsWith("…"))).toHaveLength(2_000 - linesOmitted);
  });

  it("keeps each kind of error a few times, so that a storm leaves room for the rare one", () => {
    const lines = numbered(9_000, (line) =>
      line === 4_000 ? "ERROR certificate has expired" : `ERROR timeout of request ${line}`,
    );
    expect(fitLog(lines.join("\n"), 4_000).text).toContain("ERROR certificate has expired");
  });

  it("cuts the middle of a line without end", () => {
    const { text, charactersOmitted } = fitLog(`start ${"x".repeat(100_000)} end`, 20_000);
    expect(text).toMatch(/^start x+… \[[\d,]+ characters left out\]x+ end$/);
    expect(charactersOmitted).toBeGreaterThan(90_000);
  });

  it("fits a text of wide and escaped characters into the bytes of a request", () => {
    for (const unit of ["\u20ac", '"', "\u{1f600}"])
      expect(
        new TextEncoder().encode(JSON.stringify(fitLog(`${unit.repeat(50)}\n`.repeat(12_000)).text)).length,
      ).toBeLessThan(1_000_000);
  });

  it("keeps to the limit, counts the omitted lines, and reads chunks as it reads the whole", () => {
    const logs = fc.array(fc.oneof(fc.constantFrom("ERROR disk full", "ok", ""), fc.string({ maxLength: 300 })), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 500 }), (lines, size) => {
        const log = lines.map((line) => line.replaceAll(/[\n\r…]/g, "")).join("\n");
        const whole = fitLog(log, 5_000);
        expect(whole.text.length).toBeLessThanOrEqual(5_000);
        expect(whole.linesOmitted).toBe(omittedBy(whole.text));
        const fitter = new LogFitter(5_000);
        for (let at = 0; at < log.length; at += size) fitter.push(log.slice(at, at + size));
        expect(fitter.result()).toEqual(whole);
      }),
    );
  });
});
