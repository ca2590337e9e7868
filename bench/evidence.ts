// `npm run bench -- evidence [<file or folder of reports>…]`: answers to reports with attached evidence. Each report is
// asked through the API, in this process, beside the runbooks that ship and with the weights that ship. Prints
// outcomes, wrong causes and quoted lines. The weights were trained on the folder `train`; `held_out` and other data
// judge them. `--cases FILE` reads a data set with statements that an answer must make; `--misses` lists each of them;
// `--json FILE` writes the answers. `--placed` asks each report again with labels that say where it runs, and prints what
// they change: nothing should.

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { renderTriage } from "../cli/render-triage.ts";
import { renderTable } from "../cli/table.ts";
import { dataSetCases, type EvidenceCase, placed, reportCases } from "./evidence/evidence-cases.ts";
import {
  changedParts,
  type EvidenceAnswer,
  evidenceFiguresOf,
  gradeAnswer,
  PARTS,
} from "./evidence/evidence-figures.ts";
import { citedSources, createAsker } from "./relevance/answers.ts";
import { progress } from "./relevance/progress.ts";
import { loadCorpus } from "./relevance/stores.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: "string", multiple: true },
    json: { type: "string" },
    misses: { type: "boolean", default: false },
    placed: { type: "boolean", default: false },
  },
});
const EVIDENCE = fileURLToPath(new URL("./evidence/", import.meta.url));
/** Not part of the project. */
const DATA_SET = fileURLToPath(new URL("../../shared/bench/evidence/cases.json", import.meta.url));
const TABLE_OPTIONS = { width: process.stdout.columns ?? 240, color: process.stdout.isTTY ?? false };
/** Wide enough that no phrase is broken into two lines. */
const ONE_LINE = { width: 100_000, color: false, full: true };

const cases = await selectCases();
const answers = await askAll(options.placed ? [...cases, ...cases.map(placed)] : cases);
print(answers);
if (options.placed) printChanges(answers.slice(0, cases.length), answers.slice(cases.length));
if (options.json !== undefined) await writeFile(options.json, JSON.stringify(answers));

async function selectCases(): Promise<EvidenceCase[]> {
  const isDefault = positionals.length === 0 && options.cases === undefined;
  const own = ["reports", "field", "alerts"].flatMap((form) => [
    join(EVIDENCE, form, "train"),
    join(EVIDENCE, form, "held_out"),
  ]);
  const paths = isDefault ? own : positionals;
  const dataSets = isDefault ? [DATA_SET].filter((path) => existsSync(path)) : (options.cases ?? []);
  if (isDefault && dataSets.length === 0) console.log(`Left out: ${DATA_SET} does not exist.`);
  const selected: EvidenceCase[] = [];
  for (const path of paths) selected.push(...(await reportCases(resolve(path))));
  for (const path of dataSets) selected.push(...(await dataSetCases(resolve(path))));
  return selected;
}

async function askAll(selected: readonly EvidenceCase[]): Promise<EvidenceAnswer[]> {
  const corpus = { name: "evidence", domain: null, runbooks: [], reports: [] };
  await using loaded = await loadCorpus(corpus, () => {});
  const ask = createAsker(loaded.services, { isForgotten: true });
  const graded: EvidenceAnswer[] = [];
  for (const each of selected) {
    const result = await ask(each);
    graded.push(gradeAnswer(each, result, { rendered: renderTriage(result, ONE_LINE), cited: citedSources(result) }));
    progress(`${graded.length} of ${selected.length} answers`);
  }
  progress(`${graded.length} answers.\n`);
  return graded;
}

function print(graded: readonly EvidenceAnswer[]): void {
  const groups = [...Map.groupBy(graded, (answer) => answer.case.group)];
  const header = [
    ...[
      "reports",
      "asked",
      "cause right",
      "wrong",
      "first cause right",
      "fair",
      "possible right",
      "wrong",
      "unknown",
      "benign",
    ],
    ...["healthy as cause", "lines quoted", "statements said", "forbidden said"],
  ];
  const rows = [...groups, ...(groups.length > 1 ? [["all", graded] as const] : [])].map(([name, ofGroup]) =>
    rowOf(name, ofGroup),
  );
  console.log(`\n${renderTable(header, rows, TABLE_OPTIONS)}`);
  if (options.misses) printMisses(graded);
}

function rowOf(name: string, graded: readonly EvidenceAnswer[]): string[] {
  const figures = evidenceFiguresOf(graded);
  const of = (part: number, whole: number) => (whole === 0 ? "" : `${part} of ${whole}`);
  return [
    name,
    ...[figures.asked, figures.causeRight, figures.causeWrong].map(String),
    of(figures.firstCauseRight, figures.causesJudged),
    String(figures.fair),
    ...[figures.possibleRight, figures.possibleWrong, figures.unknown, figures.benign].map(String),
    of(figures.healthyAsCause, figures.healthy),
    of(figures.linesQuoted, figures.lines),
    of(figures.statementsSaid, figures.statements),
    String(figures.forbidden),
  ];
}

/** The n-th answer of both lists is to the same report. */
function printChanges(before: readonly EvidenceAnswer[], after: readonly EvidenceAnswer[]): void {
  const changes = before.flatMap((answer, i) => {
    const second = after[i];
    return second === undefined ? [] : [{ answer, second, parts: changedParts(answer, second) }];
  });
  const rows = [...Map.groupBy(changes, ({ answer }) => answer.case.group)].map(([group, ofGroup]) => [
    group,
    String(ofGroup.length),
    ...PARTS.map((part) => String(ofGroup.filter(({ parts }) => parts.includes(part)).length)),
  ]);
  console.log(`\nChanged by labels of place\n${renderTable(["reports", "asked", ...PARTS], rows, TABLE_OPTIONS)}`);
  if (!options.misses) return;
  for (const { answer, second, parts } of changes) {
    const shown = parts.map((part) => `${part} ${answer[part]} -> ${second[part]}`);
    if (parts.length > 0) console.log(`${answer.case.group}/${answer.case.id}: ${shown.join("; ")}`);
  }
}

function printMisses(graded: readonly EvidenceAnswer[]): void {
  const wrong = graded.filter(({ outcome, isCitedRight }) => outcome === "cause" && !isCitedRight);
  const rows = wrong.map((answer) => [
    `${answer.case.group}/${answer.case.id}`,
    answer.confidence.toFixed(2),
    answer.cited.join(", "),
    answer.case.right.join(", "),
  ]);
  console.log(`\nWrong causes\n${renderTable(["report", "confidence", "cites", "right"], rows, TABLE_OPTIONS)}`);
  for (const {
    case: evidenceCase,
    outcome,
    cited,
    isCitedRight,
    isFirstCauseRight,
    unquoted,
    unsaid,
    forbidden,
  } of graded) {
    const id = `${evidenceCase.group}/${evidenceCase.id}`;
    if (evidenceCase.right.length > 0 && outcome !== "cause")
      console.log(`${id}: ${outcome}${isCitedRight ? ", right among the candidates" : ""}; cites ${cited.join(", ")}`);
    if (isFirstCauseRight === false) console.log(`${id}: the first cause is not ${evidenceCase.cause}`);
    for (const line of unquoted) console.log(`${id}: does not quote ${JSON.stringify(line)}`);
    for (const phrases of unsaid) console.log(`${id}: does not say ${phrases.join(" / ")}`);
    for (const phrase of forbidden) console.log(`${id}: says ${phrase}`);
  }
}
