import { describe, expect, it } from "vitest";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import { createBenignAnswer } from "../../../../functions/investigation/answer/fixed-answers.ts";
import { reportEvidence, withReportedLines } from "../../../../functions/investigation/answer/report-evidence.ts";
import type { Evidence } from "../../../../functions/schemas/answer.ts";
import type { ErrorLine } from "../../../../lib/logs/evidence.ts";
import { recallOf, sampleIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";

const LINES: readonly ErrorLine[] = Array.from({ length: 12 }, (_, i) => ({
  text: `FATAL  failure ${"abcdefghijkl"[i]} of the disk`,
  line: i + 1,
  time: null,
  count: 1,
  weight: 1 - i / 20,
}));
const REPORT = sampleIncident({ evidence: { lines: LINES, state: null } });

describe("the evidence of an answer", () => {
  it.each([
    ["cause", 0.9],
    ["possible", 0.5],
    ["unknown", 0.1],
  ])("with outcome %s quotes the eight most important lines verbatim", (outcome, probability) => {
    const recall = recallOf({ runbooks: [sampleRunbook("# T\n\nWords.", { probability })] });
    const finalAnswer = createExtractiveAnswer(REPORT, recall, { thresholds: THRESHOLDS });
    expect(finalAnswer.outcome).toBe(outcome);
    expect(finalAnswer.answer.evidence.map(({ quote }) => quote)).toEqual(LINES.slice(0, 8).map(({ text }) => text));
    expect(finalAnswer.answer.evidence.every(({ supported }) => supported)).toBe(true);
  });

  it("leaves out light lines only beside three heavier ones", () => {
    const [first, second] = LINES;
    const light = { ...second, weight: 0.19 } as ErrorLine;
    const quotesOf = (...lines: ErrorLine[]) => reportEvidence(sampleIncident({ evidence: { lines, state: null } }));
    const heavy = LINES.slice(0, 3);
    expect(quotesOf(...heavy, light).map(({ quote }) => quote)).toEqual(heavy.map(({ text }) => text));
    expect(quotesOf(first as ErrorLine, light)).toHaveLength(2);
    expect(quotesOf(light).map(({ quote }) => quote)).toEqual([light.text]);
    expect(quotesOf({ ...light, text: "link: http://metrics.example:9090/graph?g0.tab=1" })).toEqual([]);
  });

  it("quotes the lines of a test alert too", () => {
    expect(createBenignAnswer("it says itself that it is a test", REPORT).answer.evidence).toHaveLength(8);
  });

  it.each([
    [{}, "Line 1 of the report's logs."],
    [{ time: "10:02:11" }, "Line 1 of the report's logs, at 10:02:11."],
    [{ count: 3 }, "Line 1 of the report's logs, 3 times."],
    [{ count: 3, time: "10:02:11" }, "Line 1 of the report's logs, 3 times, first at 10:02:11."],
  ])("says where a line with %j stands", (changes, text) => {
    const lines = LINES.slice(0, 1).map((line) => ({ ...line, ...changes }));
    expect(reportEvidence(sampleIncident({ evidence: { lines, state: null } }))[0]?.text).toBe(text);
  });
});

describe("the evidence of a model", () => {
  const quoting = (quote: string | null): Evidence => ({
    text: "The disk failed.",
    quote,
    citations: ["R1"],
    supported: true,
    place: null,
  });
  const quotesOf = (written: readonly Evidence[]) => withReportedLines(written, REPORT).map(({ quote }) => quote);

  it("gets the place of a quoted line, and the lines that it does not quote", () => {
    const evidence = withReportedLines([quoting("fatal failure b of the disk")], REPORT);
    expect(evidence[0]).toMatchObject({
      text: "The disk failed. (Line 2 of the report's logs.)",
      place: { line: 2, count: 1, time: null },
    });
    expect(evidence.slice(1).map(({ place }) => place?.line)).toEqual([1, 3, 4, 5, 6, 7, 8]);
  });

  it("keeps a quote of another part of the report without a place", () => {
    const [first] = withReportedLines([quoting("exited with code 137")], REPORT);
    expect(first).toEqual(quoting("exited with code 137"));
    expect(quotesOf([quoting(null)])).toHaveLength(9);
  });
});
