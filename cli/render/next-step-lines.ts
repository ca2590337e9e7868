// The commands that people can run after an answer. Pure functions.

import type { NextStep } from "../../functions/answer-view/next-steps.ts";
import type { Writer } from "./terminal-text.ts";

/** Columns of `not this?` and the like. */
const LABEL_WIDTH = 14;

export interface NextStepNames {
  /** How commands name the incident. */
  readonly incident: string;
  readonly isStored: boolean;
}

export function nextStepLines(
  steps: readonly NextStep[],
  { paint }: Pick<Writer, "paint">,
  names: NextStepNames,
): string[] {
  let label = "";
  return steps.map((step) => {
    const { when, before = "", words } = commandOf(step, names);
    const shown = when === label ? "" : when;
    label = when;
    return `  ${paint("dim", shown.padEnd(LABEL_WIDTH))}${paint("cyan", `${before}dejavu ${words}`)}`;
  });
}

interface NextCommand {
  readonly when: string;
  /** What is piped into the command. */
  readonly before?: string;
  readonly words: string;
}

function commandOf(step: NextStep, { incident, isStored }: NextStepNames): NextCommand {
  switch (step.action) {
    case "resolve":
      return { when: "fixed it?", words: `resolve ${incident} "what fixed it"` };
    case "show":
      return { when: "not this?", words: `show ${incident} --full` };
    case "similar":
      return { when: "not this?", words: `similar ${isStored ? incident : `"${step.words}"`}` };
    case "feedback":
      return { when: "not this?", words: `feedback ${incident} down "why"` };
    case "add_logs":
      return { when: "add logs", before: "… | ", words: `triage "${step.words}"` };
    case "add_runbook":
      return { when: "add runbooks", words: "runbooks add <folder>" };
  }
}
