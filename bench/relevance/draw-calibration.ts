// `npm run bench -- calibration-plot`: docs/images/calibration.svg, from the table in docs/internals/relevance.md.

import { readFileSync, writeFileSync } from "node:fs";
import { AXIS, type ChartOption, COLORS, drawChart } from "../../evals/report/charts/chart.ts";

const TABLE = new URL("../../docs/internals/relevance.md", import.meta.url);
const PICTURE = new URL("../../docs/images/calibration.svg", import.meta.url);
const SIZE = 420;

/** The colours of the chart, by the reader's light or dark mode, since a picture cannot read those of its page. */
const STYLE = `<title>Mean probability of answers against the share that was right</title><style>
svg { --ink: #1c2430; --soft: #5b6675; --line: #d8dee6; --data: #1f6feb; --card: #ffffff; font-family: system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --ink: #e8edf3; --soft: #9aa7b6; --line: #38424f; --data: #6cb0ff; --card: #0d1117; } }
</style><rect width="100%" height="100%" fill="var(--card)"/>`;

interface Point {
  /** Mean probability of the answers in a bin, 0 to 1. */
  readonly probability: number;
  /** Share of them that was right, 0 to 1. */
  readonly shareRight: number;
}

/** @param page Markdown with the rows "mean probability" and "share right" @throws Error if they do not match */
export function readPoints(page: string): Point[] {
  const rowOf = (name: string) =>
    (new RegExp(`^\\| ${name} \\|(.+)\\|$`, "m").exec(page)?.[1] ?? "").split("|").map((cell) => Number(cell));
  const [probabilities, shares] = [rowOf("mean probability"), rowOf("share right")];
  if (
    probabilities.length !== shares.length ||
    [...probabilities, ...shares].some((value) => !(value > 0 && value <= 1))
  )
    throw new Error('The page needs the rows "mean probability" and "share right", with as many figures from 0 to 1.');
  return probabilities.map((probability, i) => ({ probability, shareRight: shares[i] ?? 0 }));
}

/** @returns an SVG document: the points beside the diagonal of a perfect calibration */
export function drawCalibration(points: readonly Point[]): string {
  const axis = { ...AXIS, type: "value" as const, min: 0, max: 1, interval: 0.2, nameLocation: "middle" as const };
  const line = { type: "line" as const, silent: true };
  const option: ChartOption = {
    grid: { left: 56, right: 20, top: 16, bottom: 52 },
    xAxis: { ...axis, name: "mean probability", nameGap: 30 },
    yAxis: { ...axis, name: "share that was right", nameGap: 36 },
    series: [
      {
        ...line,
        showSymbol: false,
        lineStyle: { color: COLORS.soft, width: 1.5, type: "dashed" },
        data: [
          [0, 0],
          [1, 1],
        ],
      },
      {
        ...line,
        symbol: "circle",
        symbolSize: 9,
        itemStyle: { color: COLORS.data },
        lineStyle: { color: COLORS.data, width: 2 },
        data: points.map(({ probability, shareRight }) => [probability, shareRight]),
      },
    ],
  };
  const svg = drawChart({ name: "calibration", width: SIZE, height: SIZE, option });
  return `${svg.replace(/(<svg[^>]*>)/, `$1${STYLE}`)}\n`;
}

if (import.meta.main) {
  writeFileSync(PICTURE, drawCalibration(readPoints(readFileSync(TABLE, "utf8"))));
  console.log("Wrote docs/images/calibration.svg.");
}
