// Owns how a triage is shown in Slack: the verdict, what to do about it, what that rests on, and the buttons. Pure.

import { stepWarning } from "../../schemas/step-warning.ts";
import type { IncidentHit, Step, TriageResult } from "../../schemas/triage-result.ts";
import { actions, button, codeBlock, context, header, line, list, type Message, prose, section } from "./block-kit.ts";
import { followedFix } from "./followed-fix.ts";
import { BUTTONS, type Button, buttonValueOf } from "./payloads.ts";

/** Characters of each part; together they stay under what Slack takes of a message. */
const MAX_ITEMS = {
  title: 300,
  facts: 400,
  summary: 1_200,
  causes: 1_000,
  confirm: 1_700,
  mitigate: 2_000,
  lookNext: 1_000,
  past: 1_200,
  sources: 600,
  warnings: 500,
} as const;
const MAX_OF_ONE = { statement: 400, step: 350, command: 500, undo: 150, name: 150, fix: 300, warning: 200 } as const;

export function renderTriage(result: TriageResult): Message {
  const { answer } = result;
  const cite = citing(result);
  const elsewhere = `in \`GET /v1/incidents/${result.incident_id}\``;
  const part = (heading: string, items: readonly string[], options: { readonly most: number; readonly noun: string }) =>
    list(heading, items, { ...options, elsewhere });
  const steps = (items: readonly Step[]) => items.map((item, i) => `${i + 1}. ${step(item, cite)}`);
  const past = result.recalled.incidents.filter(({ relevant }) => relevant);
  const verdict = verdictOf(result);
  return {
    text: `${verdict}. Incident ${shortId(result.incident_id)}.`,
    blocks: [
      header(verdict),
      section(`*${line(result.title, MAX_ITEMS.title)}*`),
      context(facts(result)),
      section(
        `${prose(answer.summary.text, MAX_ITEMS.summary)} ${cite(answer.summary.citations)}`.trim() || "_No summary._",
      ),
      ...[
        ...part(
          "Likely causes",
          answer.likely_causes.map(
            (cause, i) => `${i + 1}. ${prose(cause.text, MAX_OF_ONE.statement)} ${support(cause, cite)}`,
          ),
          { most: MAX_ITEMS.causes, noun: "cause" },
        ),
        ...part("Confirm", steps(answer.confirm), { most: MAX_ITEMS.confirm, noun: "step" }),
        ...part("Mitigate", steps(answer.mitigate), { most: MAX_ITEMS.mitigate, noun: "step" }),
        // Suggestions all of them: nothing is known.
        ...part("Look next", steps(answer.look_next.map((item) => ({ ...item, supported: true }))), {
          most: MAX_ITEMS.lookNext,
          noun: "step",
        }),
        ...part(
          "Past incidents",
          past.map((hit) => `• ${pastIncident(hit)} ${cite([hit.id])}`.trim()),
          { most: MAX_ITEMS.past, noun: "incident" },
        ),
      ].map(section),
      ...[
        ...part("Sources", sources(result), { most: MAX_ITEMS.sources, noun: "source" }),
        ...part("Warnings", warnings(result), { most: MAX_ITEMS.warnings, noun: "warning" }),
      ].map(context),
      feedbackButtons(result),
      context(`Incident \`${result.incident_id}\``),
    ],
  };
}

/** Of an incident: as much of its id as people type. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** The kind of answer with its confidence, in our own words. */
export function verdictOf({ outcome, mode, confidence, guardrails, recalled }: TriageResult): string {
  const figure = confidence.toFixed(2);
  if (guardrails.injection_blocked !== null) return "Not answered: this reads like an instruction to a model";
  switch (outcome) {
    case "benign":
      return `No incident: ${sureness(confidence)}, ${figure}`;
    case "unknown": {
      const isEmpty = recalled.runbooks.length + recalled.incidents.length === 0;
      return `Unknown: ${isEmpty ? "nothing like it is on record" : `nothing on record fits well enough, ${figure}`}`;
    }
    case "cause": {
      const name = mode === "extractive" ? "Known failure" : confidence < 0.5 ? "Possible cause" : "Likely cause";
      return `${name}: ${sureness(confidence)}, ${figure}`;
    }
  }
}

/** A confidence of 0 to 1 in words. */
function sureness(confidence: number): string {
  if (confidence >= 0.85) return "very sure";
  if (confidence >= 0.65) return "fairly sure";
  return confidence >= 0.5 ? "rather sure" : "not sure";
}

/** A past incident: what it was, when and how often, and what fixed it. */
export function pastIncident(hit: IncidentHit): string {
  const { title, target, occurrences, last_seen_at, reported_at, resolution, resolved_by, resolved_at } = hit;
  const on = target === null ? "" : ` on ${line(target, MAX_OF_ONE.name)}`;
  const times = occurrences === 1 ? "once" : `${occurrences} times, last`;
  const by = [resolved_by === null ? "" : line(resolved_by, MAX_OF_ONE.name), day(resolved_at)].filter(Boolean);
  const fix =
    resolution === null
      ? "No fix on record."
      : `Fixed by: ${prose(resolution, MAX_OF_ONE.fix)}${by.length > 0 ? ` (${by.join(", ")})` : ""}`;
  return `*${line(title, MAX_OF_ONE.name)}*${on}, seen ${times} on ${day(last_seen_at ?? reported_at)}. ${fix}`;
}

/** A day of an ISO 8601 time; nothing for anything else. */
export function day(time: string | null): string {
  return /^\d{4}-\d\d-\d\d/.exec(time ?? "")?.[0] ?? "";
}

/** A step with its command, which can be copied. */
export function step({ text, command, effect, undo, ...statement }: Step, cite: Cite): string {
  const warning = stepWarning({ command, effect });
  const mark = warning === null ? "" : `*${warning.charAt(0).toUpperCase()}${warning.slice(1)}:* `;
  return [
    `${mark}${prose(text, MAX_OF_ONE.step)} ${support(statement, cite)}`.trimEnd(),
    ...(command === null || command.trim() === "" ? [] : [codeBlock(command, MAX_OF_ONE.command)]),
    ...(undo === null ? [] : [`_Undo:_ ${prose(undo, MAX_OF_ONE.undo)}`]),
  ].join("\n");
}

/** Warnings of a triage or a search, as of a section. */
export function warnings({ warnings: found }: Pick<TriageResult, "warnings">): string[] {
  return found.map(({ message }) => `• ${prose(message, MAX_OF_ONE.warning)}`);
}

export function feedbackButtons(result: Pick<TriageResult, "triage_id" | "incident_id" | "outcome" | "answer">) {
  const value = buttonValueOf(result);
  const offered: Button[] =
    followedFix(result) === null ? ["helpful", "not_helpful"] : ["helpful", "not_helpful", "resolved"];
  return actions(
    "feedback",
    offered.map((name) => button(name, BUTTONS[name], value)),
  );
}

type Cite = (ids: readonly string[]) => string;

/** Numbers for ids of sources, in the order in which the sources are listed. */
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
  { supported, citations }: { readonly supported: boolean; readonly citations: readonly string[] },
  cite: Cite,
): string {
  return supported ? cite(citations) : "_(no source says this)_";
}

function facts(result: TriageResult): string {
  const name = (text: string) => line(text, MAX_OF_ONE.name / 2);
  return [
    `severity ${result.severity}`,
    ...(result.target === null ? [] : [`target ${name(result.target)}`]),
    `domain ${result.domain.name} (${name(result.domain.rule)})`,
    `type ${name(result.incident_type.name)} (${name(result.incident_type.rule)})`,
  ].join(" · ");
}

function sources({ sources: cited }: TriageResult): string[] {
  return cited.map(({ kind, title, source, heading }, i) => {
    const name =
      kind === "incident"
        ? `past incident: ${title}`
        : `${kind}: ${[source ?? title, heading].filter(Boolean).join(" › ")}`;
    return `[${i + 1}] ${line(name, MAX_OF_ONE.name)}`;
  });
}
