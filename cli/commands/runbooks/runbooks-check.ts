// `dejavu runbooks check`: checks a folder of runbooks, or one file; with --run, runs its evidence checks against a service.

import type { TextTopic } from "../../../functions/knowledge/runbook-text/text-topics.ts";
import { displayJson } from "../../../lib/text/display-text.ts";
import {
  type CheckedRunbooks,
  checkRunbooks,
  type EvidenceCheckInFile,
  type TopicsInFile,
} from "../../check-runbooks.ts";
import { CommandError, EXIT_CODES } from "../../service/command-error.ts";
import type { Invocation } from "../../service/invocation.ts";
import { printable } from "../../service/problem-error.ts";
import { labelsOf } from "../../service/report-input.ts";
import { type CheckRun, runChecks } from "./run-checks.ts";

export interface CheckOptions {
  readonly run?: boolean;
  readonly label?: readonly string[];
  readonly domain?: string;
}

const MAX_SKIPPED = 10;

export async function run({ args, options, cli }: Invocation<CheckOptions>): Promise<void> {
  const [path = ""] = args;
  if (!options.run && (options.label !== undefined || options.domain !== undefined))
    throw new CommandError("usage", "--label and --domain scope the checks that --run runs: add --run.");
  const checked = await checkRunbooks(path).catch((error: unknown) => {
    throw new CommandError("failed", error instanceof Error ? error.message : String(error), { cause: error });
  });
  const { files, problems, checks, runbooks, skipped } = checked;
  const runs = options.run
    ? await runChecks(checks, { cli, labels: labelsOf(options.label ?? []), domain: options.domain ?? "" })
    : null;
  const counts = Object.fromEntries(countBy(checks, ({ check }) => check.language));
  const results = runs === null ? {} : { results: runs.map(resultOf) };
  const json = { files, checks: counts, runbooks: runbooks.map(topicsOf), problems, skipped, ...results };
  cli.print(options.json ? displayJson(json) : describe(checked, runs));
  if (problems.length > 0 || runs?.some(({ isFailure }) => isFailure)) cli.exitWith(EXIT_CODES.failed);
}

function resultOf({ file, check, verdict, statement, value, source, query }: CheckRun) {
  return { file, line: check.line, name: check.name, verdict, statement, value, source, query };
}

/** The form that the API uses, too. */
function topicsOf({ topics, ...text }: TopicsInFile) {
  return { ...text, topics: topics.map(({ headingPath, ...topic }) => ({ heading_path: headingPath, ...topic })) };
}

function describe(
  { files, problems, checks, runbooks, skipped }: CheckedRunbooks,
  runs: readonly CheckRun[] | null,
): string {
  const places = problems.map(({ file, line, message }) => `${file}${line === null ? "" : `:${line}`}: ${message}`);
  const results = runs?.map(describeRun) ?? [];
  const count = problems.length === 0 ? "no problems" : plural(problems.length, "problem");
  const summary = [`${plural(files, "file")}${withChecks(checks)} checked: ${count}.`];
  if (runs !== null) {
    const verdicts = countBy(runs, ({ verdict }) => verdict).map(([verdict, n]) => `${n} ${verdict.replace("_", " ")}`);
    summary.push(`${plural(runs.length, "check")} run${verdicts.length === 0 ? "" : `: ${verdicts.join(", ")}`}.`);
  }
  return [...describeTopics(runbooks), ...describeSkipped(skipped), ...places, ...results, ...summary].join("\n");
}

/** The files that are not loaded, for commands about folders. */
export function describeSkipped(skipped: readonly string[]): string[] {
  if (skipped.length === 0) return [];
  const others = skipped.length - MAX_SKIPPED;
  const named = skipped.slice(0, MAX_SKIPPED).map((file) => printable(file));
  return [`Not loaded: ${[...named, ...(others > 0 ? [plural(others, "other file")] : [])].join(", ")}.`];
}

/** Such as ` and 12 evidence checks (8 promql, 4 sql)`. */
function withChecks(checks: readonly EvidenceCheckInFile[]): string {
  if (checks.length === 0) return "";
  const languages = countBy(checks, ({ check }) => check.language).map(([language, n]) => `${n} ${language}`);
  return ` and ${plural(checks.length, "evidence check")} (${languages.join(", ")})`;
}

function describeRun({ file, check, verdict, statement, value, source }: CheckRun): string {
  const result = verdict === "confirmed" || verdict === "refuted" ? `${value ?? ""}: ${statement}` : statement;
  const place = source === null ? "" : ` [${source}]`;
  return `${file}:${check.line}: ${check.name}: ${verdict.replace("_", " ")}: ${printable(result)}${place}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function countBy<T>(all: readonly T[], keyOf: (each: T) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1);
  return [...counts];
}

/** One runbook in full; of several, those about several failures, and the number of the others. */
export function describeTopics(runbooks: readonly TopicsInFile[]): string[] {
  const filled = runbooks.filter(({ topics }) => topics.length > 0);
  const several = filled.filter(({ topics }) => topics.length > 1);
  const [first] = filled;
  const [only] = first?.topics ?? [];
  if (first && only && filled.length === 1 && several.length === 0)
    return [printable(`One failure: ${first.title} (${rolesOf(only)})`)];
  const others = filled.length - several.length;
  return [
    ...several.flatMap(describeSeveral),
    ...(others === 0 ? [] : [`One failure in ${others === 1 ? "1 runbook" : `each of ${others} runbooks`}.`]),
  ];
}

function describeSeveral({ file, title, topics, overview }: TopicsInFile): string[] {
  const parts = overview.map(
    ({ line, heading }) => `${heading === "" ? "the opening" : `"${heading}"`} (line ${line})`,
  );
  return [
    `${file}: Several failures: ${topics.length} topics`,
    ...topics.map((topic) => `  ${describeTopic(topic, title)}`),
    ...(parts.length === 0 ? [] : [`  Overview only: ${printable(parts.join(", "))}`]),
  ];
}

function describeTopic(topic: TextTopic, title: string): string {
  const { anchor, line } = topic;
  const name = anchor === null ? title : `${topic.title} #${anchor}`;
  return printable(`line ${line}: ${name} (${rolesOf(topic)})`);
}

function rolesOf({ roles, missing }: TextTopic): string {
  if (roles.length === 0) return "no sections with a role: its instructions are the steps";
  return `${roles.join(", ")}${missing.length === 0 ? "" : `; missing: ${missing.join(", ")}`}`;
}
