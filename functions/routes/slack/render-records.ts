// Owns how what is on record is shown in Slack: an incident, what is like a text, and what a button did. Pure.

import type { IncidentWithHistory } from "../../incidents/incident-records.ts";
import type { MemorySearchResult } from "../../investigation/search-memory.ts";
import { type TriageResult, triageResultSchema } from "../../schemas/triage-result.ts";
import { context, header, line, list, type Message, plainMessage, prose, section } from "./block-kit.ts";
import type { Button } from "./payloads.ts";
import { day, feedbackButtons, pastIncident, shortId, step, verdictOf, warnings } from "./render-triage.ts";

const STATUS_WORDS = {
  queued: "Waiting to be investigated",
  investigating: "Being investigated",
  triaged: "Open, triaged",
  failed: "Open, its triage failed",
  resolved: "Resolved",
} as const;

/** The latest triage of an incident; null while there is none. */
export function triageOf({ triage }: IncidentWithHistory): TriageResult | null {
  const parsed = triageResultSchema.safeParse(triage);
  return parsed.success ? parsed.data : null;
}

export function renderIncident(found: IncidentWithHistory): Message {
  const { incident, events } = found;
  const result = triageOf(found);
  const status = STATUS_WORDS[incident.status];
  const [first] = result?.answer.mitigate ?? [];
  const elsewhere = `in \`GET /v1/incidents/${incident.id}\``;
  const timeline = events.map(({ at, kind }) => `• ${minute(at)} ${line(kind, 60)}`);
  return {
    text: `${status}: incident ${shortId(incident.id)}.`,
    blocks: [
      header(status),
      section(`*${line(incident.title, 300)}*`),
      context(
        [
          `severity ${incident.severity}`,
          ...(incident.target === null ? [] : [`target ${line(incident.target, 100)}`]),
          `domain ${incident.domain}`,
          `reported ${minute(incident.created_at)}`,
        ].join(" · "),
      ),
      ...(incident.resolution === null ? [] : [section(resolution(incident))]),
      ...(result === null ? [] : [section(`*${verdictOf(result)}*\n${prose(result.answer.summary.text, 1_200)}`)]),
      ...(first === undefined ? [] : [section(`*First step*\n${step(first, () => "")}`)]),
      ...list("Timeline", timeline, { most: 1_000, noun: "event", elsewhere }).map(section),
      ...(result === null ? [] : [feedbackButtons(result)]),
      context(`Incident \`${incident.id}\``),
    ],
  };
}

export function renderResolved({ incident }: IncidentWithHistory): Message {
  const name = shortId(incident.id);
  return {
    text: `Resolved: incident ${name}.`,
    blocks: [
      header("Resolved"),
      section(`*${line(incident.title, 300)}*`),
      section(resolution(incident)),
      context(`Incident \`${incident.id}\`. The next one like it will be told what fixed this.`),
    ],
  };
}

export function renderSimilar({ incidents, past_answers, procedure, domain, ...rest }: MemorySearchResult): Message {
  const elsewhere = "in `GET /v1/memory/search`";
  const questions = past_answers.map(
    ({ question, answer, asked_at }) => `• *${line(question, 150)}* (${day(asked_at)})\n${prose(answer, 400)}`,
  );
  const approach = procedure === null ? [] : [`*${line(procedure.query, 150)}*\n${prose(procedure.answer, 400)}`];
  const parts = [
    ...list(
      "Past incidents",
      incidents.map((hit) => `• ${pastIncident(hit)}`),
      { most: 2_900, noun: "incident", elsewhere },
    ),
    ...list("Earlier answers", questions, { most: 2_000, noun: "answer", elsewhere }),
    ...list("What worked", approach, { most: 1_000, noun: "approach", elsewhere }),
  ];
  const found = incidents.length + past_answers.length + approach.length;
  const words = found === 0 ? "Nothing like it is on record" : "What is like it";
  return {
    text: `${words}.`,
    blocks: [
      header(words),
      context(`domain ${domain.name} (${line(domain.rule, 150)})`),
      ...parts.map(section),
      ...list("Warnings", warnings(rest), { most: 500, noun: "warning", elsewhere }).map(context),
    ],
  };
}

/** What came of "This resolved it". */
export type Followed =
  /** Now, or before. */
  | { readonly state: "resolved"; readonly found: IncidentWithHistory }
  | { readonly state: "not_found" }
  /** The answer offers no fix. */
  | { readonly state: "no_fix"; readonly incidentId: string }
  /** The incident has a newer answer. */
  | { readonly state: "superseded"; readonly incidentId: string };

/** What is on record after a press. @param followed null where the press was only a vote */
export function renderPress(
  pressed: Button,
  feedback: { readonly rating: number | null } | null,
  followed: Followed | null,
): Message {
  if (feedback === null && (followed === null || followed.state === "not_found")) {
    return plainMessage(
      "This answer is not on record, so nothing could be noted. It was not stored, or forgotten since.",
    );
  }
  const vote = pressed === "not_helpful" ? "not helpful" : "helpful";
  const rating =
    feedback === null || feedback.rating === null ? "" : ` The rating of its memory is ${feedback.rating} now.`;
  const noted =
    feedback === null ? "The answer itself is not on record." : `On record: you find this answer ${vote}.${rating}`;
  switch (followed?.state) {
    case undefined:
      return plainMessage(noted);
    case "resolved":
      return { text: noted, blocks: [section(noted), section(resolution(followed.found.incident))] };
    case "not_found":
      return plainMessage(`${noted} Its incident is not on record, so it could not be resolved.`);
    case "no_fix":
      return plainMessage(`${noted} It offers no fix, so none was recorded. ${reportFix(followed.incidentId)}`);
    case "superseded":
      return plainMessage(
        `${noted} Its incident has a newer answer, so no fix was recorded. ${reportFix(followed.incidentId)}`,
      );
  }
}

function reportFix(incidentId: string): string {
  return `Say what fixed it: \`/triage resolve ${shortId(incidentId)} &lt;what fixed it&gt;\`.`;
}

function resolution({ resolution: fix, resolved_by, resolved_at, status }: IncidentWithHistory["incident"]): string {
  const who = resolved_by === null ? "" : ` by ${line(resolved_by, 150)}`;
  const words = status === "resolved" ? "Resolved" : "Resolved before";
  return `*${words}${who}${resolved_at === null ? "" : ` on ${minute(resolved_at)}`}:* ${prose(fix ?? "", 1_500)}`;
}

/** "2026-03-01 03:00 UTC" of a time as Postgres tells it. */
function minute(time: string): string {
  const parsed = new Date(time);
  return Number.isNaN(parsed.getTime()) ? "" : `${parsed.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
