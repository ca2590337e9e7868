// Owns what a command may do to the system, and what several do together.

export type CommandEffect = "read_only" | "changes_state";

/** Several effects at once: one change is a change, and only what reads throughout reads. */
export function worstEffect(effects: readonly (CommandEffect | undefined)[]): CommandEffect | undefined {
  if (effects.includes("changes_state")) return "changes_state";
  return effects.length > 0 && effects.every((effect) => effect === "read_only") ? "read_only" : undefined;
}
