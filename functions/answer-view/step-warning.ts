// Warning that every rendering shows before a step.

import { inlineCommands } from "../../lib/commands/step-effect.ts";
import type { Step } from "../schemas/answer.ts";

export type StepWarning = "changes state" | "not verified as read-only";

/** A step without a command, and without one in a code span of its sentence, has nothing to verify. */
export function stepWarning({ text, command, effect }: Pick<Step, "text" | "command" | "effect">): StepWarning | null {
  if (effect === "changes_state") return "changes state";
  if (effect === "read_only") return null;
  const inline = inlineCommands(text);
  if (inline.some((each) => each.effect === "changes_state")) return "changes state";
  return command !== null || inline.length > 0 ? "not verified as read-only" : null;
}
