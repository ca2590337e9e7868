// Section with the calibration of the relevance model, over the answers of the relevance bench.

import { html } from "hono/html";
import type { CorpusAnswers } from "../../runs/relevance-answers.ts";
import { type Calibration, calibrationOf } from "../../statistics/calibration.ts";
import { share } from "../shared/format.ts";
import { calibrationFacts, calibrationTable, reliabilityDiagram } from "./calibration-figures.ts";
import { emptyNote, type Markup, type Section, table, text } from "./markup.ts";

/** The bench has hundreds of answers, and computes its calibration error over tenths. */
const BINS = 10;

export function relevanceSection(corpora: readonly CorpusAnswers[]): Section {
  const all = calibrationOf(
    corpora.flatMap(({ answers }) => answers),
    BINS,
  );
  return {
    id: "relevance",
    heading: "Relevance calibration",
    body:
      all === null
        ? emptyNote("The file of the relevance bench has no answer.")
        : html`<p class="note">Answers of <code>npm run bench -- relevance</code>, whatever their outcome: the probability of the best
              recalled runbook, and whether that runbook is right. A report is asked with its runbook and with it removed. Without
              it, the probability should be low.</p>
            <div class="beside">
              ${reliabilityDiagram("relevance", all)}
              <div>${calibrationFacts(all)}${calibrationTable(all)}</div>
            </div>
            ${byCorpus(corpora)}`,
  };
}

function byCorpus(corpora: readonly CorpusAnswers[]): Markup {
  const rows = corpora.flatMap(({ name, answers }) => {
    const calibration = calibrationOf(answers, BINS);
    return calibration === null ? [] : [rowOf(name, calibration)];
  });
  return table(["Corpus", "Answers", "Right", "AUROC", "ECE", "Brier", "At 5 % risk", "At 10 %"], rows, {
    caption:
      "By corpus: share of right answers, AUROC, expected calibration error (ECE), Brier score, and coverage at 5 % and 10 % risk",
    numeric: 7,
  });
}

function rowOf(name: string, calibration: Calibration): unknown[] {
  const { answers, shareRight, auroc, expectedCalibrationError, brierScore, coverageAt5, coverageAt10 } = calibration;
  return [
    text(name),
    answers,
    share(shareRight, 2),
    auroc === null ? "–" : share(auroc),
    ...[expectedCalibrationError, brierScore, coverageAt5, coverageAt10].map((value) => share(value)),
  ];
}
