// Section with the calibration of the confidence.

import { html } from "hono/html";
import type { EvalRun } from "../../runs/run-file.ts";
import { calibrationOf, gradedAnswersOf } from "../../statistics/calibration.ts";
import { count } from "../shared/format.ts";
import { calibrationFacts, calibrationGuide, calibrationTable, reliabilityDiagram } from "./calibration-figures.ts";
import { emptyNote, type Section } from "./markup.ts";

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
        : html`<p class="note">Answers with the outcome cause or benign, graded by the case, and with the outcome possible, graded by
              their first candidate. With the outcome unknown, an answer claims nothing and is left out.</p>
            <div class="beside">
              ${reliabilityDiagram("calibration", calibration)}
              <div>
                ${calibrationFacts(calibration)}
                ${calibration.cases < FEW_CASES && html`<p class="note">With ${count(calibration.cases, "case")} these figures are rough: go by the whiskers.</p>`}
                ${calibrationTable(calibration)}
              </div>
            </div>
            ${calibrationGuide()}`,
  };
}
