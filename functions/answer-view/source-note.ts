// Note that every rendering shows after a statement without a source.

import type { Step } from "../schemas/answer.ts";

/** @param statement a step, or a statement without a command */
export function sourceNote({
  supported,
  from_source = true,
}: Pick<Step, "supported"> & Partial<Pick<Step, "from_source">>): string | null {
  if (!from_source) return "the command is not from a source";
  return supported ? null : "no source says this";
}
