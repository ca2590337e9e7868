// Owns what `npm run eval` may be told. Pure: words in, options out.

import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { DOMAIN_NAMES } from "../../functions/schemas/domain.ts";
import { CATEGORIES, type Category, METRIC_NAMES, type MetricName } from "./runs/run-file.ts";

export interface Gate {
  readonly metric: MetricName;
  readonly floor: number;
}

export interface EvalOptions {
  readonly url?: string;
  readonly fresh: boolean;
  readonly category: readonly Category[];
  readonly case: readonly string[];
  readonly repeats: number;
  readonly concurrency: number;
  /** Seconds. */
  readonly timeout: number;
  readonly cases: readonly string[];
  readonly judge: boolean;
  readonly judgePasses: number;
  readonly store: boolean;
  readonly json: boolean;
  readonly failUnder: readonly Gate[];
  readonly fromFeedback: boolean;
}

const DEFAULT_CASES = join(import.meta.dirname, "cases");

export function evalCommand(): Command {
  return new Command("npm run eval --")
    .description("Asks Dejavu what the cases say, holds the answers against what is right, and prints each metric.")
    .option(
      "--url <url>",
      "another Dejavu than the local stack; its token comes from DEJAVU_TOKEN (scopes: triage, read, feedback, admin)",
    )
    .option("--fresh", "a throw-away stack with the project's runbooks and nothing else, also where one runs", false)
    .option(
      "--category <name>",
      `only cases of this category (${CATEGORIES.join(", ")}); may be repeated`,
      categories,
      [],
    )
    .option("--case <id>", "only this case; may be repeated", collect, [])
    .option("--repeats <n>", "times that each case is asked, 1 to 20", whole(1, 20), 3)
    .option(
      "--concurrency <n>",
      "domains at once; the cases of one domain follow one another, so that none sees another's memory",
      whole(1, DOMAIN_NAMES.length),
      DOMAIN_NAMES.length,
    )
    .option("--timeout <seconds>", "that one request may take, 1 to 600", whole(1, 600), 60)
    .option("--cases <folders...>", "where the cases are", [DEFAULT_CASES])
    .option("--judge", "have a language model judge the answers, too: see EVAL_JUDGE_MODEL", false)
    .option("--judge-passes <n>", "times that it judges each answer, 1 to 9", whole(1, 9), 3)
    .option("--no-store", "keep no file of this run")
    .option(
      "--json",
      "print the file of the run instead of tables: npm run --silent eval -- --json, since npm prints a banner",
      false,
    )
    .option("--fail-under <metric=floor>", "end with 2 if a metric is below this; may be repeated", gates, [])
    .option("--from-feedback", "ask nothing: write a case for each answer that people voted on", false)
    .addHelpText(
      "after",
      '\nAsks the stack that "npm start" runs; where none runs, a throw-away one. All that is asked is forgotten.\n' +
        "Ends with 0 when the run was made, whatever it found, and with 1 when it could not be made.",
    )
    .allowExcessArguments(false);
}

/** Ends the process on words that make no sense, as commander does. */
export function readOptions(words: readonly string[]): EvalOptions {
  return evalCommand()
    .parse([...words], { from: "user" })
    .opts<EvalOptions>();
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function categories(value: string, before: readonly Category[]): Category[] {
  const category = CATEGORIES.find((each) => each === value);
  if (category === undefined) throw new InvalidArgumentError(`There are ${CATEGORIES.join(", ")}.`);
  return [...before, category];
}

function gates(value: string, before: readonly Gate[]): Gate[] {
  const [, name, floor] = /^([A-Za-z]+)=(\d(?:\.\d+)?)$/.exec(value) ?? [];
  const metric = METRIC_NAMES.find((each) => each === name);
  if (metric === undefined || Number(floor) > 1)
    throw new InvalidArgumentError(`It wants metric=floor, 0 to 1, of ${METRIC_NAMES.join(", ")}.`);
  return [...before, { metric, floor: Number(floor) }];
}

function whole(least: number, most: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < least || number > most)
      throw new InvalidArgumentError(`It wants a whole number from ${least} to ${most}.`);
    return number;
  };
}
