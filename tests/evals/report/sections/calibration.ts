// Owns the section that says how far the confidence can be believed.

import { html } from "hono/html";
import type { EvalRun } from "../../runs/run-file.ts";
import { type Calibration, type CalibrationBin, calibrationOf, judgementsOf } from "../../statistics/calibration.ts";
import { calibrationChart } from "../charts/calibration-chart.ts";
import { count, share } from "../format.ts";
import { chartInTwoWidths, nothing, type Section, table } from "../markup.ts";

/** Below so many cases a reliability diagram shows chance more than anything else. */
const FEW_CASES = 100;

export function calibrationSection({ cases }: EvalRun): Section {
  const calibration = calibrationOf(judgementsOf(cases));
  return {
    id: "calibration",
    heading: "Confidence calibration",
    body:
      calibration === null
        ? nothing("No answer both has a confidence and is known to be right or wrong.")
        : html`<div class="beside">
            <figure>
              ${chartInTwoWidths((name, width) => calibrationChart(name, calibration, Math.min(width, 440)), "calibration", labelOf(calibration))}
              <figcaption>On the dashed line, confidence says how often an answer is right; below it, it promises too much. Whiskers
                are 95 % Wilson intervals that count each case once.</figcaption>
            </figure>
            <div>
              <dl class="facts">
                <div><dt>Answers</dt><dd>${calibration.answers} of ${count(calibration.cases, "case")}, ${share(calibration.shareRight, 2)} of them right</dd></div>
                <div><dt>Expected calibration error</dt><dd>${share(calibration.expectedCalibrationError)}</dd></div>
                <div><dt>Brier score</dt><dd>${share(calibration.brierScore)}; always saying ${share(calibration.shareRight, 2)} would
                  score ${share(calibration.brierOfBaseRate)}. Lower is better.</dd></div>
              </dl>
              ${calibration.cases < FEW_CASES && html`<p class="note">With ${count(calibration.cases, "case")} these are rough: look at the whiskers, and at no decimals.</p>`}
              ${table(
                ["Confidence", "Answers", "Cases", "Mean", "Right"],
                calibration.bins.map((bin) => [
                  rangeOf(bin),
                  bin.answers,
                  bin.cases,
                  share(bin.meanConfidence, 2),
                  share(bin.shareRight, 2),
                ]),
                { caption: "Answers by confidence", numeric: 4 },
              )}
            </div>
          </div>`,
  };
}

function rangeOf({ from, to }: CalibrationBin): string {
  return `${from.toFixed(1)} – ${to.toFixed(1)}`;
}

function labelOf({ bins, answers }: Calibration): string {
  const parts = bins.map(
    (bin) =>
      `of ${count(bin.answers, "answer")} with a confidence from ${rangeOf(bin)}, ${share(bin.shareRight, 2)} are right ` +
      `(95 % interval ${share(bin.interval.low, 2)} to ${share(bin.interval.high, 2)})`,
  );
  return `Reliability diagram of ${count(answers, "answer")}: ${parts.join("; ")}.`;
}
