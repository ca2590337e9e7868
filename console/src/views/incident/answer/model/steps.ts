// The steps of an answer with their commands, warnings and state. Pure functions.

import {
  commandsOf,
  placeholderNotes,
  placeholdersIn,
  withPlaceholders,
} from "../../../../../../functions/answer-view/placeholders.ts";
import { sourceNote } from "../../../../../../functions/answer-view/source-text.ts";
import type { Step } from "../../../../../../functions/schemas/answer.ts";
import type { TriageResult } from "../../../../../../functions/schemas/triage-result.ts";

/** The state of a step, which everybody who works on the incident shares. */
export interface StepState {
  readonly key: string;
  readonly text: string;
  readonly command: string | null;
  readonly done: boolean;
  readonly by: string | null;
  readonly at: string | null;
}

export interface ShownStep {
  readonly text: string;
  /** With names of the report in place of its placeholders. */
  readonly command: string | null;
  /** Placeholders that people replace themselves. */
  readonly open: readonly string[];
  readonly undo: string | null;
  readonly effect: Step["effect"];
  readonly citations: readonly string[];
  /** Such as "the command is not from a source"; null with a source. */
  readonly note: string | null;
  /** Null where the state cannot be kept, as for an incident that is not stored. */
  readonly state: StepState | null;
}

/** @param areLooks steps without a cause: they cite no source by design */
export function shownSteps(
  steps: readonly Step[],
  { placeholders }: Pick<TriageResult, "placeholders">,
  { states, areLooks = false }: { readonly states: readonly StepState[]; readonly areLooks?: boolean },
): ShownStep[] {
  const byKey = new Map(states.map((state) => [identity(state), state]));
  return steps.map((step) => {
    const state = byKey.get(identity(step)) ?? null;
    const command = step.command === null ? null : withPlaceholders(step.command, placeholders);
    const undo = step.undo === null ? null : withPlaceholders(step.undo, placeholders);
    return {
      text: step.text,
      command,
      open: placeholdersIn([command, undo].join("\n")),
      undo,
      effect: step.effect,
      citations: step.citations,
      note: areLooks ? null : sourceNote(step),
      state,
    };
  });
}

/** Equal for steps with the same text and command, whatever their spacing. */
function identity({ text, command }: Pick<Step, "text" | "command">): string {
  return JSON.stringify([text, command ?? ""].map((part) => part.replace(/\s+/g, " ").trim()));
}

export interface StepGroup {
  readonly title: string;
  readonly note: string | null;
  readonly steps: readonly ShownStep[];
}

/** The steps of an answer in the order of work: checks, then fixes. `note` names what the commands have from the report. */
export function stepGroups(
  result: TriageResult,
  states: readonly StepState[],
): { readonly groups: readonly StepGroup[]; readonly note: string | null } {
  const { answer, placeholders } = result;
  const hasCauses = answer.likely_causes.length > 0;
  const group = (title: string, steps: readonly Step[], note: string | null = null): StepGroup => ({
    title,
    note,
    steps: shownSteps(steps, result, { states }),
  });
  const looks = {
    title: hasCauses ? "Look next" : "Look here first",
    note: hasCauses ? null : `${coverageOf(answer)} These steps narrow it down.`,
    steps: shownSteps(answer.look_next, result, { states, areLooks: true }),
  };
  const groups = [
    group("Check first", answer.confirm),
    ...answer.possible_causes.map(({ title, confirm }) => group(`Check: ${title}`, confirm)),
    group("Then fix it", answer.mitigate, "Steps that change the system say so."),
    looks,
  ];
  const [filled] = placeholderNotes(commandsOf(answer), placeholders).filter((each) => each.startsWith("From"));
  return { groups: groups.filter(({ steps }) => steps.length > 0), note: filled ?? null };
}

function coverageOf({ ruled_out }: TriageResult["answer"]): string {
  return ruled_out.length > 0 ? "Checks rule out what matches." : "Nothing on record covers this.";
}
