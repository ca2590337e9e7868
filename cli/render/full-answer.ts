// All of an answer: evidence, causes and steps, then the sources. Pure functions.

import { percentOf } from "../../functions/answer-view/past-incident-text.ts";
import { commandsOf } from "../../functions/answer-view/placeholders.ts";
import { stepWarning } from "../../functions/answer-view/step-warning.ts";
import {
  type Evidence,
  type Hypothesis,
  type PossibleCause,
  type Statement,
  type Step,
  startsWithFix,
} from "../../functions/schemas/answer.ts";
import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import { type NextStepOptions, nextStepLines, placeholderLines, warningLines } from "./closing.ts";
import { fullHeadline } from "./headline.ts";
import { liveSections } from "./live-evidence.ts";
import { fullPastFix, pastFixesTitle } from "./past-fixes.ts";
import { fullSourceLines } from "./sources.ts";
import { asLook, renderStep, support } from "./steps.ts";
import { section, type Writer } from "./terminal-text.ts";

export function fullAnswer(result: TriageResult, writer: Writer, names: Omit<NextStepOptions, "full">): string[] {
  const { answer } = result;
  const { block, cite, paint } = writer;
  const part = (title: string, lines: readonly string[]) => {
    const whole = section(writer, title, lines);
    return whole.length === 0 ? [] : ["", ...whole];
  };
  const statements = (items: readonly Statement[]) => items.flatMap((item, i) => numbered(item, i, writer));
  const steps = (items: readonly Step[]) =>
    items.flatMap((item, i) => renderStep(item, writer, { indent: 5, first: `  ${i + 1}. ` }));
  const mitigate = part("Mitigate", steps(answer.mitigate));
  const workedBefore = part(
    pastFixesTitle(answer.worked_before),
    answer.worked_before.flatMap((item) => fullPastFix(item, writer)),
  );
  const candidates = answer.possible_causes.flatMap((item, i) => renderPossible(item, i, writer));
  const options = { ...names, full: true };
  return [
    ...fullHeadline(result, writer),
    "",
    ...block(`${answer.summary.text} ${cite(answer.summary.citations)}`.trimEnd(), 2),
    ...part(
      "Evidence",
      answer.evidence.flatMap((item) => renderEvidence(item, writer)),
    ),
    ...spaced(liveSections(result, writer, { full: true })),
    ...part("Likely causes", statements(answer.likely_causes)),
    ...part(
      "Also considered",
      otherHypotheses(result).flatMap((hypothesis) => renderHypothesis(hypothesis, writer)),
    ),
    ...part("Possible, not confirmed", candidates),
    ...part("Confirm", steps(answer.confirm)),
    // The fix of the same failure comes before the steps of a runbook.
    ...(startsWithFix(answer) ? [...workedBefore, ...mitigate] : [...mitigate, ...workedBefore]),
    ...part("Prevent", statements(answer.prevention)),
    ...part("Look next", steps(answer.look_next.map(asLook))),
    ...part("Names in the commands", placeholderLines(commandsOf(answer), result, writer)),
    ...part("Sources", fullSourceLines(result, writer)),
    ...["", ...warningLines(result, writer, options)].slice(result.warnings.length > 0 ? 0 : 1),
    ...part("Next", nextStepLines(result, writer, options)),
    "",
    ...block(paint("dim", [`incident ${result.incident_id}`, ...modelLine(result)].join(" · ")), 0),
  ];
}

function spaced(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", ...lines];
}

/** The kept hypotheses of an answer are its likely causes or its candidates, which have their own section. */
function otherHypotheses({ outcome, answer: { hypotheses } }: TriageResult): readonly Hypothesis[] {
  return outcome === "cause" || outcome === "possible"
    ? hypotheses.filter(({ verdict }) => verdict !== "kept")
    : hypotheses;
}

function modelLine({ model, usage }: TriageResult): string[] {
  if (usage.calls === 0) return [];
  const cost = usage.cost_usd === null ? "" : `, $${usage.cost_usd.toFixed(4)}`;
  const calls = `${usage.calls} call${usage.calls === 1 ? "" : "s"}`;
  return [`${model?.answer ?? "model"}: ${calls}, ${usage.input_tokens + usage.output_tokens} tokens${cost}`];
}

function numbered(statement: Statement, index: number, writer: Writer): string[] {
  return writer.block(`${statement.text} ${support(statement, writer)}`, 5, `  ${index + 1}. `);
}

function renderEvidence(item: Evidence, writer: Writer): string[] {
  const quote = item.quote === null ? "" : `${writer.paint("cyan", `"${item.quote}"`)} `;
  return writer.block(`${quote}${item.text} ${support(item, writer)}`, 5, "   - ");
}

function renderPossible(item: PossibleCause, index: number, writer: Writer): string[] {
  const { block, cite, command, paint } = writer;
  const { title, text, probability, citations, confirm } = item;
  return [
    ...block(
      `${paint("bold", title)}, ${percentOf(probability)}: ${text} ${cite(citations)}`.trimEnd(),
      5,
      `  ${index + 1}. `,
    ),
    ...confirm.flatMap((check) => {
      const warning = stepWarning(check);
      const prefix = warning === null ? "" : `${paint("yellow", warning)}: `;
      const note = support({ ...check, citations: [] }, writer);
      return [...block(`Check: ${prefix}${check.text} ${note}`.trimEnd(), 7, "     - "), ...command(check.command, 9)];
    }),
  ];
}

function renderHypothesis({ cause, verdict, reason, citations }: Hypothesis, { cite, block, paint }: Writer): string[] {
  return block(`${cause} ${paint("dim", `${verdict}:`)} ${reason} ${cite(citations)}`, 5, "   - ");
}
