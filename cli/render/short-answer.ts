// The parts of an answer that people need first: what failed, how sure, what to check, what to do. Pure functions.

import { checksOfCauses } from "../../functions/answer-view/checks-of-causes.ts";
import { percentOf } from "../../functions/answer-view/past-incident-text.ts";
import {
  type Evidence,
  type PastFix,
  type PossibleCause,
  type Statement,
  type Step,
  startsWithFix,
} from "../../functions/schemas/answer.ts";
import { isSessionRecap } from "../../functions/schemas/source-kind.ts";
import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import { type NextStepOptions, nextStepLines, placeholderLines, warningLines } from "./closing.ts";
import { shortHeadline } from "./headline.ts";
import { liveSections } from "./live-evidence.ts";
import { pastFixesTitle, shortPastFix } from "./past-fixes.ts";
import { shortSourceLines } from "./sources.ts";
import { asLook, renderStep, support, warningPrefix } from "./steps.ts";
import { section, shortened, type Writer } from "./terminal-text.ts";

const MAX_QUOTES = 3;
const MAX_CAUSES = 3;
const MAX_PAST_FIXES = 2;
const MAX_LOOKS = 3;
/** Lines of a text before its end is left to the full answer. */
const SUMMARY_LINES = 4;
const CAUSE_SUMMARY_LINES = 2;
const CAUSE_LINES = 2;
const STEP_LINES = 2;
const QUOTE_LINES = 2;
/** Columns for citations and for the ends of wrapped lines. */
const SPARE = 10;
/** The outcome at the beginning of a summary, which the headline has too. */
const REPEATED_OUTCOME = /^(?:Unknown|No incident): (\S)/;
const INDENT = 2;
const NUMBER_INDENT = 5;

export function shortAnswer(result: TriageResult, writer: Writer, names: Omit<NextStepOptions, "full">): string[] {
  const { answer } = result;
  const causes = answer.likely_causes.slice(0, MAX_CAUSES);
  const ownChecks = checksOfCauses(causes, answer, result.sources);
  // Without a check of its own for each cause, the first check of the answer serves all of them.
  const checks = ownChecks.size > 0 ? [] : answer.confirm.slice(0, 1);
  // A fix that worked for the same failure is the first mitigation.
  const mitigations = startsWithFix(answer) ? [] : answer.mitigate.slice(0, 1);
  const looks = answer.look_next.slice(0, MAX_LOOKS).map(asLook);
  const candidateChecks = answer.possible_causes.flatMap(({ confirm }) => confirm.slice(0, 1));
  const commands = [...ownChecks.values(), ...candidateChecks, ...checks, ...mitigations, ...looks].flatMap(
    ({ command, undo }) => [command, undo].filter((text) => text !== null),
  );
  const pastFixes = shownPastFixes(answer.worked_before);
  const workedBefore = section(
    writer,
    pastFixesTitle(pastFixes),
    pastFixes.flatMap((item) => shortPastFix(item, writer)),
  );
  const cited = [answer.summary, ...pastFixes, ...causes, ...answer.possible_causes, ...checks, ...mitigations].flatMap(
    ({ citations }) => citations,
  );
  const options = { ...names, full: false };
  const next = nextStepLines(result, writer, options);
  return [
    ...shortHeadline(result, writer),
    ...summaryLines(result, writer),
    ...section(writer, "In the report", quoteLines(answer.evidence, writer)),
    // The fix of the same failure comes before everything that a runbook says.
    ...(startsWithFix(answer) ? workedBefore : []),
    ...liveSections(result, writer, { full: false }),
    ...section(
      writer,
      "Likely causes",
      causes.flatMap((cause, i) => causeLines(cause, i, ownChecks.get(cause), writer)),
    ),
    ...section(
      writer,
      "Candidates",
      answer.possible_causes.flatMap((item, i) => candidateLines(item, i, writer)),
    ),
    ...section(writer, "First check", stepLines(checks, writer)),
    ...(startsWithFix(answer) ? [] : workedBefore),
    ...section(writer, "First mitigation", stepLines(mitigations, writer)),
    ...section(writer, "Look at this first", stepLines(looks, writer)),
    ...shortSourceLines(result, cited, writer),
    ...placeholderLines(commands, result, writer),
    ...warningLines(result, writer, options),
    ...(next.length > 0 ? ["", ...next] : []),
  ];
}

/** Records without a fix say only that the failure is not new: one of them, if there is no fix. */
function shownPastFixes(items: readonly PastFix[]): readonly PastFix[] {
  const fixed = items.filter(({ fix }) => fix !== null);
  return fixed.length > 0 ? fixed.slice(0, MAX_PAST_FIXES) : items.slice(0, 1);
}

/** The candidates of a `possible` answer are named below, so its summary would repeat them. */
function summaryLines({ answer, outcome, sources }: TriageResult, { block, cite, width }: Writer): string[] {
  if (answer.possible_causes.length > 0) return [];
  const { text, citations } = answer.summary;
  if (isSessionRecap({ sources })) return block(`${text} ${cite(citations)}`.trimEnd(), 2);
  const lines = outcome === "cause" ? CAUSE_SUMMARY_LINES : SUMMARY_LINES;
  const sentence = text.replace(REPEATED_OUTCOME, (_, first: string) => first.toUpperCase());
  return block(`${shortened(sentence, lines * (width - INDENT) - SPARE)} ${cite(citations)}`.trimEnd(), INDENT);
}

/** The quoted lines of the report, with their number and count. */
function quoteLines(evidence: readonly Evidence[], { block, paint, width }: Writer): string[] {
  return evidence
    .flatMap(({ quote, place }) => (quote === null ? [] : [{ quote, place }]))
    .slice(0, MAX_QUOTES)
    .flatMap(({ quote, place }) => {
      const count = place === null || place.count === 1 ? "" : `, ${place.count} times`;
      const where = place === null ? "" : ` ${paint("dim", `line ${place.line}${count}`)}`;
      return block(`${paint("cyan", `"${shortened(quote, QUOTE_LINES * (width - INDENT) - SPARE)}"`)}${where}`, INDENT);
    });
}

function causeLines(cause: Statement, index: number, check: Step | undefined, writer: Writer): string[] {
  const { block, width } = writer;
  const text = shortened(cause.text, CAUSE_LINES * (width - NUMBER_INDENT) - SPARE);
  return [
    ...block(`${text} ${support(cause, writer)}`.trimEnd(), NUMBER_INDENT, `  ${index + 1}. `),
    ...(check === undefined ? [] : checkLines(check, writer)),
  ];
}

function candidateLines(
  { title, text, probability, citations, confirm: [check] }: PossibleCause,
  index: number,
  writer: Writer,
): string[] {
  const { block, cite, paint, width } = writer;
  const about = shortened(text, CAUSE_LINES * (width - NUMBER_INDENT) - title.length - SPARE);
  const head = `${paint("bold", title)}, ${percentOf(probability)}: ${about} ${cite(citations)}`;
  return [
    ...block(head.trimEnd(), NUMBER_INDENT, `  ${index + 1}. `),
    ...(check === undefined ? [] : checkLines(check, writer)),
  ];
}

/** A check below its cause or candidate, which has its sources. */
function checkLines(check: Step, writer: Writer): string[] {
  const { block, command, width } = writer;
  const text = shortened(check.text, STEP_LINES * (width - NUMBER_INDENT) - SPARE);
  const note = support({ ...check, citations: [] }, writer);
  return [
    ...block(`Check: ${warningPrefix(check, writer)}${text} ${note}`.trimEnd(), NUMBER_INDENT),
    ...command(check.command, NUMBER_INDENT + 2),
  ];
}

function stepLines(steps: readonly Step[], writer: Writer): string[] {
  return steps.flatMap((step, i) => {
    // A step that changes something keeps all its sentences: they say what it costs.
    const maxLength = step.effect === "read_only" ? STEP_LINES * (writer.width - INDENT) - SPARE : undefined;
    const place =
      steps.length === 1
        ? { indent: INDENT, first: " ".repeat(INDENT) }
        : { indent: NUMBER_INDENT, first: `  ${i + 1}. ` };
    return renderStep(step, writer, { ...place, ...(maxLength === undefined ? {} : { maxLength }) });
  });
}
