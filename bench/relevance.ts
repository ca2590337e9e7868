// `npm run bench -- relevance [<folder>…]`: how far answers can be believed. Each corpus is asked with its runbook, with it
// removed, and as if nothing of its team were stored, beside the runbooks that ship, and judged with weights that were
// trained without it. A given folder (alerts.json and runbooks/) and the held-out reports are asked through the API and
// judged with the weights that ship. Past incidents of each technology are judged with weights that were trained on the
// others. `--only runbooks` or `--only incidents` judges one of them. `--examples FOLDER` and `--incident-examples FILE`
// read the examples of `npm run bench -- train-relevance`; `--form words` asks reports of this form only; `--threshold 0.7`
// is that of a cause; `--json FILE` writes the answers about runbooks; `--ablate` prints what each feature adds instead.

import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderTable } from "../cli/table.ts";
import { RELEVANCE_MODELS, type RelevanceModels } from "../functions/investigation/relevance/relevance-model.ts";
import { type Ablatable, ablate } from "./relevance/ablate.ts";
import { type Answered, askApi } from "./relevance/answers.ts";
import type { IncidentExamples } from "./relevance/ask-incident.ts";
import { collectCauseExamples } from "./relevance/cause-examples.ts";
import { alertCorpus, type Corpus } from "./relevance/corpora.ts";
import { askedOf, type Examples, readExamples } from "./relevance/examples.ts";
import { FIGURE_HEADER, figureRow, SHOWN_HEADER, shownRows } from "./relevance/figure-rows.ts";
import { type Graded, reliability } from "./relevance/figures.ts";
import { collectIncidentExamples } from "./relevance/incident-examples.ts";
import { EXAMPLE_HEADER, exampleRow, judgeExamples } from "./relevance/judge-examples.ts";
import { ANSWER_THRESHOLD as DEFAULT_THRESHOLD, judgeIncidents } from "./relevance/judge-incidents.ts";
import { heldOutCorpus, trainingCorpora } from "./relevance/load-corpora.ts";
import { progress } from "./relevance/progress.ts";
import { collectSecondExamples } from "./relevance/second-examples.ts";
import { ablatableRunbooks, trainModel } from "./relevance/train.ts";
import { ablatableIncidents } from "./relevance/train-incidents.ts";

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    examples: { type: "string" },
    "incident-examples": { type: "string" },
    form: { type: "string", multiple: true },
    json: { type: "string" },
    threshold: { type: "string" },
    misses: { type: "boolean", default: false },
    ablate: { type: "boolean", default: false },
  },
});
const ANSWER_THRESHOLD = Number(options.threshold ?? DEFAULT_THRESHOLD);
const TABLE_OPTIONS = { width: process.stdout.columns ?? 240, color: process.stdout.isTTY ?? false };

interface Judged {
  readonly name: string;
  readonly answers: readonly Answered[];
}

if (options.only !== undefined && options.only !== "runbooks" && options.only !== "incidents")
  throw new Error(`--only is "${options.only}". Give "runbooks" or "incidents".`);
if (options.only !== "incidents" && options.ablate) {
  printAblation(ablatableRunbooks((await readTrainingExamples()).map(askedOf)));
} else if (options.only !== "incidents") {
  const judged = folders.length > 0 ? await judgeFolders(folders) : await judgeAll();
  print(judged);
  if (options.json !== undefined) await writeFile(options.json, JSON.stringify(judged));
}
if (options.only !== "runbooks" && folders.length === 0) {
  const examples = await readIncidentExamples();
  if (options.ablate) printAblation(ablatableIncidents(examples));
  else printIncidents(examples);
}

async function judgeFolders(paths: readonly string[]): Promise<Judged[]> {
  const results: Judged[] = [];
  for (const path of paths) results.push(await judge(await alertCorpus(resolve(path)), RELEVANCE_MODELS));
  return results;
}

/** The examples of each corpus by weights that were trained on the others, and the held-out reports through the API. */
async function judgeAll(): Promise<Judged[]> {
  const examples = await readTrainingExamples();
  const reports = examples.map((each) => [each.corpus, askedOf(each)] as const);
  const judged = reports.map(([name, ofCorpus]) => {
    const model = trainModel(reports.filter(([other]) => other !== name).map(([, others]) => others));
    return [name, judgeExamples(ofCorpus, model)] as const;
  });
  const rows = judged.flatMap(([name, ofCorpus]) =>
    [...Map.groupBy(ofCorpus, ({ form }) => form)].map(([form, ofForm]) =>
      exampleRow(`${name}, ${form}`, ofForm, ANSWER_THRESHOLD),
    ),
  );
  console.log(`\nA cause is named from ${ANSWER_THRESHOLD} on\n${renderTable(EXAMPLE_HEADER, rows, TABLE_OPTIONS)}`);
  printReliability(judged.flatMap(([, ofCorpus]) => ofCorpus.filter(({ condition }) => condition !== "foreign")));
  return [await judge(heldOutCorpus(), RELEVANCE_MODELS)];
}

async function readTrainingExamples(): Promise<Examples[]> {
  const { corpora, missing } = await trainingCorpora();
  for (const each of missing) console.log(`Left out: ${each}.`);
  return readExamples(corpora, options.examples, progress);
}

async function judge(corpus: Corpus, models: RelevanceModels): Promise<Judged> {
  const { form: forms } = options;
  const reports = corpus.reports.filter(({ form }) => forms === undefined || forms.includes(form));
  const answers = await askApi({ ...corpus, reports }, models, progress);
  progress(`${corpus.name}: ${answers.length} answers.\n`);
  return { name: corpus.name, answers };
}

function print(results: readonly Judged[]): void {
  const rows = results.flatMap(({ name, answers }) => {
    const forms = [...Map.groupBy(answers, ({ report }) => report.form)];
    return forms.map(([form, ofForm]) => figureRow(forms.length > 1 ? `${name}, ${form}` : name, ofForm));
  });
  console.log(`\n${renderTable(FIGURE_HEADER, rows, TABLE_OPTIONS)}`);
  const graded = results.flatMap(({ answers }) =>
    answers.map(({ confidence, isBestRight }) => ({ confidence, isRight: isBestRight })),
  );
  printReliability(graded);
  if (options.misses) printMisses(results);
}

function printReliability(graded: readonly Graded[]): void {
  const bins = reliability(graded).map(({ confidence, right, count }) => [
    confidence.toFixed(2),
    right.toFixed(2),
    String(count),
  ]);
  console.log(`\n${renderTable(["mean probability", "share right", "answers"], bins, TABLE_OPTIONS)}`);
}

async function readIncidentExamples(): Promise<IncidentExamples[]> {
  const file = options["incident-examples"];
  return file === undefined
    ? [
        ...(await collectIncidentExamples(progress)),
        ...(await collectCauseExamples("train", progress)),
        ...(await collectSecondExamples(progress)),
      ]
    : JSON.parse(await readFile(file, "utf8"));
}

/** As if past incidents alone decided. */
function printIncidents(groups: readonly IncidentExamples[]): void {
  const judged = judgeIncidents(groups);
  const rows = [...Map.groupBy(judged, ({ group }) => group), ["all", judged] as const].flatMap(([group, ofGroup]) =>
    [...Map.groupBy(ofGroup, ({ report }) => report.form)].map(([form, ofForm]) =>
      figureRow(`${group}, ${form}`, ofForm),
    ),
  );
  console.log(`\nPast incidents\n${renderTable(FIGURE_HEADER, rows, TABLE_OPTIONS)}`);
  console.log(`\n${renderTable(SHOWN_HEADER, shownRows(judged), TABLE_OPTIONS)}`);
  printReliability(judged.map(({ confidence, isBestRight }) => ({ confidence, isRight: isBestRight })));
}

function printAblation(models: readonly Ablatable[]): void {
  const rows = models
    .flatMap((model) => [...ablate(model)])
    .map(({ kind, without, loss, examples }) => [
      kind,
      without === null ? "all features" : `without ${without}`,
      loss.toFixed(5),
      String(examples),
    ]);
  console.log(`\n${renderTable(["weights", "", "loss on the rest", "examples"], rows, TABLE_OPTIONS)}`);
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
