// Building blocks of the sections about calibration: the reliability diagram and the figures beside it.

import { html } from "hono/html";
import type { ReliabilityBin } from "../../../functions/quality/reliability.ts";
import type { Calibration } from "../../statistics/calibration.ts";
import { calibrationChart } from "../charts/calibration-chart.ts";
import { count, share } from "../shared/format.ts";
import { chartInTwoWidths, type Markup, table } from "./markup.ts";

const MAX_CHART_WIDTH = 440;

/** The reliability diagram. @param name unique in the page */
export function reliabilityDiagram(name: string, calibration: Calibration): Markup {
  return html`<figure>
    ${chartInTwoWidths((id, width) => calibrationChart(id, calibration, Math.min(width, MAX_CHART_WIDTH)), name, labelOf(calibration))}
    <figcaption>On the dashed line, confidence equals the share of right answers; below it, confidence is too high. Whiskers are
      95 % Wilson intervals that count each case once. The bars below count the answers.</figcaption>
  </figure>`;
}

export function calibrationFacts({
  answers,
  cases,
  shareRight,
  expectedCalibrationError,
  brierScore,
  brierOfBaseRate,
  auroc,
  coverageAt5,
  coverageAt10,
}: Calibration): Markup {
  return html`<dl class="facts">
    <div><dt>Answers</dt><dd>${answers} of ${count(cases, "case")}, ${share(shareRight, 2)} of them right</dd></div>
    <div><dt>Expected calibration error</dt><dd>${share(expectedCalibrationError)}</dd></div>
    <div><dt>Brier score</dt><dd>${share(brierScore)}; a constant confidence of ${share(shareRight, 2)} would score ${share(brierOfBaseRate)}</dd></div>
    <div><dt>AUROC</dt><dd>${auroc === null ? "not defined: all answers are right, or all are wrong" : share(auroc)}</dd></div>
    <div><dt>Coverage at 5 % risk</dt><dd>${share(coverageAt5)}</dd></div>
    <div><dt>Coverage at 10 % risk</dt><dd>${share(coverageAt10)}</dd></div>
  </dl>`;
}

export function calibrationTable({ bins }: Calibration): Markup {
  return table(
    ["Confidence", "Answers", "Cases", "Mean", "Right"],
    bins.map((bin) => [rangeOf(bin), bin.answers, bin.cases, share(bin.meanConfidence, 2), share(bin.shareRight, 2)]),
    { caption: "Answers by confidence: mean confidence and share of right answers", numeric: 4 },
  );
}

/** How to read the figures, collapsed. */
export function calibrationGuide(): Markup {
  return html`<details><summary>How to read these figures</summary>
    <dl class="glossary">
      <dt>Reliability diagram</dt><dd>Of answers with a confidence of 0.8, eight in ten should be right. A point below the dashed
        line is overconfident, a point above it is too cautious. A whisker that crosses the line may be chance.</dd>
      <dt>Expected calibration error</dt><dd>The mean distance of the points from the dashed line, weighted by their answers. 0 is
        best. It does not measure the separation of right and wrong answers: a constant confidence can have 0.</dd>
      <dt>Brier score</dt><dd>The mean squared difference between confidence and correctness. 0 is best. It counts both
        calibration and separation; it should be below that of a constant confidence.</dd>
      <dt>AUROC</dt><dd>The probability that a right answer has a higher confidence than a wrong one. 1 is best, 0.5 is chance.</dd>
      <dt>Coverage at 5 % risk</dt><dd>The largest share of the answers, surest first, of which at most 5 % are wrong. It shows how
        many answers a threshold could let through.</dd>
    </dl>
  </details>`;
}

function rangeOf({ from, to }: ReliabilityBin): string {
  return `${from.toFixed(1)} – ${to.toFixed(1)}`;
}

function labelOf({ bins, answers }: Calibration): string {
  const parts = bins.map(
    (bin) =>
      `of ${count(bin.answers, "answer")} with a confidence of ${rangeOf(bin)}, ${share(bin.shareRight, 2)} are right ` +
      `(95 % interval ${share(bin.interval.low, 2)} to ${share(bin.interval.high, 2)})`,
  );
  return `Reliability diagram of ${count(answers, "answer")}: ${parts.join("; ")}.`;
}
