// The log, the plot and the match of an answer as data for the page.

import { describe, expect, it } from "vitest";
import { plottedSeries } from "../../../../console/src/components/plot-series.ts";
import { startOf, thresholdOf } from "../../../../console/src/views/incident/answer/model/alert-start.ts";
import { logLines, logWindows } from "../../../../console/src/views/incident/answer/model/log-windows.ts";

const markOf = (line: number, count = 1) => ({
  text: "",
  citations: [],
  supported: true,
  quote: "x",
  place: { line, count, time: null },
});
const logOf = (length: number) => Array.from({ length }, (_, i) => `line ${i + 1}`).join("\n");
const windowsOf = (length: number, ...marks: number[]) =>
  logWindows(
    logLines(
      logOf(length),
      marks.map((line) => markOf(line)),
    ),
  ).map((part) =>
    part.kind === "gap" ? `${part.count} left out` : `${part.lines[0]?.number}-${part.lines.at(-1)?.number}`,
  );

describe("the log", () => {
  it("shows the marked lines with two neighbours on each side", () => {
    expect(windowsOf(100, 50)).toEqual(["47 left out", "48-52", "48 left out"]);
    expect(windowsOf(100, 1, 100)).toEqual(["1-3", "94 left out", "98-100"]);
  });

  it("joins windows that only one line divides", () => {
    expect(windowsOf(20, 5, 11)).toEqual(["2 left out", "3-13", "7 left out"]);
    expect(windowsOf(9, 4)).toEqual(["1-6", "3 left out"]);
  });

  it("has nothing marked without a place, and is one gap then", () => {
    expect(windowsOf(3)).toEqual(["3 left out"]);
  });

  it("marks no line of a level that is no failure, unless no other shows it, or the system works", () => {
    const log = "03:00 INFO retry\n03:01 FATAL out of memory";
    const evidence = log.split("\n").map((quote, i) => ({ ...markOf(i + 1), quote }));
    const marks = (...parameters: Parameters<typeof logLines>) => logLines(...parameters).map(({ count }) => count);
    expect(marks(log, evidence)).toEqual([null, 1]);
    expect(marks(log, evidence.slice(0, 1))).toEqual([1, null]);
    expect(marks(log, evidence, true)).toEqual([1, 1]);
  });

  it("counts like lines, and no empty line after the last break", () => {
    expect(logLines("a\r\nb\n", [markOf(2, 7)])).toEqual([
      { number: 1, text: "a", count: null },
      { number: 2, text: "b", count: 7 },
    ]);
  });
});

describe("the plot", () => {
  it("aligns series with different times, and names them by the labels that differ", () => {
    const series = [
      {
        labels: { __name__: "used", pod: "a", zone: "z" },
        points: [
          [10, 1],
          [20, "NaN"],
        ] as [number, number | string][],
      },
      {
        labels: { __name__: "used", pod: "b", zone: "z" },
        points: [
          [20, 3],
          [30, 4],
        ] as [number, number | null][],
      },
    ];
    expect(plottedSeries(series)).toEqual({
      data: [
        [10, 20, 30],
        [1, null, null],
        [null, 3, 4],
      ],
      series: [{ label: "pod=a" }, { label: "pod=b" }],
    });
  });

  it("labels series of two metrics by their names", () => {
    const series = ["errors", "timeouts"].map((name) => ({ labels: { __name__: name, job: "x" }, points: [] }));
    expect(plottedSeries(series).series.map(({ label }) => label)).toEqual(["__name__=errors", "__name__=timeouts"]);
  });

  it.each([
    ["used_ratio > 0.9", 0.9],
    ['sum(rate(errors{code=~"5..",path!="/x>1"}[5m])) / sum(rate(all[5m])) >= 5e-2', 0.05],
    ["temperature < -4", -4],
    ["free < 10 and size > 3", null],
    ["a > b", null],
    ["(a > 1) * 2", null],
    ["absent(up)", null],
    [null, null],
  ])("of %s has the threshold %s", (expression, threshold) => {
    expect(thresholdOf(expression)).toBe(threshold);
  });

  it("starts with the first alert, else with the report", () => {
    const created_at = "2026-03-01T03:00:00Z";
    const alerts = { latest: [{ starts_at: "2026-03-01T02:59:00Z" }, { starts_at: "2026-03-01T02:50:00Z" }] };
    expect(startOf({ created_at, alerts })).toBe(Date.parse("2026-03-01T02:50:00Z") / 1_000);
    expect(startOf({ created_at, alerts: { latest: [] } })).toBe(Date.parse(created_at) / 1_000);
  });
});
