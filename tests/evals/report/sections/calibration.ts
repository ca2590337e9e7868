// Section with the calibration of the confidence.

import { html } from "hono/html";
import type { EvalRun } from "../../runs/run-file.ts";
import { type Calibration, type CalibrationBin, calibrationOf, gradedAnswersOf } from "../../statistics/calibration.ts";
import { calibrationChart } from "../charts/calibration-chart.ts";
import { count, share } from "../shared/format.ts";
import { chartInTwoWidths, emptyNote, type Section, table } from "./markup.ts";

/** With fewer cases, a reliability diagram shows mostly chance. */
const FEW_CASES = 100;

export function calibrationSection({ cases }: EvalRun): Section {
  const calibration = calibrationOf(gradedAnswersOf(cases));
  return {
    id: "calibration",
    heading: "Confidence calibration",
    body:
      calibration === null
        ? emptyNote("No answer has both a confidence and a known right answer.")
        : html`<div class="beside">
            <figure>
              ${chartInTwoWidths((name, width) => calibrationChart(name, calibration, Math.min(width, 440)), "calibration", labelOf(calibration))}
              <figcaption>On the dashed line, confidence equals the share of right answers; below it, confidence is too high. Whiskers
                are 95 % Wilson intervals that count each case once.</figcaption>
            </figure>
            <div>
              <dl class="facts">
                <div><dt>Answers</dt><dd>${calibration.answers} of ${count(calibration.cases, "case")}, ${share(calibration.shareRight, 2)} of them right</dd></div>
                <div><dt>Expected calibration error</dt><dd>${share(calibration.expectedCalibrationError)}</dd></div>
                <div><dt>Brier score</dt><dd>${share(calibration.brierScore)}; a constant confidence of ${share(calibration.shareRight, 2)} would
                  score ${share(calibration.brierOfBaseRate)}. Lower is better.</dd></div>
              </dl>
              ${calibration.cases < FEW_CASES && html`<p class="note">With ${count(calibration.cases, "case")} these figures are rough: go by the whiskers.</p>`}
              ${table(
                ["Confidence", "Answers", "Cases", "Mean", "Right"],
                calibration.bins.map((bin) => [
                  rangeOf(bin),
                  bin.answers,
                  bin.cases,
                  share(bin.meanConfidence, 2),
                  share(bin.shareRight, 2),
                ]),
                { caption: "Answers by confidence: mean confidence and share of right answers", numeric: 4 },
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
      `of ${count(bin.answers, "answer")} with a confidence of ${rangeOf(bin)}, ${share(bin.shareRight, 2)} are right ` +
      `(95 % interval ${share(bin.interval.low, 2)} to ${share(bin.interval.high, 2)})`,
  );
  return `Reliability diagram of ${count(answers, "answer")}: ${parts.join("; ")}.`;
}
