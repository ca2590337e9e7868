// Findings of the deploy check, and their order.

import { styleText } from "node:util";

export const PARTS = ["settings", "account", "database", "vector_store", "worker"] as const;
export type Part = (typeof PARTS)[number];

export interface Finding {
  readonly part: Part;
  /** `unchecked`: it could not be determined, so it counts as not passed. */
  readonly status: "ok" | "problem" | "unchecked";
  readonly text: string;
  /** The command or the step that mends it. */
  readonly mend?: string | undefined;
}

/** Makes the findings of one part. */
export function findingsOf(part: Part) {
  const make =
    (status: Finding["status"]) =>
    (text: string, mend?: string): Finding => ({ part, status, text, ...(mend === undefined ? {} : { mend }) });
  return { ok: make("ok"), problem: make("problem"), unchecked: make("unchecked") };
}

export function isPart(name: string): name is Part {
  return PARTS.some((part) => part === name);
}

const MARKS = {
  ok: styleText("green", "✓"),
  problem: styleText("red", "✗"),
  unchecked: styleText("yellow", "?"),
} as const;

/** One line for a person, and a second with what mends it. */
export function renderFinding({ status, text, mend }: Finding): string {
  return `${MARKS[status]} ${text}${mend === undefined ? "" : `\n    → ${mend}`}`;
}
