// `npm run bench:relevance [-- <folder>…]`: how far answers can be believed. Each report is asked through the API with its
// runbook and with it removed, beside the runbooks that ship. Each corpus is judged with weights that were trained without
// it; a given folder (alerts.json and runbooks/) and the held-out reports with the weights that ship. `--examples FILE` reads
// the examples of `npm run train:relevance`; `--json FILE` writes the answers.

import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderTable } from "../../cli/table.ts";
import { RELEVANCE_MODELS, type RelevanceModels } from "../../functions/investigation/relevance/relevance-model.ts";
import { type Answered, askApi } from "./relevance/answers.ts";
import { alertCorpus, type Corpus } from "./relevance/corpora.ts";
import { collectExamples, type Examples } from "./relevance/examples.ts";
import { figuresOf, reliability } from "./relevance/figures.ts";
import { heldOutCorpus, trainingCorpora } from "./relevance/load-corpora.ts";
import { progress } from "./relevance/progress.ts";
import { trainModel } from "./relevance/train.ts";

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { examples: { type: "string" }, json: { type: "string" }, misses: { type: "boolean", default: false } },
});
const TABLE_OPTIONS = { width: process.stdout.columns ?? 240, color: process.stdout.isTTY ?? false };

interface Judged {
  readonly name: string;
  readonly answers: readonly Answered[];
}

const judged = folders.length > 0 ? await judgeFolders(folders) : await judgeAll();
print(judged);
if (options.json !== undefined) await writeFile(options.json, JSON.stringify(judged));

async function judgeFolders(paths: readonly string[]): Promise<Judged[]> {
  const results: Judged[] = [];
  for (const path of paths) results.push(await judge(await alertCorpus(resolve(path)), RELEVANCE_MODELS));
  return results;
}

async function judgeAll(): Promise<Judged[]> {
  const { corpora, missing } = await trainingCorpora();
  for (const each of missing) console.log(`Left out: ${each}.`);
  const examples = await readExamples(corpora);
  const results: Judged[] = [];
  for (const corpus of corpora) {
    const others = examples.filter((each) => each.corpus !== corpus.name);
    results.push(await judge(corpus, { ...RELEVANCE_MODELS, runbooks: trainModel(others) }));
  }
  return [...results, await judge(await heldOutCorpus(), RELEVANCE_MODELS)];
}

async function readExamples(corpora: readonly Corpus[]): Promise<Examples[]> {
  if (options.examples !== undefined) return JSON.parse(await readFile(options.examples, "utf8"));
  const examples: Examples[] = [];
  for (const corpus of corpora) examples.push(await collectExamples(corpus, progress));
  return examples;
}

async function judge(corpus: Corpus, models: RelevanceModels): Promise<Judged> {
  const answers = await askApi(corpus, models, progress);
  progress(`${corpus.name}: ${answers.length} answers.\n`);
  return { name: corpus.name, answers };
}

function print(results: readonly Judged[]): void {
  const rows = results.flatMap(({ name, answers }) => {
    const forms = [...Map.groupBy(answers, ({ report }) => report.form)];
    return forms.map(([form, ofForm]) => rowOf(forms.length > 1 ? `${name}, ${form}` : name, ofForm));
  });
  const header = [
    ...["corpus", "asked", "first right", "cause right", "wrong", "possible right", "wrong", "unknown", "benign"],
    ...["cause if first", "or possible", "removed: cause", "AUROC", "ECE", "Brier", "coverage at 5 %", "10 %"],
  ];
  console.log(`\n${renderTable(header, rows, TABLE_OPTIONS)}`);
  const graded = results.flatMap(({ answers }) =>
    answers.map(({ confidence, isBestRight }) => ({ confidence, isRight: isBestRight })),
  );
  const bins = reliability(graded).map(({ confidence, right, count }) => [
    confidence.toFixed(2),
    right.toFixed(2),
    String(count),
  ]);
  console.log(`\n${renderTable(["mean probability", "share right", "answers"], bins, TABLE_OPTIONS)}`);
  if (options.misses) printMisses(results);
}

function rowOf(name: string, answers: readonly Answered[]): string[] {
  const figures = figuresOf(answers);
  const share = (value: number | null) => (value === null ? "" : value.toFixed(3));
  return [
    name,
    ...[figures.asked, figures.firstRight, figures.causeRight, figures.causeWrong, figures.possibleRight].map(String),
    ...[figures.possibleWrong, figures.unknown, figures.benign].map(String),
    ...[figures.causeOfFirst, figures.causeOrPossibleOfFirst, figures.removedCause, figures.auroc].map(share),
    ...[figures.calibrationError, figures.brier, figures.coverageAt5, figures.coverageAt10].map(share),
  ];
}

function printMisses(results: readonly Judged[]): void {
  const wrong = results.flatMap(({ answers }) =>
    answers.filter(({ outcome, isRight }) => outcome === "cause" && !isRight),
  );
  const rows = wrong.map(({ report, condition, confidence, cited }) => [
    report.id,
    condition,
    confidence.toFixed(2),
    cited ?? "",
    report.right.join(", "),
  ]);
  console.log(
    `\nWrong causes\n${renderTable(["report", "runbook", "probability", "cites", "right"], rows, TABLE_OPTIONS)}`,
  );
}
