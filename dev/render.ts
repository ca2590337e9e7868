// Owns how a triage is shown to a person in a terminal. Pure: text in, text out.

import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
import type { Statement, Step, TriageResult } from "../functions/triage/result.ts";

export interface RenderOptions {
  /** Columns to fill at most. */
  readonly width: number;
  readonly color: boolean;
}

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** The triage as an engineer wants to read it: verdict first, then what to do, then what it rests on. */
export function renderTriage(result: TriageResult, { width, color }: RenderOptions): string {
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

  return [
    ...header(result, paint, block),
    "",
    ...block(`${answer.summary.text} ${cite(answer.summary.citations)}`.trimEnd(), 2),
    ...section(
      "Likely causes",
      answer.likely_causes.flatMap((cause, i) => numbered(cause, i, cite, block)),
    ),
    ...section(
      "Confirm",
      answer.confirm.flatMap((step, i) => renderStep(step, i, { cite, block, paint })),
    ),
    ...section(
      "Mitigate",
      answer.mitigate.flatMap((step, i) => renderStep(step, i, { cite, block, paint })),
    ),
    ...section(
      "Worked before",
      answer.worked_before.flatMap((past) => block(`${past.text} ${cite(past.citations)}`, 5, "   - ")),
    ),
    ...section("Sources", sourceLines(result, paint)),
    ...section(
      "Warnings",
      result.warnings.flatMap((warning) => block(paint("yellow", warning.message), 5, "   ! ")),
    ),
    "",
    paint("dim", `incident ${result.incident_id}`),
  ].join("\n");
}

type Block = (text: string, indent: number, first?: string) => string[];
type Cite = (ids: readonly string[]) => string;

function header(result: TriageResult, paint: Paint, block: Block): string[] {
  const facts = [
    `severity ${result.severity}`,
    ...(result.target === null ? [] : [`target ${result.target}`]),
    `domain ${result.domain.name} (${result.domain.rule})`,
    `type ${result.incident_type.name} (${result.incident_type.rule})`,
  ];
  const verdict =
    result.outcome === "cause"
      ? paint(["bold", "green"], `KNOWN FAILURE, confidence ${result.confidence.toFixed(2)}`)
      : paint(["bold", "yellow"], `UNKNOWN, nearest match ${result.confidence.toFixed(2)}`);
  return [
    ...block(paint("bold", result.title), 0),
    ...block(paint("dim", facts.join(" · ")), 0),
    "",
    `${verdict} ${paint("dim", "(grounding of quoted runbooks and incidents; no language model)")}`,
  ];
}

function numbered(statement: Statement, index: number, cite: Cite, block: Block): string[] {
  return block(`${statement.text} ${cite(statement.citations)}`, 5, `  ${index + 1}. `);
}

function renderStep(
  step: Step,
  index: number,
  { cite, block, paint }: { cite: Cite; block: Block; paint: Paint },
): string[] {
  const mark = step.effect === "changes_state" ? `${paint("red", "changes state")}: ` : "";
  const lines = block(`${mark}${step.text} ${cite(step.citations)}`, 5, `  ${index + 1}. `);
  if (step.command !== null) {
    // Never wrapped, so that it can be copied.
    lines.push(...step.command.split("\n").map((line) => `       ${paint("cyan", line)}`));
  }
  if (step.undo !== null) lines.push(...block(paint("dim", `undo: ${step.undo}`), 5));
  return lines;
}

function sourceLines({ sources }: TriageResult, paint: Paint): string[] {
  return sources.map(({ id, kind, title, source, heading }, i) => {
    const name = kind === "runbook" ? [source, heading].filter(Boolean).join(" › ") : `past incident "${title}"`;
    return `  [${i + 1}] ${name} ${paint("dim", id)}`;
  });
}
