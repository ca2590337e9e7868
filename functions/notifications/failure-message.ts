// The message about a failure, made from the brief view of its answer; and the summary of a storm. Pure functions.

import { z } from "zod";
import { type AnswerView, answerView, CHANGES_TITLE, type Item, type SectionKind } from "../answer-view/answer-view.ts";
import { incidentLink, incidentsLink } from "../answer-view/console-link.ts";
import { mutedText } from "../answer-view/mute-text.ts";
import { caveatOf, isOutage, type Verdict, verdictLine } from "../answer-view/verdict.ts";
import { SEVERITIES, truncate } from "../schemas/incident.ts";
import { type TriageResult, triageResultSchema } from "../schemas/triage-result.ts";
import { type FailureState, holderOf, isMuted, recurrenceOf, resolutionOf } from "./failure-state.ts";
import type { MutedCount } from "./mutes.ts";
import type { FailureMessage, NotificationEvent, StepText, Summary } from "./targets/target.ts";

/** `HighErrorRate`, also `HighErrorRate on 3 pods of checkout`; not `Disk on db-1 is full`. */
const RULE_NAME = /^\S+(?: on (?:\S+|\d+ \S+(?: of .+)?))?$/;
const MAX_SUBJECT_QUOTE = 120;
const MAX_ITEMS = { quotes: 1, lacks: 3, checked: 3, changes: 3, mutes: 10 } as const;

interface MessageOptions {
  readonly event: NotificationEvent;
  /** The address of the console; null for no links. */
  readonly origin: string | null;
  /** The source of alerts whose ticket the target writes on; null for none. */
  readonly ticketOf: string | null;
  /** Mutes that kept other incidents from the target. */
  readonly mutes: readonly MutedCount[];
}

export function failureMessage(
  state: FailureState,
  { event, origin, ticketOf, mutes }: MessageOptions,
): FailureMessage {
  const { incident, tickets, succeeded_by } = state;
  const triage = triageResultSchema.safeParse(state.triage).data ?? null;
  const view = triage === null ? null : answerView(triage, { brief: true });
  const answer = triage === null || view === null ? WITHOUT_ANSWER : answerOf(triage, view);
  const title = subjectOf(state, answer.quotes);
  return {
    event,
    incidentId: incident.id,
    title,
    severity: incident.severity,
    domain: incident.domain,
    target: incident.target,
    status: statusOf(state),
    recurrence: incident.merged_into === null ? recurrenceBeside(incident.title, state) : null,
    holder: holderOf(state),
    isAcknowledged: state.acknowledged !== null,
    isMuted: isMuted(state),
    lacksFix: incident.status !== "resolved" || (incident.resolution === null && answer.outcome !== "benign"),
    muted: notShown(mutes),
    resolution: resolutionOf(state),
    link: origin === null ? null : incidentLink(origin, succeeded_by?.id ?? incident.merged_into?.id ?? incident.id),
    ticket: tickets.find(({ source }) => source === ticketOf) ?? null,
    ...answer,
    quotes: answer.quotes.filter((quote) => !title.endsWith(quote)),
  };
}

function statusOf({ incident: { merged_into, status }, succeeded_by }: FailureState): FailureMessage["status"] {
  if (merged_into !== null) return "merged";
  if (status === "resolved") return "resolved";
  return succeeded_by === null ? "open" : "superseded";
}

/** What fails, and where. A title of one word is the name of a rule: the error line says what fails. A person's title says it all. */
function subjectOf(
  { incident: { title, target, is_titled }, services }: FailureState,
  [quote]: readonly string[],
): string {
  if (is_titled) return title;
  // The target of a group is that of its first alert.
  const where = target === null || services > 1 || title.includes(target) ? "" : ` on ${target}`;
  const name = where === "" ? title : title.replace(/\.$/, "");
  const what = quote !== undefined && RULE_NAME.test(title) ? `: ${truncate(quote, MAX_SUBJECT_QUOTE)}` : "";
  return name + where + what;
}

/** In a message about something else: a line for each mute, and one for those that have no line. */
function notShown(mutes: readonly MutedCount[]): string[] {
  const left = mutes.length - MAX_ITEMS.mutes;
  return [
    ...mutes.slice(0, MAX_ITEMS.mutes).map((mute) => `Not shown here: ${mutedText(mute)}`),
    ...(left > 0 ? [`Not shown here: incidents of ${left} more ${left === 1 ? "mute" : "mutes"}`] : []),
  ];
}

/** The title of a group says already where it is. */
function recurrenceBeside(title: string, state: FailureState): string | null {
  const isSaid = state.place !== null && title.endsWith(`on ${state.place}`);
  const recurrence = recurrenceOf(isSaid ? { ...state, place: null } : state);
  // Alone on its line, a duration or a place needs its verb.
  return recurrence?.replace(/^(?=for |on )/, "Firing ") ?? null;
}

type AnswerPart = Pick<
  FailureMessage,
  | "triageId"
  | "outcome"
  | "probability"
  | "verdict"
  | "fix"
  | "quotes"
  | "lacks"
  | "checked"
  | "firstCheck"
  | "firstStep"
  | "changes"
>;

const WITHOUT_ANSWER: AnswerPart = {
  triageId: null,
  outcome: null,
  probability: null,
  verdict: "No answer: the investigation failed",
  fix: null,
  quotes: [],
  lacks: [],
  checked: [],
  firstCheck: null,
  firstStep: null,
  changes: [],
};

function answerOf(triage: TriageResult, view: AnswerView): AnswerPart {
  const itemsOf = (kind: SectionKind) => view.sections.flatMap((each) => (each.kind === kind ? each.items : []));
  const [candidate] = itemsOf("candidates");
  const [cause] = itemsOf("causes");
  const [check = cause?.checks[0] ?? candidate?.checks[0] ?? itemsOf("look_next")[0]] = itemsOf("confirm");
  const changes = view.sections.find(({ title }) => title === CHANGES_TITLE)?.items ?? [];
  return {
    triageId: triage.triage_id,
    outcome: triage.outcome,
    probability: view.verdict.figure,
    verdict: verdictText(triage, view.verdict, candidate),
    fix: fixOf(view),
    quotes: itemsOf("evidence")
      .flatMap(({ quote }) => quote ?? [])
      .slice(0, MAX_ITEMS.quotes),
    lacks: triage.warnings.flatMap(({ code, message }) => (isOutage(code) ? [message] : [])).slice(0, MAX_ITEMS.lacks),
    checked: itemsOf("checked")
      .slice(0, MAX_ITEMS.checked)
      .map((item) => `${item.lead}: ${textOf(item)}`),
    firstCheck: stepOf(check),
    firstStep: stepOf(itemsOf("mitigate")[0]),
    changes: changes.slice(0, MAX_ITEMS.changes).map(textOf),
  };
}

/** `Known failure, 91 %: PostgreSQL out of connection slots` */
function verdictText(
  { outcome, confidence, recalled }: TriageResult,
  verdict: Verdict,
  candidate: Item | undefined,
): string {
  // The lead of a candidate is its title and its probability.
  if (outcome === "possible" && candidate?.lead != null) return `${verdict.name}: ${candidate.lead}`;
  const runbook =
    outcome === "cause" ? recalled.runbooks.find(({ probability }) => probability === confidence) : undefined;
  return (
    (runbook === undefined ? verdictLine(verdict) : `${verdictLine(verdict)}: ${runbook.title}`) + caveatOf(verdict)
  );
}

/** What fixed it before, also for a failure that is only possibly the same. */
function fixOf({ fix }: AnswerView): FailureMessage["fix"] {
  const [item] = fix?.items ?? [];
  return fix && item ? { lead: fix.lead, text: [textOf(item), ...item.details].join(" ") } : null;
}

function stepOf(item: Item | undefined): StepText | null {
  if (item === undefined) return null;
  return { text: textOf(item), warning: item.warning, command: item.command };
}

function textOf({ text }: Item): string {
  return text.map((part) => part.text).join("");
}

const summarySchema = z.object({
  total: z.number().int(),
  open: z.number().int(),
  failures: z.number().int(),
  by_severity: z.record(z.string(), z.number().int()),
  worst: z.array(
    z.object({
      incident_id: z.string(),
      title: z.string(),
      severity: z.enum(SEVERITIES),
      target: z.string().nullable(),
      incidents: z.number().int(),
    }),
  ),
});

/** @param stored as the SQL function `summary_state` returns it */
export function summaryOf(stored: unknown, { origin, mutes }: Pick<MessageOptions, "origin" | "mutes">): Summary {
  const { total, open, failures, by_severity, worst } = summarySchema.parse(stored);
  return {
    total,
    open,
    failures,
    bySeverity: SEVERITIES.flatMap((severity) => {
      const count = by_severity[severity];
      return count === undefined ? [] : [[severity, count] as const];
    }),
    worst: worst.map(({ incident_id: incidentId, ...each }) => ({
      incidentId,
      ...each,
      link: origin === null ? null : incidentLink(origin, incidentId),
    })),
    muted: notShown(mutes),
    link: origin === null ? null : incidentsLink(origin),
  };
}
