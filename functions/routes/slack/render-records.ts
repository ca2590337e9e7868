// Slack messages that show an incident, confirm its resolution, or list similar records. Pure functions.

import { context, header, line, list, type Message, prose, section } from "../../adapters/block-kit.ts";
import { answerView, pastIncidentItem } from "../../answer-view/answer-view.ts";
import { holderText } from "../../answer-view/holder-text.ts";
import { describeHit } from "../../answer-view/past-incident-text.ts";
import { entryText, timelineOf } from "../../answer-view/timeline-text.ts";
import { caveatOf, verdictLine } from "../../answer-view/verdict.ts";
import { incidentSteps } from "../../incidents/detail/steps.ts";
import { type IncidentWithHistory, storedTriage } from "../../incidents/incident-records.ts";
import type { RecordedResolution } from "../../investigation/learning/resolve-incident.ts";
import { type MemorySearchResult, onlyAlike } from "../../investigation/search-memory.ts";
import { placeText } from "../../surroundings/place-text.ts";
import { elsewhereOf, feedbackButtons, incidentLine, itemText, shortId, warningItems } from "./render-triage.ts";

const STATUS_WORDS = {
  queued: "Waiting to be investigated",
  investigating: "Being investigated",
  triaged: "Open, answered",
  failed: "Open, its triage failed",
  resolved: "Resolved",
} as const;

/** Shows an incident with its latest answer and its timeline. @param channel the one that the message is for */
export function renderIncident(record: IncidentWithHistory, channel: string, origin: string | null = null): Message {
  const { incident, events, steps } = record;
  const { triage: result } = storedTriage(record);
  const status = STATUS_WORDS[incident.status];
  const holder = holderText(incident);
  const place = placeText({ ...incident, alerts: record.alerts });
  const view = result && answerView(result, { brief: true });
  const firsts = [view?.fix, view?.sections.find(({ kind }) => kind === "mitigate")].flatMap((each) => each ?? []);
  const elsewhere = elsewhereOf(incident.id);
  const timelineItems = timelineOf({ events, steps: incidentSteps(result, steps) }).map(
    (entry) => `• ${minute(entry.at)} ${line(entryText(entry), 200)}`,
  );
  return {
    text: `${status}: incident ${shortId(incident.id)}.`,
    blocks: [
      header(status),
      section(`*${line(incident.title, 300)}*`),
      context(
        [
          `severity ${incident.severity}`,
          ...(place === null ? [] : [`on ${line(place, 100)}`]),
          `domain ${incident.domain}`,
          `reported ${minute(incident.created_at)}`,
          ...(holder === null ? [] : [line(holder, 200)]),
        ].join(" · "),
      ),
      ...(incident.resolution === null ? [] : [section(resolution(incident))]),
      ...(result && view
        ? [
            section(
              `*${verdictLine(view.verdict)}*${caveatOf(view.verdict)}\n${prose(result.answer.summary.text, 1_200)}`,
            ),
          ]
        : []),
      // The message lists no sources, so the step gets no citation marks.
      ...firsts.flatMap(({ title, items: [item] }) =>
        item ? [section(`*${title}*\n${itemText({ ...item, citations: [] })}`)] : [],
      ),
      ...list("Timeline", timelineItems, { maxLength: 1_000, noun: "event", elsewhere }).map(section),
      ...(result === null ? [] : feedbackButtons(result, channel)),
      context(incidentLine(incident.id, origin)),
    ],
  };
}

/** Confirms that an incident was resolved by a command. @param submitted the text of the command */
export function renderResolved(
  { state, record: { incident }, former }: RecordedResolution,
  submitted: string,
): Message {
  const name = shortId(incident.id);
  const isBeside = state === "of_another";
  const title = isBeside ? "Recorded beside the fix" : "Resolved";
  return {
    text: `${title}: incident ${name}.`,
    blocks: [
      header(title),
      section(`*${line(incident.title, 300)}*`),
      section(resolution(incident)),
      ...(isBeside
        ? [
            section(`*This helped, too:* ${prose(submitted, 1_500)}`),
            context("Only the person who recorded a fix, or an admin, may replace it. Yours is on record beside it."),
          ]
        : []),
      ...(former === null ? [] : [section(`*Replaces:* ${prose(former, 1_500)}`)]),
      context(`Incident \`${incident.id}\`. Answers to similar incidents will show this fix.`),
    ],
  };
}

/** Shows the records that are alike. @param result all hits of the search */
export function renderSimilar(result: MemorySearchResult): Message {
  const { incidents, past_answers, procedure, domain, ...rest } = onlyAlike(result);
  const elsewhere = "in `GET /v1/memory/search`";
  const answers = past_answers.map(
    ({ question, answer, asked_at }) => `• *${line(question, 150)}* (${day(asked_at)})\n${prose(answer, 400)}`,
  );
  const procedures = procedure === null ? [] : [`*${line(procedure.query, 150)}*\n${prose(procedure.answer, 400)}`];
  const alike = incidents.map((hit) => `• ${itemText(pastIncidentItem(describeHit(hit)))}`);
  const count = alike.length + answers.length + procedures.length;
  const parts = [
    ...list("Past incidents", alike, { maxLength: 2_900, noun: "incident", elsewhere }),
    ...(count > 0 && alike.length === 0 ? ["No past incident on record is alike."] : []),
    ...list("Past answers", answers, { maxLength: 2_000, noun: "answer", elsewhere }),
    ...list("Procedure", procedures, { maxLength: 1_000, noun: "procedure", elsewhere }),
  ];
  const title = count === 0 ? "Nothing alike is on record" : "Similar records";
  return {
    text: `${title}.`,
    blocks: [
      header(title),
      context(`domain ${domain.name} (${line(domain.rule, 150)})`),
      ...parts.map(section),
      ...list("Warnings", warningItems(rest.warnings.map(({ message }) => message)), {
        maxLength: 500,
        noun: "warning",
        elsewhere,
      }).map(context),
    ],
  };
}

/** Describes a resolution. An incident that is not resolved any more keeps its former resolution. */
export function resolution({
  resolution: fix,
  resolved_by,
  resolved_at,
  status,
}: IncidentWithHistory["incident"]): string {
  const person = resolved_by === null ? "" : ` by ${line(resolved_by, 150)}`;
  const words = status === "resolved" ? "Resolved" : "Resolved before";
  return `*${words}${person}${resolved_at === null ? "" : ` on ${minute(resolved_at)}`}:* ${prose(fix ?? "", 1_500)}`;
}

/** The day of an ISO 8601 time; empty for any other text. */
function day(time: string | null): string {
  return /^\d{4}-\d\d-\d\d/.exec(time ?? "")?.[0] ?? "";
}

/** Formats a Postgres time as "2026-03-01 03:00 UTC". */
function minute(time: string): string {
  const parsed = new Date(time);
  return Number.isNaN(parsed.getTime()) ? "" : `${parsed.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
