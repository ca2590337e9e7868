// Whether two signatures are of one failure, though one has further error lines. Pure functions.

import type { FailureSignature } from "../schemas/failure-signature.ts";
import { decisiveTemplates } from "./read-signature.ts";

/**
 * True if both are recognised by error lines, each has the other's decisive lines, and one has all lines of the other: where each
 * says something that the other does not, a fix of the one may be wrong for the other.
 */
export function isSameFailure(a: FailureSignature, b: FailureSignature): boolean {
  if (a.basis !== "error_lines" || b.basis !== "error_lines") return false;
  return (
    holds(a, decisiveTemplates(b.templates)) &&
    holds(b, decisiveTemplates(a.templates)) &&
    (holds(a, b.templates) || holds(b, a.templates))
  );
}

function holds({ templates }: FailureSignature, others: FailureSignature["templates"]): boolean {
  return others.every((other) => templates.some(({ text }) => text === other.text));
}
