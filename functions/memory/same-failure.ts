// Whether two signatures are of one failure, though their error lines are not all equal. Pure functions.

import { wordsOfTemplate } from "../../lib/logs/line-template.ts";
import type { FailureSignature, LineTemplate } from "../schemas/failure-signature.ts";
import { decisiveTemplates } from "./read-signature.ts";

/** Share of equal words from which on two templates are one. */
const SAME_TEMPLATE = 0.75;
/** Share of the heavier lines' weight that each must find in the other. */
const MIN_SHARED = 0.75;
/** Share of the heaviest line's weight from which on a line is compared. */
const HEAVY_SHARE = 0.5;

/**
 * True if both are recognised by error lines, each has the other's decisive lines, at least three quarters of the heavier lines
 * are common, and no exit code speaks against it. A single missing decisive line makes them two failures.
 */
export function isSameFailure(a: FailureSignature, b: FailureSignature): boolean {
  if (a.basis !== "error_lines" || b.basis !== "error_lines" || haveOtherExits(a, b)) return false;
  return (
    holdsDecisiveLines(a, b) &&
    holdsDecisiveLines(b, a) &&
    sharedWeight(a, b) >= MIN_SHARED &&
    sharedWeight(b, a) >= MIN_SHARED
  );
}

function holdsDecisiveLines(a: FailureSignature, b: FailureSignature): boolean {
  return decisiveTemplates(a.templates).every((template) => hasTemplate(b.templates, template));
}

function sharedWeight({ templates }: FailureSignature, other: FailureSignature): number {
  const heaviest = templates[0]?.weight ?? 0;
  const heavy = templates.filter(({ weight }) => weight >= heaviest * HEAVY_SHARE);
  const total = heavy.reduce((sum, { weight }) => sum + weight, 0);
  const shared = heavy.filter((each) => hasTemplate(other.templates, each));
  return total === 0 ? 0 : shared.reduce((sum, { weight }) => sum + weight, 0) / total;
}

function hasTemplate(templates: readonly LineTemplate[], { text }: LineTemplate): boolean {
  return templates.some((other) => isSameTemplate(other.text, text));
}

/** Whether two templates are equal but for a few words. */
export function isSameTemplate(a: string, b: string): boolean {
  if (a === b) return true;
  const words = new Set(wordsOfTemplate(a));
  const otherWords = new Set(wordsOfTemplate(b));
  let shared = 0;
  for (const word of words) if (otherWords.has(word)) shared += 1;
  return shared / Math.max(1, words.size + otherWords.size - shared) >= SAME_TEMPLATE;
}

/** Whether both name exit codes, and none is common. */
function haveOtherExits(a: Pick<FailureSignature, "codes">, b: Pick<FailureSignature, "codes">): boolean {
  const exits = ({ codes }: Pick<FailureSignature, "codes">) => codes.filter((code) => code.startsWith("exit "));
  const [first, second] = [exits(a), exits(b)];
  return first.length > 0 && second.length > 0 && !first.some((code) => second.includes(code));
}
