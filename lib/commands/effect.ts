// Effect of a command on the system.

/** `null`: not verified as read-only. */
export type CommandEffect = "read_only" | "changes_state" | null;

/** One change is a change, and several parts are read-only only if each of them is. */
export function worstEffect(effects: readonly CommandEffect[]): CommandEffect {
  if (effects.includes("changes_state")) return "changes_state";
  return effects.length > 0 && effects.every((effect) => effect === "read_only") ? "read_only" : null;
}
