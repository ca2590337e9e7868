// Prints how past incidents with a cause are recognised in families that the shipped weights were not trained on.

import { renderTable } from "../../cli/table.ts";
import { RELEVANCE_MODELS } from "../../functions/investigation/relevance/relevance-model.ts";
import type { AskedIncident } from "../relevance/ask-incident.ts";
import { collectCauseExamples } from "../relevance/cause-examples.ts";
import { aurocOf, calibrationErrorOf } from "../relevance/figures.ts";
import { type JudgedIncident, judgeReport } from "../relevance/judge-incidents.ts";
import { progress } from "../relevance/progress.ts";
import { CAUSE_CONDITIONS } from "./ask-causes.ts";
import type { Split } from "./cause-families.ts";

type JudgedReport = Omit<JudgedIncident, "group">;

const HEADER = [
  "report",
  "asked",
  "same cause first",
  "own first",
  "in first six",
  "fixes shown",
  "unrelated",
  "any shown",
  "cause wrong",
];

export async function printCauses(split: Split, width: number): Promise<void> {
  const groups = await collectCauseExamples(split, progress);
  const reports = groups.flatMap((group) => group.reports);
  const judged = reports.map((report) => judgeReport(report, RELEVANCE_MODELS.incidents));
  const rows = (["evidence", "title"] as const).flatMap((form) =>
    CAUSE_CONDITIONS.flatMap((condition) => rowOf(`${condition}, ${form}`, ofKind(judged, condition, form))),
  );
  console.log(`\nFamilies of causes (${split}): one incident of each system on record`);
  console.log(renderTable(HEADER, rows, { width, color: process.stdout.isTTY ?? false }));
  const withEvidence = judged.filter(({ report }) => report.form === "evidence");
  const ofSystem = withEvidence.filter(({ report }) => report.condition !== "other_system");
  printCalibration("all reports", judged);
  printCalibration("with evidence, the own system on record or nothing", ofSystem);
  printCalibration(
    "of those, without the evidence of another tool",
    ofSystem.filter(({ report }) => report.condition !== "other_view"),
  );
}

function ofKind(judged: readonly JudgedReport[], condition: AskedIncident["condition"], form: AskedIncident["form"]) {
  return judged.filter(({ report }) => report.condition === condition && report.form === form);
}

function rowOf(name: string, judged: readonly JudgedReport[]): string[][] {
  if (judged.length === 0) return [];
  const count = (test: (each: JudgedReport) => boolean) => judged.filter(test).length;
  const sum = (value: (each: JudgedReport) => number) => judged.reduce((total, each) => total + value(each), 0);
  const shown = sum(({ shownRight, shownWrong }) => shownRight + shownWrong);
  const share = (part: number, whole: number) => (whole === 0 ? "" : (part / whole).toFixed(3));
  return [
    [
      name,
      String(judged.length),
      share(
        count(({ isBestRight }) => isBestRight),
        judged.length,
      ),
      share(
        count(({ isOwnFirst }) => isOwnFirst),
        judged.length,
      ),
      share(
        count(({ isInFirstSix }) => isInFirstSix),
        judged.length,
      ),
      String(shown),
      share(
        sum(({ shownWrong }) => shownWrong),
        shown,
      ),
      share(
        count(({ shownRight, shownWrong }) => shownRight + shownWrong > 0),
        judged.length,
      ),
      share(
        count(({ outcome, isBestRight }) => outcome === "cause" && !isBestRight),
        judged.length,
      ),
    ],
  ];
}

/** Of the most probable record of each report. */
function printCalibration(name: string, judged: readonly JudgedReport[]): void {
  const graded = judged.map(({ confidence, isBestRight }) => ({ confidence, isRight: isBestRight }));
  const auroc = aurocOf(graded)?.toFixed(3) ?? "none";
  console.log(`"Same failure", ${name}: AUROC ${auroc}, ECE ${calibrationErrorOf(graded).toFixed(3)}`);
}
