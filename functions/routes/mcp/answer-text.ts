// A triage's answer as text for a model: steps, sources and confidence. Pure functions.

import { incidentLink } from "../../answer-view/console-link.ts";
import { type CheckText, liveEvidenceText } from "../../answer-view/live-evidence-text.ts";
import { type DescribedHit, likenessLines, withStruck } from "../../answer-view/past-incident-text.ts";
import { commandsOf, placeholderNotes, withFilledCommands } from "../../answer-view/placeholders.ts";
import { furtherSearchNote } from "../../answer-view/search-note.ts";
import { sourceNote } from "../../answer-view/source-note.ts";
import { stepWarning } from "../../answer-view/step-warning.ts";
import { type Evidence, type PossibleCause, type Statement, type Step, startsWithFix } from "../../schemas/answer.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { fenced, indented, paragraphs, section } from "./text.ts";

/** Ends with the confidence: `(confidence: 0.00)`. @param origin the address of the console; null for no link */
export function answerText(result: TriageResult, origin: string | null = null): string {
  const { placeholders, sources, warnings } = result;
  const answer = withFilledCommands(result.answer, placeholders);
  const numbers = new Map(sources.map(({ id }, i) => [id, i + 1]));
  const cite = (ids: readonly string[]) => ids.map((id) => `[${numbers.get(id) ?? id}]`).join("");
  const textOf = (item: Statement & Partial<Pick<Step, "from_source">>) => {
    const note = sourceNote(item);
    return `${item.text} ${note === null ? cite(item.citations) : `(${note})`}`.trimEnd();
  };
  const statement = (item: Statement) => `- ${textOf(item)}`;
  const evidence = (item: Evidence) => `- ${item.quote === null ? "" : `"${item.quote}": `}${textOf(item)}`;
  const mark = (warning: string | null) => (warning === null ? "" : `${warning.toUpperCase()}: `);
  const step = (item: Step) =>
    [
      `- ${mark(stepWarning(item))}${textOf(item)}`,
      ...(item.command === null ? [] : [indented(fenced(item.command))]),
      ...(item.undo === null ? [] : [indented(`Undo: ${item.undo}`)]),
    ].join("\n");
  const possible = ({ title, text, probability, citations, confirm }: PossibleCause) =>
    [
      `- ${title}, ${Math.round(probability * 100)} %: ${text} ${cite(citations)}`.trimEnd(),
      ...confirm.map((check) => indented(`Check: ${step(check).slice(2)}`)),
    ].join("\n");
  const mitigate = section("Mitigate", answer.mitigate.map(step));
  const workedBefore = section(
    "Worked before",
    answer.worked_before.map((item) => pastIncidentItem(item, cite(item.citations))),
  );
  return paragraphs([
    `${answer.summary.text} ${cite(answer.summary.citations)}`.trimEnd(),
    section("Evidence", answer.evidence.map(evidence)),
    ...liveSections(result),
    section("Likely causes", answer.likely_causes.map(statement)),
    section("Possible, not confirmed", answer.possible_causes.map(possible)),
    section("Confirm", answer.confirm.map(step)),
    // The fix of the same failure comes before the steps of a runbook.
    ...(startsWithFix(answer) ? [workedBefore, mitigate] : [mitigate, workedBefore]),
    section("Prevent", answer.prevention.map(statement)),
    // Suggestions without a cause: they need no support.
    section(
      "Look next",
      answer.look_next.map((item) => step({ ...item, supported: true })),
    ),
    section("Names in the commands", placeholderNotes(commandsOf(result.answer), placeholders)),
    section(
      "Sources",
      sources.map((source, i) => `[${i + 1}] ${sourceText(source)} (id ${source.id})`),
    ),
    section(
      "Warnings",
      warnings.map(({ message }) => `- ${message}`),
    ),
    domainText(result),
    `Incident ${result.incident_id}, triage ${result.triage_id}.`,
    origin === null ? "" : `For people: ${incidentLink(origin, result.incident_id)}`,
    `(confidence: ${result.confidence.toFixed(2)})`,
  ]);
}

/** What was checked and observed in the running system. */
function liveSections(result: TriageResult): string[] {
  const { decided, undecided, changes, object, otherAlerts, expression } = liveEvidenceText(result);
  const checks = (texts: readonly CheckText[]) => texts.map(({ verdict, text }) => `- ${verdict}: ${text}`);
  const items = (texts: readonly string[]) => texts.map((text) => `- ${text}`);
  return [
    section("Checked", checks(decided)),
    section("Not decided", checks(undecided)),
    section("Changed before it started", items(changes)),
    section("In the cluster", items(object)),
    section("Also firing", items(otherAlerts)),
    section("The alert's expression", items(expression === null ? [] : [expression])),
  ];
}

/** A past incident as an item of a list, with what is alike and what differs. */
export function pastIncidentItem(past: DescribedHit, citation: string): string {
  const text = withStruck(past, (former) => `~~${former}~~`);
  return [`- ${text} ${citation}`.trimEnd(), ...likenessLines(past).map(indented)].join("\n");
}

function domainText({ domain }: TriageResult): string {
  const note = furtherSearchNote(domain);
  return `Domain: ${domain.name} (${domain.rule})${note === null ? "" : `; ${note}`}.`;
}

function sourceText({ kind, title, source, heading }: TriageResult["sources"][number]): string {
  if (kind === "incident") return `past incident "${title}"`;
  if (kind === "past_answer") return `past answer "${title}"`;
  if (kind === "check") return `${title} of ${heading}`;
  return `${kind} ${[source ?? title, heading].filter((part) => part !== "").join(" › ")}`;
}
