// Warning that every rendering shows before a step.

import type { Step } from "../answer.ts";

/** A step without a command has nothing to verify. */
export function stepWarning({
  command,
  effect,
}: Pick<Step, "command" | "effect">): "changes state" | "not verified as read-only" | null {
  if (effect === "changes_state") return "changes state";
  return command !== null && effect === null ? "not verified as read-only" : null;
}
