// The end of an answer: names in its commands, warnings and next steps. Pure functions.

import { type NextStep, nextSteps } from "../../functions/answer-view/next-steps.ts";
import { placeholderNotes } from "../../functions/answer-view/placeholders.ts";
import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import { section, shortened, type Writer } from "./terminal-text.ts";

/** Lines of a warning in a short answer. */
const WARNING_LINES = 2;
const WARNING_INDENT = 4;
/** Columns of `not this?` and the like. */
const LABEL_WIDTH = 14;

export interface NextStepOptions {
  /** The beginning of a command. */
  readonly prefix: string;
  /** How commands name the incident. */
  readonly incident: string;
  /** Whether all of the answer is shown already. */
  readonly full: boolean;
}

/** @param commands the shown ones */
export function placeholderLines(
  commands: readonly string[],
  { placeholders }: Pick<TriageResult, "placeholders">,
  { block, paint }: Writer,
): string[] {
  return placeholderNotes(commands, placeholders).flatMap((note) => block(paint("dim", note), 2));
}

export function warningLines(
  { warnings }: Pick<TriageResult, "warnings">,
  writer: Writer,
  { full }: Pick<NextStepOptions, "full">,
): string[] {
  const { block, paint, width } = writer;
  const maxLength = full ? Number.POSITIVE_INFINITY : WARNING_LINES * (width - WARNING_INDENT - 2);
  const lines = warnings.flatMap(({ message }) =>
    block(paint("yellow", shortened(message, maxLength)), WARNING_INDENT, "  ! "),
  );
  return section(writer, "Warnings", lines);
}

/** The commands that people can run next. */
export function nextStepLines(
  result: TriageResult,
  { paint }: Writer,
  { prefix, incident, full }: NextStepOptions,
): string[] {
  const steps = nextSteps(result).filter(({ action }) => !(full && action === "show"));
  let label = "";
  return steps.map((step) => {
    const { when, before = "", words } = commandOf(step, incident, result);
    const shown = when === label ? "" : when;
    label = when;
    return `  ${paint("dim", shown.padEnd(LABEL_WIDTH))}${paint("cyan", `${before}${prefix} ${words}`)}`;
  });
}

interface NextCommand {
  readonly when: string;
  /** What is piped into the command. */
  readonly before?: string;
  readonly words: string;
}

function commandOf(step: NextStep, incident: string, { persisted }: Pick<TriageResult, "persisted">): NextCommand {
  switch (step.action) {
    case "resolve":
      return { when: "fixed it?", words: `resolve ${incident} "what fixed it"` };
    case "show":
      return { when: "not this?", words: `show ${incident} --full` };
    case "similar":
      return { when: "not this?", words: `similar ${persisted === true ? incident : `"${step.words}"`}` };
    case "feedback":
      return { when: "not this?", words: `feedback ${incident} down "why"` };
    case "add_logs":
      return { when: "add logs", before: "… | ", words: `triage "${step.words}"` };
    case "add_runbook":
      return { when: "add runbooks", words: "runbooks add <folder>" };
  }
}
