// Slack message for a triage result: verdict, steps, sources and buttons. Pure functions.

import { certaintyOf, MIN_LIKELY_CONFIDENCE } from "../../answer-view/confidence-text.ts";
import { incidentLink } from "../../answer-view/console-link.ts";
import { liveEvidenceText } from "../../answer-view/live-evidence-text.ts";
import { type DescribedHit, likenessLines, textParts } from "../../answer-view/past-incident-text.ts";
import { commandsOf, placeholderNotes, withFilledCommands } from "../../answer-view/placeholders.ts";
import { furtherSearchNote } from "../../answer-view/search-note.ts";
import { sourceNote } from "../../answer-view/source-note.ts";
import { stepWarning } from "../../answer-view/step-warning.ts";
import { type Evidence, type PossibleCause, type Step, startsWithFix } from "../../schemas/answer.ts";
import { isSessionRecap } from "../../schemas/source-kind.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { actions, button, codeBlock, context, header, line, list, type Message, prose, section } from "./block-kit.ts";
import { BUTTONS, type Button, buttonValueOf } from "./payloads.ts";
import { suggestedFix } from "./suggested-fix.ts";

/** Maximum characters of each part; the sum of an answer's parts is below Slack's limit of a message. */
const MAX_PART_LENGTHS = {
  title: 300,
  facts: 400,
  summary: 1_000,
  evidence: 1_000,
  checks: 700,
  observed: 600,
  causes: 900,
  /** An answer has either these, or causes and mitigations. */
  possible: 1_900,
  confirm: 1_400,
  mitigate: 1_800,
  lookNext: 800,
  past: 1_000,
  names: 500,
  sources: 500,
  warnings: 500,
} as const;
/** Maximum characters of one item. */
const MAX_ITEM_LENGTHS = {
  statement: 400,
  quote: 300,
  step: 350,
  command: 500,
  undo: 150,
  name: 150,
  /** A past incident, and within it the fix. */
  past: 540,
  fix: 250,
  /** What is alike, and what differs. */
  likeness: 120,
  warning: 200,
  names: 220,
} as const;

/** Checks of each candidate. */
const MAX_SHOWN_CHECKS = 1;

/** @param origin the address of the console; null for no link */
export function renderTriage(result: TriageResult, channel: string, origin: string | null = null): Message {
  const { answer } = result;
  const cite = citing(result);
  const part = partsOf(result);
  const verdict = verdictOf(result);
  return {
    text: `${verdict}. Incident ${shortId(result.incident_id)}.`,
    blocks: [
      header(verdict),
      section(`*${line(result.title, MAX_PART_LENGTHS.title)}*`),
      context(facts(result)),
      section(
        `${prose(answer.summary.text, MAX_PART_LENGTHS.summary)} ${cite(answer.summary.citations)}`.trim() ||
          "_No summary._",
      ),
      ...answerParts(result, cite).map(section),
      ...[
        ...part("Names in the commands", nameNotes(result), { maxLength: MAX_PART_LENGTHS.names, noun: "note" }),
        ...part("Sources", sources(result), { maxLength: MAX_PART_LENGTHS.sources, noun: "source" }),
        ...part("Warnings", warnings(result), { maxLength: MAX_PART_LENGTHS.warnings, noun: "warning" }),
      ].map(context),
      feedbackButtons(result, channel),
      context(incidentLine(result.incident_id, origin)),
    ],
  };
}

/** The id, and the page of the console. Neither is foreign text. */
export function incidentLine(id: string, origin: string | null): string {
  return `Incident \`${id}\`${origin === null ? "" : ` · <${incidentLink(origin, id)}|Open in the console>`}`;
}

/** Evidence, causes or candidates, and steps. With outcome `possible`, nothing is claimed, and no fix is shown. */
function answerParts(result: TriageResult, cite: Cite): string[] {
  const answer = withFilledCommands(result.answer, result.placeholders);
  const isPossible = result.outcome === "possible";
  const part = partsOf(result);
  const steps = (items: readonly Step[]) => items.map((item, i) => `${i + 1}. ${step(item, cite)}`);
  const causes = (isPossible ? [] : answer.likely_causes).map(
    (cause, i) => `${i + 1}. ${prose(cause.text, MAX_ITEM_LENGTHS.statement)} ${support(cause, cite)}`,
  );
  const candidates = (isPossible ? answer.possible_causes : []).map(
    (item, i) => `${i + 1}. ${possibleCause(item, cite)}`,
  );
  const pastItems = (isPossible ? [] : answer.worked_before).map(
    (past) => `• ${pastIncident(past, cite(past.citations))}`,
  );
  const pastIncidents = part("Past incidents", pastItems, { maxLength: MAX_PART_LENGTHS.past, noun: "incident" });
  const evidenceItems = answer.evidence.map((item) => `• ${evidence(item, cite)}`);
  // Suggestions without a cause: they need no support.
  const looks = steps(answer.look_next.map((item) => ({ ...item, supported: true })));
  const mitigations = steps(isPossible ? [] : answer.mitigate);
  return [
    ...part("Evidence", evidenceItems, { maxLength: MAX_PART_LENGTHS.evidence, noun: "line" }),
    ...part("Checked", checkItems(result), { maxLength: MAX_PART_LENGTHS.checks, noun: "check" }),
    ...part("Observed", observedItems(result), { maxLength: MAX_PART_LENGTHS.observed, noun: "observation" }),
    ...part("Likely causes", causes, { maxLength: MAX_PART_LENGTHS.causes, noun: "cause" }),
    ...part("Possible, not confirmed", candidates, { maxLength: MAX_PART_LENGTHS.possible, noun: "candidate" }),
    ...part("Confirm", steps(answer.confirm), { maxLength: MAX_PART_LENGTHS.confirm, noun: "step" }),
    // The fix of the same failure comes before the steps of a runbook.
    ...(startsWithFix(answer) ? pastIncidents : []),
    ...part("Mitigate", mitigations, { maxLength: MAX_PART_LENGTHS.mitigate, noun: "step" }),
    ...part("Look next", looks, { maxLength: MAX_PART_LENGTHS.lookNext, noun: "step" }),
    ...(startsWithFix(answer) ? [] : pastIncidents),
  ];
}

/** Decided checks first; why the others are not decided. */
function checkItems(result: TriageResult): string[] {
  const { decided, undecided } = liveEvidenceText(result);
  return [...decided, ...undecided].map(
    ({ verdict, text }) => `• *${verdict}:* ${prose(text, MAX_ITEM_LENGTHS.statement)}`,
  );
}

/** Changes before the start, the object in its cluster, and other alerts. */
function observedItems(result: TriageResult): string[] {
  const { changes, object, otherAlerts } = liveEvidenceText(result);
  const also = otherAlerts.map((text) => `Also firing: ${text}`);
  return [...changes, ...object, ...also].map((text) => `• ${line(text, MAX_ITEM_LENGTHS.quote)}`);
}

/** Builds the parts of a message. An omitted item is in the incident. */
function partsOf({ incident_id }: TriageResult) {
  const elsewhere = `in \`GET /v1/incidents/${incident_id}\``;
  return (
    heading: string,
    items: readonly string[],
    options: { readonly maxLength: number; readonly noun: string },
  ): string[] => list(heading, items, { ...options, elsewhere });
}

/** The digits of an incident's id that people type. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** The outcome with its confidence, as trusted text. */
export function verdictOf({ outcome, mode, confidence, guardrails, recalled, sources }: TriageResult): string {
  const figure = confidence.toFixed(2);
  if (guardrails.injection_blocked !== null) return "Not answered: this reads like an instruction to a model";
  if (isSessionRecap({ sources })) return "Recap of this session";
  switch (outcome) {
    case "benign":
      return `No incident: ${certaintyOf(confidence)}, ${figure}`;
    case "unknown": {
      const isEmpty = recalled.runbooks.length + recalled.incidents.length === 0;
      return `Unknown: ${isEmpty ? "no similar records" : `no record is similar enough, ${figure}`}`;
    }
    case "possible":
      return `Possible, not confirmed: ${figure}`;
    case "cause": {
      const name =
        mode === "extractive"
          ? "Known failure"
          : confidence < MIN_LIKELY_CONFIDENCE
            ? "Uncertain cause"
            : "Likely cause";
      return `${name}: ${certaintyOf(confidence)}, ${figure}`;
    }
  }
}

/** A past incident with its fix, former fixes struck through, and what is alike and differs. */
export function pastIncident(past: DescribedHit, citation = ""): string {
  let room: number = MAX_ITEM_LENGTHS.past;
  const parts = textParts(past).map(({ text, role }) => {
    // Leaves the outer blanks, which `prose` cuts off.
    const words = text.trim();
    const before = text.slice(0, text.length - text.trimStart().length);
    const after = text.slice(before.length + words.length);
    const limit = Math.min(role === "plain" ? room : MAX_ITEM_LENGTHS.fix, room);
    const shown = words === "" || limit <= 0 ? "" : role === "retired" ? struck(words, limit) : line(words, limit);
    room -= shown.length;
    return before + shown + after;
  });
  const likeness = likenessLines(past).map((words) => line(words, MAX_ITEM_LENGTHS.likeness));
  return [`${parts.join("").trim()} ${citation}`.trimEnd(), ...likeness].join("\n");
}

/** A tilde or a code span of the text would end the strike. */
function struck(text: string, maxLength: number): string {
  return `~${line(text.replaceAll("~", "\u223c").replaceAll("`", "'"), maxLength)}~`;
}

/** The day of an ISO 8601 time; empty for any other text. */
export function day(time: string | null): string {
  return /^\d{4}-\d\d-\d\d/.exec(time ?? "")?.[0] ?? "";
}

/** A step with its command, ready to copy. */
export function step({ text, command, effect, undo, ...statement }: Step, cite: Cite): string {
  const warning = stepWarning({ text, command, effect });
  const mark = warning === null ? "" : `*${warning.charAt(0).toUpperCase()}${warning.slice(1)}:* `;
  return [
    `${mark}${prose(text, MAX_ITEM_LENGTHS.step)} ${support(statement, cite)}`.trimEnd(),
    ...(command === null || command.trim() === "" ? [] : [codeBlock(command, MAX_ITEM_LENGTHS.command)]),
    ...(undo === null ? [] : [`_Undo:_ ${prose(undo, MAX_ITEM_LENGTHS.undo)}`]),
  ].join("\n");
}

/** A quotation of the report, and where it stands. */
function evidence({ text, quote, ...statement }: Evidence, cite: Cite): string {
  const quoted = quote === null ? "" : `"${line(quote, MAX_ITEM_LENGTHS.quote)}" `;
  return `${quoted}${prose(text, MAX_ITEM_LENGTHS.step)} ${support(statement, cite)}`.trimEnd();
}

/** A candidate with its probability and its first checks. */
function possibleCause({ title, text, probability, citations, confirm }: PossibleCause, cite: Cite): string {
  const percent = `${Math.round(probability * 100)} %`;
  const about = prose(text, MAX_ITEM_LENGTHS.statement);
  return [
    `*${line(title, MAX_ITEM_LENGTHS.name)}*, ${percent}: ${about} ${cite(citations)}`.trimEnd(),
    ...confirm.slice(0, MAX_SHOWN_CHECKS).map((check) => `• Check: ${step(check, () => "")}`),
  ].join("\n");
}

/** Names in the commands that are from the report, and placeholders that people replace. */
function nameNotes({ answer, placeholders }: TriageResult): string[] {
  return placeholderNotes(commandsOf(answer), placeholders).map((note) => line(note, MAX_ITEM_LENGTHS.names));
}

/** Warnings of a triage or a search, as items of a section. */
export function warnings({ warnings: items }: Pick<TriageResult, "warnings">): string[] {
  return items.map(({ message }) => `• ${prose(message, MAX_ITEM_LENGTHS.warning)}`);
}

export function feedbackButtons(
  result: Pick<TriageResult, "triage_id" | "incident_id" | "outcome" | "answer" | "recalled">,
  channel: string,
) {
  const value = buttonValueOf(result, channel);
  const buttons: Button[] =
    suggestedFix(result) === null ? ["helpful", "not_helpful"] : ["helpful", "not_helpful", "resolved"];
  return actions(
    "feedback",
    buttons.map((name) => button(name, BUTTONS[name], value)),
  );
}

type Cite = (ids: readonly string[]) => string;

/** Cites sources by their number in the list of sources. */
function citing({ sources: cited }: TriageResult): Cite {
  const numbers = new Map(cited.map(({ id }, i) => [id, i + 1]));
  return (ids) =>
    [...new Set(ids.map((id) => numbers.get(id)))]
      .filter((number) => number !== undefined)
      .slice(0, 10)
      .map((number) => `[${number}]`)
      .join("");
}

function support(
  statement: Pick<Step, "supported" | "citations"> & Partial<Pick<Step, "from_source">>,
  cite: Cite,
): string {
  const note = sourceNote(statement);
  return note === null ? cite(statement.citations) : `_(${note})_`;
}

function facts(result: TriageResult): string {
  const name = (text: string) => line(text, MAX_ITEM_LENGTHS.name / 2);
  const note = furtherSearchNote(result.domain);
  return [
    `severity ${result.severity}`,
    ...(result.target === null ? [] : [`target ${name(result.target)}`]),
    `domain ${result.domain.name} (${name(result.domain.rule)})`,
    ...(note === null ? [] : [note]),
    `type ${name(result.incident_type.name)} (${name(result.incident_type.rule)})`,
  ].join(" · ");
}

function sources({ sources: cited }: TriageResult): string[] {
  return cited.map(({ kind, title, source, heading }, i) => {
    const name =
      kind === "incident"
        ? `past incident: ${title}`
        : kind === "past_answer"
          ? `past answer: ${title}`
          : kind === "check"
            ? `${title} of ${heading}`
            : `${kind}: ${[source ?? title, heading].filter(Boolean).join(" › ")}`;
    return `[${i + 1}] ${line(name, MAX_ITEM_LENGTHS.name)}`;
  });
}
