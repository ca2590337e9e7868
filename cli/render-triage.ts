// A triage result as text for a terminal. Pure functions.

import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
import {
  type Evidence,
  type Hypothesis,
  type PastFix,
  type PossibleCause,
  type Statement,
  type Step,
  startsWithFix,
} from "../functions/schemas/answer.ts";
import { likenessLines, withStruck } from "../functions/schemas/past-incident-text.ts";
import { furtherSearchNote } from "../functions/schemas/search-note.ts";
import { isSessionRecap } from "../functions/schemas/source-kind.ts";
import { sourceNote } from "../functions/schemas/source-note.ts";
import { stepWarning } from "../functions/schemas/step-warning.ts";
import type { TriageResult } from "../functions/schemas/triage-result.ts";

export interface RenderOptions {
  /** Maximum width in columns. */
  readonly width: number;
  readonly color: boolean;
}

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** Renders the verdict first, then evidence, causes and steps, then the sources. */
export function renderTriage(
  result: TriageResult,
  { width, color }: RenderOptions & { readonly full?: boolean },
): string {
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
  const numbers = new Map(result.sources.map((source, i) => [source.id, i + 1]));
  const cite = (ids: readonly string[]) => paint("dim", ids.map((id) => `[${numbers.get(id) ?? "?"}]`).join(""));
  const block = (text: string, indent: number, first = " ".repeat(indent)) => {
    const lines = wrapAnsi(text, Math.max(20, width - indent)).split("\n");
    return lines.map((line, i) => (i === 0 ? first : " ".repeat(indent)) + line);
  };
  const section = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? ["", paint("bold", title), ...lines] : [];
  const { answer } = result;
  const tools = { cite, block, paint };
  const statements = (items: readonly Statement[]) => items.flatMap((item, i) => numbered(item, i, tools));
  const steps = (items: readonly Step[]) => items.flatMap((item, i) => renderStep(item, i, tools));
  // The kept hypotheses of an answer are its likely causes or its candidates, which have their own section.
  const otherHypotheses =
    result.outcome === "cause" || result.outcome === "possible"
      ? answer.hypotheses.filter(({ verdict }) => verdict !== "kept")
      : answer.hypotheses;

  const mitigate = section("Mitigate", steps(answer.mitigate));
  const workedBefore = section(
    "Worked before",
    answer.worked_before.flatMap((item) => renderPastFix(item, tools, color)),
  );

  return [
    ...header(result, paint, block),
    "",
    ...block(`${answer.summary.text} ${cite(answer.summary.citations)}`.trimEnd(), 2),
    ...section(
      "Evidence",
      answer.evidence.flatMap((item) => renderEvidence(item, tools)),
    ),
    ...section("Likely causes", statements(answer.likely_causes)),
    ...section(
      "Also considered",
      otherHypotheses.flatMap((hypothesis) => renderHypothesis(hypothesis, tools)),
    ),
    ...section(
      "Possible, not confirmed",
      answer.possible_causes.flatMap((item, i) => renderPossible(item, i, tools)),
    ),
    ...section("Confirm", steps(answer.confirm)),
    // The fix of the same failure comes before the steps of a runbook.
    ...(startsWithFix(answer) ? [...workedBefore, ...mitigate] : [...mitigate, ...workedBefore]),
    ...section("Prevent", statements(answer.prevention)),
    // The domain's first checks cite no source by design, so the note about a missing source is left out.
    ...section("Look next", steps(answer.look_next.map((step) => ({ ...step, supported: true })))),
    ...section("Sources", sourceLines(result, paint)),
    ...section(
      "Warnings",
      result.warnings.flatMap((warning) => block(paint("yellow", warning.message), 5, "   ! ")),
    ),
    "",
    paint("dim", [`incident ${result.incident_id}`, ...modelLine(result)].join(" · ")),
  ].join("\n");
}

/** Wraps a text into indented lines. `first` replaces the indent of the first line. */
type Block = (text: string, indent: number, first?: string) => string[];
/** The numbers of sources, such as `[1][3]`. */
type Cite = (ids: readonly string[]) => string;

function header(result: TriageResult, paint: Paint, block: Block): string[] {
  const note = furtherSearchNote(result.domain);
  const facts = [
    `severity ${result.severity}`,
    ...(result.target === null ? [] : [`target ${result.target}`]),
    `domain ${result.domain.name} (${result.domain.rule})`,
    ...(note === null ? [] : [note]),
    `type ${result.incident_type.name} (${result.incident_type.rule})`,
  ];
  return [
    ...block(paint("bold", result.title), 0),
    ...block(paint("dim", facts.join(" · ")), 0),
    "",
    ...block(`${verdictOf(result, paint)} ${paint("dim", `(${confidenceSourceOf(result)})`)}`, 0),
  ];
}

/** The prompt of the critique defines 0.5 as "as good as a guess". */
const MIN_LIKELY_CONFIDENCE = 0.5;

function verdictOf({ outcome, confidence, mode, sources }: TriageResult, paint: Paint): string {
  if (isSessionRecap({ sources })) return paint("bold", "RECAP OF THIS SESSION");
  const score = confidence.toFixed(2);
  if (outcome === "cause") {
    const name =
      mode === "extractive" ? "KNOWN FAILURE" : confidence < MIN_LIKELY_CONFIDENCE ? "UNCERTAIN CAUSE" : "LIKELY CAUSE";
    return paint(["bold", "green"], `${name}, confidence ${score}`);
  }
  if (outcome === "possible") return paint(["bold", "yellow"], `POSSIBLE, NOT CONFIRMED, probability ${score}`);
  if (outcome === "benign") return paint(["bold", "cyan"], `NO INCIDENT, confidence ${score}`);
  return paint(["bold", "yellow"], `UNKNOWN, ${mode === "model" ? "confidence" : "nearest match"} ${score}`);
}

/** The origin of the confidence: a critique in mode `model`, the probability of a recalled text in mode `extractive`. */
function confidenceSourceOf({ mode, outcome, confidence, critique, usage, recalled, sources }: TriageResult): string {
  if (mode === "model" && critique) {
    const { initial_confidence, reflected } = critique;
    if (reflected) return `a critic's score, after reflection on ${initial_confidence.toFixed(2)}`;
    const isLimited = confidence < initial_confidence;
    return isLimited
      ? `a critic's score of ${initial_confidence.toFixed(2)}, limited by its sources`
      : "a critic's score";
  }
  if (isSessionRecap({ sources })) return "quotes its past answers";
  if (outcome === "benign") return "by the report itself";
  if (recalled.runbooks.length + recalled.incidents.length === 0) return "nothing was recalled";
  return `probability of the best text; ${usage.calls > 0 ? "the language model did not help" : "no language model"}`;
}

function modelLine({ model, usage }: TriageResult): string[] {
  if (usage.calls === 0) return [];
  const cost = usage.cost_usd === null ? "" : `, $${usage.cost_usd.toFixed(4)}`;
  const calls = `${usage.calls} call${usage.calls === 1 ? "" : "s"}`;
  return [`${model?.answer ?? "model"}: ${calls}, ${usage.input_tokens + usage.output_tokens} tokens${cost}`];
}

interface Tools {
  readonly cite: Cite;
  readonly block: Block;
  readonly paint: Paint;
}

function numbered(statement: Statement, index: number, { cite, block, paint }: Tools): string[] {
  return block(`${statement.text} ${support(statement, cite, paint)}`, 5, `  ${index + 1}. `);
}

function renderEvidence(item: Evidence, { cite, block, paint }: Tools): string[] {
  const quote = item.quote === null ? "" : `${paint("cyan", `"${item.quote}"`)} `;
  return block(`${quote}${item.text} ${support(item, cite, paint)}`, 5, "   - ");
}

function renderPossible(item: PossibleCause, index: number, { cite, block, paint }: Tools): string[] {
  const { title, text, probability, citations, confirm } = item;
  const percent = `${Math.round(probability * 100)} %`;
  return [
    ...block(`${paint("bold", title)}, ${percent}: ${text} ${cite(citations)}`.trimEnd(), 5, `  ${index + 1}. `),
    ...confirm.flatMap((check) => {
      const warning = stepWarning(check);
      const prefix = warning === null ? "" : `${paint("yellow", warning)}: `;
      return [
        ...block(
          `Check: ${prefix}${check.text} ${support({ ...check, citations: [] }, cite, paint)}`.trimEnd(),
          7,
          "     - ",
        ),
        ...(check.command?.split("\n") ?? []).map((line) => `         ${paint("cyan", line)}`),
      ];
    }),
  ];
}

/** Former fixes are struck through. */
function renderPastFix(item: PastFix, { cite, block, paint }: Tools, color: boolean): string[] {
  const text = withStruck(item, (former) => (color ? paint("strikethrough", former) : `~~${former}~~`));
  return [
    ...block(`${text} ${cite(item.citations)}`, 5, "   - "),
    ...likenessLines(item).flatMap((line) => block(paint("dim", line), 5)),
  ];
}

function renderHypothesis({ cause, verdict, reason, citations }: Hypothesis, { cite, block, paint }: Tools): string[] {
  return block(`${cause} ${paint("dim", `${verdict}:`)} ${reason} ${cite(citations)}`, 5, "   - ");
}

function support(
  statement: Pick<Statement, "supported" | "citations"> & Partial<Pick<Step, "from_source">>,
  cite: Cite,
  paint: Paint,
): string {
  const note = sourceNote(statement);
  return note === null ? cite(statement.citations) : paint("yellow", `(${note})`);
}

function renderStep(step: Step, index: number, { cite, block, paint }: Tools): string[] {
  const warning = stepWarning(step);
  const prefix = warning === null ? "" : `${paint(step.effect === "changes_state" ? "red" : "yellow", warning)}: `;
  const lines = block(`${prefix}${step.text} ${support(step, cite, paint)}`, 5, `  ${index + 1}. `);
  if (step.command !== null) {
    // Not wrapped, so that it can be copied.
    lines.push(...step.command.split("\n").map((line) => `       ${paint("cyan", line)}`));
  }
  if (step.undo !== null) lines.push(...block(paint("dim", `undo: ${step.undo}`), 5));
  return lines;
}

function sourceLines({ sources }: TriageResult, paint: Paint): string[] {
  return sources.map(({ id, kind, title, source, heading }, i) => {
    const place = [source, heading].filter(Boolean).join(" › ");
    const isRecord = kind === "incident" || kind === "past_answer";
    const name = isRecord
      ? `${kind === "incident" ? "past incident" : "past answer"} "${title}"`
      : kind === "runbook"
        ? place
        : `${kind} ${place}`;
    return `  [${i + 1}] ${name} ${paint("dim", id)}`;
  });
}
