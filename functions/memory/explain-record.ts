// Why the record of a failure is as it is, in plain sentences. Pure functions.

import type { FailureSignature } from "../schemas/failure-signature.ts";
import type { FixEntry } from "../schemas/fix.ts";
import { decisiveTemplates } from "./read-signature.ts";

export interface ExplainedRecord {
  readonly signature: Omit<FailureSignature, "words">;
  readonly occurrences: number;
  readonly targets: readonly string[];
  readonly fixes: readonly FixEntry[];
  readonly shown_count: number;
  readonly helped_count: number;
}

export function explainRecord(record: ExplainedRecord): string[] {
  return [identity(record.signature), ...reports(record), ...fixHistory(record.fixes), ...activity(record)];
}

function identity(signature: ExplainedRecord["signature"]): string {
  const { basis, alert, templates } = signature;
  if (basis === "error_lines") {
    const lines = decisiveTemplates(templates).length;
    return lines === 1
      ? "Identified by 1 error line: the same line on any service is the same failure."
      : `Identified by ${lines} error lines: the same lines on any service are the same failure.`;
  }
  if (basis === "alert") return `Identified by the alert ${alert}: it is the same failure only on the same service.`;
  const content = templates.length === 0 ? "only a title" : "a title, and error lines that many failures share";
  return `Little is known: ${content}. It merges with exact repeats only.`;
}

function reports({ signature, occurrences, targets }: ExplainedRecord): string[] {
  if (occurrences === 1) return [];
  if (signature.basis === "title") return [`${occurrences} reports are the same.`];
  const shared = signature.basis === "alert" ? "alert" : "error lines";
  const where = targets.length === 0 ? "" : ` on ${counted(targets.length, "service")}`;
  return [`${occurrences} reports${where} share its ${shared}.`];
}

function fixHistory(fixes: readonly FixEntry[]): string[] {
  const back = fixes.find(({ retired, came_back_at }) => retired === null && came_back_at !== null);
  const replaced = fixes.filter(({ retired, worked }) => retired !== null && worked > 0);
  const lastReplaced = replaced
    .map(({ retired }) => retired?.at ?? "")
    .sort((a, b) => a.localeCompare(b))
    .at(-1);
  const failed = fixes.filter(({ tried, worked }) => tried > 0 && worked === 0).length;
  return [
    ...(back
      ? [`It came back on ${day(back.came_back_at)} after its fix had worked on ${day(back.last_worked_at)}.`]
      : []),
    ...(replaced.length === 1 ? [`Its fix was replaced on ${day(lastReplaced)} by a newer one.`] : []),
    ...(replaced.length > 1
      ? [`${replaced.length} fixes were replaced by newer ones, the last on ${day(lastReplaced)}.`]
      : []),
    ...(failed > 0 ? [`${counted(failed, "action")} did not help.`] : []),
  ];
}

function activity({ shown_count, helped_count }: ExplainedRecord): string[] {
  return shown_count === 0 ? [] : [`Shown ${times(shown_count)}, it helped ${times(helped_count)}.`];
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

function times(count: number): string {
  return counted(count, "time");
}

/** `2026-03-01` */
function day(time: string | null | undefined): string {
  return new Date(time ?? "").toISOString().slice(0, 10);
}
