// Messages of `npm start`: how to use the stack, and why a start failed. Pure functions.

import { relative } from "node:path";
import pc from "picocolors";
import wrapAnsi from "wrap-ansi";
import { percentOf } from "../../functions/answer-view/percent.ts";
import { verdictLine, verdictOf } from "../../functions/answer-view/verdict.ts";
import type { PastFix } from "../../functions/schemas/answer.ts";
import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import type { StackInfo } from "../stack/stack-info.ts";
import { StackError } from "../stack/system/errors.ts";
import type { Sample } from "./sample-incident.ts";

/** Columns. Every line but a longer path fits. */
const WIDTH = 80;

/**
 * How to use a running stack.
 * @param dataDir its data folder @param consoleLink signs in to the console
 * @param options.hasSample it has the sample incident
 * @param options.isTerminal otherwise the output may be stored, so it says where the token is
 */
export function describeUse(
  info: StackInfo,
  dataDir: string,
  consoleLink: string,
  { hasSample = false, isTerminal = true }: { readonly hasSample?: boolean; readonly isTerminal?: boolean } = {},
): string {
  const { worker } = info.urls;
  const folder = shorten(dataDir);
  return [
    "",
    `${pc.bold("Dejavu is ready")}. Open its console: this link signs in once, within 10 minutes.`,
    `  ${pc.cyan(consoleLink)}`,
    ...(hasSample ? [pc.dim("  It shows a sample: an open incident, and a past one with its fix.")] : []),
    "",
    `Or try it in another terminal. In this folder: ${pc.cyan('export PATH="$PWD/bin:$PATH"')}`,
    ...example('dejavu triage "pod stuck in CrashLoopBackOff" --target checkout', [
      "what it can be, how to confirm it, and what to do",
    ]),
    ...example("kubectl describe pod x | dejavu triage", [
      "the same for a description, a log, a trace or an alert from a pipe",
    ]),
    ...example('dejavu resolve last "what fixed it"', ["records the fix, which comes back with the next such failure"]),
    "",
    `Guide     ${worker}/guide, API ${worker}/docs`,
    `Agents    ${worker}/mcp (MCP)`,
    `Token     ${isTerminal ? `${info.token} (of this stack only)` : `\`token\` in ${folder}/stack.json`}`,
    ...(info.logs.collector === undefined ? [] : ["Traces    dejavu trace, the newest triage step by step"]),
    `Logs      ${folder}/logs/`,
    pc.dim("Ctrl-C stops everything. `npm run demo` shows what checks do."),
    "",
  ].join("\n");
}

function example(command: string, meaning: readonly string[]): string[] {
  return [`  ${pc.cyan(command)}`, ...meaning.map((line) => pc.dim(`      ${line}`))];
}

/** What the sample reported, and what came back. */
export function describeSample({ first, fix, second }: Sample): string {
  const lines = (text: string, first = "     ") =>
    wrapAnsi(text, WIDTH - 5)
      .split("\n")
      .map((line, i) => (i === 0 ? first : "     ") + line);
  const [past] = second.answer.worked_before;
  return [
    "",
    `${pc.bold("What memory does")}:`,
    "",
    ...lines(`${pc.bold(first.target ?? "")} is reported: "${first.title}", with a log`, "  1. "),
    ...lines(answered(first)),
    ...lines(`Its fix is recorded: "${fix}"`, "  2. "),
    ...lines(`${pc.bold(second.target ?? "")} fails, in other words: "${second.title}", with a log`, "  3. "),
    ...lines(answered(second)),
    ...(past === undefined ? lines("No past incident is like it.") : lines(pc.green(pastFixOf(past)))),
  ].join("\n");
}

function answered(result: TriageResult): string {
  const runbook = result.sources.find(({ kind }) => kind === "runbook");
  const about = runbook === undefined ? "" : `: ${runbook.title}`;
  return `→ ${verdictLine(verdictOf(result))}${about}`;
}

/** `→ Seen before on checkout, 99 % the same failure. Fixed by: …, worked 1 of 1.` */
function pastFixOf({ recurrence, probability, fix }: PastFix): string {
  const targets = recurrence?.targets ?? [];
  const place = targets.length === 0 ? "" : ` on ${targets.join(", ")}`;
  const likely = probability === null ? "" : `, ${percentOf(probability)} the same failure`;
  const fixed = fix === null ? "No fix is recorded." : `Fixed by: ${fix.text} Worked ${fix.worked} of ${fix.tried}.`;
  return `→ Seen before${place}${likely}. ${fixed}`;
}

function shorten(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}

/** SQLSTATE 53100 is Postgres' code of a full disk. */
const DISK_FULL = /ENOSPC|No space left on device|\b53100\b/i;

/**
 * The error message of a failed start, with the end of the log that explains it, and what to do about a full disk.
 * @param isLogKept false if the log has been deleted with its stack
 */
export function describeFailure(error: unknown, { isLogKept = true } = {}): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = [pc.red(message)];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause !== error && !(cause instanceof StackError)) lines.push(pc.dim(`Cause: ${cause.message}`));
    if (cause instanceof StackError && cause.logPath) {
      lines.push("", cause.logTail.replaceAll(/^/gm, "  "));
      if (isLogKept) lines.push("", `The whole log: ${cause.logPath}`);
      break;
    }
  }
  if (lines.some((line) => DISK_FULL.test(line)))
    lines.push("", "The disk is full. Free about 500 MB and start again; what is stored stays.");
  return lines.join("\n");
}
