// What was checked and observed in the running system, for a terminal. Pure functions.

import { type CheckText, liveEvidenceText } from "../../functions/answer-view/live-evidence-text.ts";
import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import { section, shortened, type Writer } from "./terminal-text.ts";

/** Items of the short form. */
const MAX_DECIDED = 6;
const MAX_ITEMS = 3;
/** Lines of one item before its end is left to the full answer. */
const ITEM_LINES = 2;
const INDENT = 5;
const SPARE = 10;

const STYLES = { confirmed: "green", refuted: "red", inconclusive: "dim", not_run: "dim" } as const;

export function liveSections(
  result: Pick<TriageResult, "checks" | "live">,
  writer: Writer,
  { full }: { readonly full: boolean },
): string[] {
  const { decided, undecided, changes, object, otherAlerts, expression } = liveEvidenceText(result);
  const item = (text: string) => {
    const shown = full ? text : shortened(text, ITEM_LINES * (writer.width - INDENT) - SPARE);
    return writer.block(shown, INDENT, "   - ");
  };
  const items = (texts: readonly string[]) => (full ? texts : texts.slice(0, MAX_ITEMS)).flatMap(item);
  const checks = (texts: readonly CheckText[]) => texts.flatMap((check) => checkLines(check, writer, { full }));
  return [
    ...section(writer, "Checked", checks(full ? decided : decided.slice(0, MAX_DECIDED))),
    ...(full ? section(writer, "Not decided", checks(undecided)) : undecidedNote(undecided, writer)),
    ...section(writer, "Changed before it started", items(changes)),
    ...section(writer, "In the cluster", items(object)),
    ...section(writer, "Also firing", items(otherAlerts)),
    ...(full && expression !== null ? section(writer, "The alert's expression", item(expression)) : []),
  ];
}

function checkLines(
  { result, verdict, text }: CheckText,
  { block, paint, width, command }: Writer,
  { full }: { readonly full: boolean },
): string[] {
  const shown = full ? text : shortened(text, ITEM_LINES * (width - INDENT) - SPARE);
  return [
    ...block(`${paint(STYLES[result.verdict], verdict)}: ${shown}`, INDENT, "   - "),
    ...(full ? command(result.query, INDENT + 2) : []),
    ...(full && result.link !== null ? block(paint("dim", result.link), INDENT + 2) : []),
  ];
}

/** One line: the reasons are in the full answer. */
function undecidedNote(undecided: readonly CheckText[], { block, paint }: Writer): string[] {
  const [first] = undecided;
  if (first === undefined) return [];
  const others = undecided.length === 1 ? "" : ` (and ${undecided.length - 1} more)`;
  return block(paint("dim", `Not decided: ${first.text}${others}`), 2);
}
