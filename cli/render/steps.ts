// Statements and steps of an answer for a terminal, with their sources and warnings. Pure functions.

import { sourceNote } from "../../functions/answer-view/source-note.ts";
import { stepWarning } from "../../functions/answer-view/step-warning.ts";
import type { Statement, Step } from "../../functions/schemas/answer.ts";
import { shortened, type Writer } from "./terminal-text.ts";

/** The sources of a statement, or the note that it has none. */
export function support(
  statement: Pick<Statement, "supported" | "citations"> & Partial<Pick<Step, "from_source">>,
  { cite, paint }: Writer,
): string {
  const note = sourceNote(statement);
  return note === null ? cite(statement.citations) : paint("yellow", `(${note})`);
}

/** `changes state: `, in colour; empty for a step that only reads. */
export function warningPrefix(step: Step, { paint }: Writer): string {
  const warning = stepWarning(step);
  return warning === null ? "" : `${paint(warning === "changes state" ? "red" : "yellow", warning)}: `;
}

/**
 * The step, its command ready to copy, and how to undo it.
 * @param maxLength characters of its text, with all sentences by default
 */
export function renderStep(
  step: Step,
  writer: Writer,
  { indent, first, maxLength }: { readonly indent: number; readonly first: string; readonly maxLength?: number },
): string[] {
  const { block, command } = writer;
  const text = maxLength === undefined ? step.text : shortened(step.text, maxLength);
  return [
    ...block(`${warningPrefix(step, writer)}${text} ${support(step, writer)}`.trimEnd(), indent, first),
    ...command(step.command, indent + 2),
    ...undoLines(step.undo, indent, writer),
  ];
}

/** An undo that is nothing but a command, in a code span. */
const COMMAND_ALONE = /^`([^`\n]+)`\.?$/;

function undoLines(undo: string | null, indent: number, { block, command, fill, paint }: Writer): string[] {
  if (undo === null) return [];
  const alone = COMMAND_ALONE.exec(undo.trim())?.[1];
  if (alone === undefined) return block(paint("dim", `undo: ${fill(undo)}`), indent);
  return [...block(paint("dim", "undo:"), indent), ...command(alone, indent + 2)];
}

/** Look-next steps cite no source by design, so they have no note about it. */
export function asLook(step: Step): Step {
  return { ...step, supported: true };
}
