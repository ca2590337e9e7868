// Command line options of `dejavu eval`.

import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { CATEGORIES, type Category, METRIC_NAMES, type MetricName } from "./runs/run-file.ts";
import { RUNS_FOLDER } from "./runs/run-store.ts";

/** Lowest accepted value of a metric. */
export interface MetricFloor {
  readonly metric: MetricName;
  /** 0 to 1. */
  readonly floor: number;
}

export interface EvalOptions {
  readonly url?: string;
  readonly fresh: boolean;
  readonly category: readonly Category[];
  readonly case: readonly string[];
  readonly repeats: number;
  /** Seconds. */
  readonly timeout: number;
  readonly cases: readonly string[];
  readonly judge: boolean;
  readonly judgePasses: number;
  readonly runs: string;
  readonly json: boolean;
  readonly failUnder: readonly MetricFloor[];
  readonly fromFeedback: boolean;
}

const DEFAULT_CASES = join(import.meta.dirname, "cases");

export function evalCommand(): Command {
  return new Command("dejavu eval")
    .description(
      "Runs the evaluation cases against Dejavu, compares the answers with the expected ones, and prints each metric.",
    )
    .option(
      "--url <url>",
      "test this instance instead of the local stack; needs DEJAVU_TOKEN with the scopes triage, read, ingest, feedback, admin",
    )
    .option("--fresh", "start a throw-away stack with the project's runbooks only, even if a local stack runs", false)
    .option(
      "--category <name>",
      `run only cases of this category (${CATEGORIES.join(", ")}); repeatable`,
      categoryOption,
      [],
    )
    .option("--case <id>", "run only this case; repeatable", collect, [])
    .option("--repeats <n>", "trials of each case, 1 to 20", integerOption(1, 20), 3)
    .option("--timeout <seconds>", "time limit of one request, 1 to 600", integerOption(1, 600), 60)
    .option("--cases <folders...>", "folders with case files", [DEFAULT_CASES])
    .option("--judge", "grade the answers with a language model, too (EVAL_JUDGE_MODEL)", false)
    .option("--judge-passes <n>", "times that the judge grades each answer, 1 to 9", integerOption(1, 9), 3)
    .option("--runs <folder>", "folder with the stored runs", RUNS_FOLDER)
    .option("--json", "print the run file instead of tables", false)
    .option("--fail-under <metric=floor>", "exit with 2 if the metric is below the floor; repeatable", floorOption, [])
    .option("--from-feedback", "run nothing: write a case file for each answer that people rated", false)
    .addHelpText(
      "after",
      '\nTests the local stack of "npm start"; if none runs, starts a throw-away one. Deletes every record that it creates.\n' +
        "Exit codes: 0 run finished, whatever the results; 1 run not possible; 2 metric below --fail-under; 130 stopped.",
    )
    .allowExcessArguments(false);
}

/** Exits with a usage error when an argument is invalid. */
export function readOptions(args: readonly string[]): EvalOptions {
  return evalCommand()
    .parse([...args], { from: "user" })
    .opts<EvalOptions>();
}

function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}

function categoryOption(value: string, previous: readonly Category[]): Category[] {
  const category = CATEGORIES.find((name) => name === value);
  if (category === undefined) throw new InvalidArgumentError(`Use one of ${CATEGORIES.join(", ")}.`);
  return [...previous, category];
}

function floorOption(value: string, previous: readonly MetricFloor[]): MetricFloor[] {
  const [, name, floor] = /^([A-Za-z]+)=(\d(?:\.\d+)?)$/.exec(value) ?? [];
  const metric = METRIC_NAMES.find((metricName) => metricName === name);
  if (metric === undefined || Number(floor) > 1)
    throw new InvalidArgumentError(`Use <metric>=<0 to 1> with one of ${METRIC_NAMES.join(", ")}.`);
  return [...previous, { metric, floor: Number(floor) }];
}

function integerOption(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < min || number > max)
      throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
    return number;
  };
}
