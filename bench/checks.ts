// `npm run bench -- checks`: answers to alerts with and without their sources of evidence. Asks each alert both ways,
// beside the runbooks that ship. Prints how often the right cause is first, refuted causes that are named, and wrong
// causes. `--part train` or `--part "held out"` asks one part; with `--fit`, prints the weights of checks for
// functions/investigation/relevance/check-weights.json, fitted on `train` alone. `--latency` times triages with eight
// checks instead. `--misses` lists each answer that is not right; `--json FILE` writes the answers. Needs Debian's
// package `prometheus`.

import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { renderTable } from "../cli/table.ts";
import type { TriageResult } from "../functions/schemas/triage-result.ts";
import { findProgram } from "../tests/support/debian.ts";
import { CHECK_CASES } from "./checks/all-cases.ts";
import { createCaseAsker } from "./checks/ask-cases.ts";
import { type CheckGrade, checkFiguresOf, gradeChecks } from "./checks/check-figures.ts";
import { fitWeight, verdictExamples } from "./checks/fit-weights.ts";
import { type CheckLatency, measureLatency } from "./checks/measure-latency.ts";
import { progress } from "./relevance/progress.ts";

interface GradedAnswer {
  readonly hasSources: boolean;
  readonly grade: CheckGrade;
  readonly result: TriageResult;
}

const { values: options } = parseArgs({
  options: {
    part: { type: "string" },
    case: { type: "string", multiple: true },
    latency: { type: "boolean", default: false },
    fit: { type: "boolean", default: false },
    json: { type: "string" },
    misses: { type: "boolean", default: false },
  },
});
const TABLE_OPTIONS = { width: process.stdout.columns ?? 240, color: process.stdout.isTTY ?? false };

const program = await findProgram("prometheus");
if (program === null) throw new Error("This needs Prometheus. On Debian: apt-get install prometheus");
if (options.latency) printLatency(await measureLatency(program));
else {
  const answers = await askAll(program);
  print(answers);
  if (options.json !== undefined) await writeFile(options.json, JSON.stringify(answers));
}

/** The aim: at most 1.3 times the triage without checks, and the slowest check. */
function printLatency(latency: CheckLatency): void {
  const { without, with: checked, slowestCheck } = latency;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  console.log(
    `p50 without checks ${ms(without)}, with 8 checks ${ms(checked)}, slowest check ${ms(slowestCheck)}; ` +
      `${(checked / (1.3 * without + slowestCheck)).toFixed(2)} of the aim (1.3 x without + slowest check)`,
  );
}

async function askAll(program: string): Promise<GradedAnswer[]> {
  const cases = CHECK_CASES.filter(
    ({ part, id }) => (options.part ?? part) === part && (options.case?.includes(id) ?? true),
  );
  await using asker = await createCaseAsker(program, cases);
  const graded: GradedAnswer[] = [];
  for (const each of cases) {
    for (const hasSources of [false, true]) {
      const result = await asker.ask(each, hasSources);
      graded.push({ hasSources, grade: gradeChecks(each, result), result });
    }
    progress(`${graded.length} answers`);
  }
  progress(`${graded.length} answers.\n`);
  return graded;
}

function print(graded: readonly GradedAnswer[]): void {
  const header = ["part", "cases", "sources", "asked", "right first", "causes", "wrong causes", "refuted named"];
  const groups = Map.groupBy(graded, ({ grade, hasSources }) =>
    [grade.case.part, grade.case.kind, hasSources ? "yes" : "no"].join("\t"),
  );
  const parts = Map.groupBy(graded, ({ grade, hasSources }) =>
    [grade.case.part, "all", hasSources ? "yes" : "no"].join("\t"),
  );
  const rows = [...groups, ...parts].map(([name, ofGroup]) => {
    const figures = checkFiguresOf(ofGroup.map(({ grade }) => grade));
    const { asked: total, right, causes, wrongCauses, refutedNamed } = figures;
    return [
      ...name.split("\t"),
      String(total),
      `${right} (${(right / total).toFixed(2)})`,
      ...[causes, wrongCauses, refutedNamed].map(String),
    ];
  });
  console.log(`\n${renderTable(header, rows, TABLE_OPTIONS)}`);
  if (options.fit) printWeights(graded);
  if (options.misses) for (const answer of graded) printMiss(answer);
}

function printWeights(graded: readonly GradedAnswer[]): void {
  const examples = graded
    .filter(({ hasSources, grade }) => hasSources && grade.case.part === "train")
    .flatMap(({ grade, result }) => verdictExamples(grade.case, result));
  for (const [verdict, ofVerdict] of Map.groupBy(examples, (example) => example.verdict)) {
    const right = ofVerdict.filter(({ isRight }) => isRight).length;
    console.log(
      `\n${verdict}: ${ofVerdict.length} runbooks, ${right} of them right; weight ${fitWeight(ofVerdict).toFixed(2)}`,
    );
  }
}

function printMiss({ hasSources, grade, result }: GradedAnswer): void {
  const { isRight, isWrongCause, refutedNamed, outcome, confidence, first } = grade;
  if (!hasSources || (isRight && !isWrongCause && refutedNamed.length === 0)) return;
  const { id, part, right } = grade.case;
  console.log(`\n${part} ${id}: ${outcome} ${confidence.toFixed(2)}, first ${first}; right ${right?.source ?? "none"}`);
  if (refutedNamed.length > 0) console.log(`  refuted and named: ${refutedNamed.join("; ")}`);
  for (const { runbook, name, verdict, value, statement } of result.checks)
    console.log(`  ${verdict} ${runbook} ${name}: ${value ?? ""} ${statement}`);
  for (const { source, probability } of result.recalled.runbooks.slice(0, 6))
    console.log(`  ${probability.toFixed(2)} ${source}`);
}
