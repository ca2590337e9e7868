// Text views of memory for a terminal. Pure functions.

import { describeHit, likenessLines, textParts, withStruck } from "../functions/answer-view/past-incident-text.ts";
import type {
  ObservationEntry,
  OutboxEntry,
  PastAnswerEntry,
  ProcedureEntry,
  Session,
} from "../functions/memory/memory-lists.ts";
import type { IncidentHit, PastAnswerHit, ProcedureHit } from "../functions/schemas/triage-result.ts";
import { createWriter, section } from "./render/terminal-text.ts";
import type { RenderOptions } from "./render-options.ts";
import { minuteOf } from "./service/incident.ts";
import { shortId } from "./service/incident-id.ts";
import type { MemorySearchResult } from "./service/memory-search.ts";
import { oneLine, renderTable } from "./table.ts";

export function renderObservations(rows: readonly ObservationEntry[], options: RenderOptions): string {
  if (rows.length === 0) return "There are no observations yet.";
  const header = ["id", "last seen (UTC)", "times", "score", "review", "domain", "services", "title", "fixed by"];
  const optional = ["review", "score", "domain", "times", "services", "fixed by"];
  const cells = rows.map((row) => [
    shortId(row.id),
    minuteOf(row.last_seen_at),
    row.occurrences.toString(),
    row.final_score?.toFixed(1) ?? "-",
    row.effective_review_score?.toString() ?? "-",
    row.domain,
    servicesOf(row),
    row.title,
    fixOf(row),
  ]);
  return renderTable(header, cells, { ...options, whole: ["id"], optional });
}

export function renderPastAnswers(rows: readonly PastAnswerEntry[], options: RenderOptions): string {
  if (rows.length === 0) return "There are no past answers yet.";
  const header = ["answered (UTC)", "rating", "domain", "session", "state", "question", "answer"];
  const cells = rows.map((row) => [
    minuteOf(row.created_at),
    String(row.net_rating),
    row.domain,
    row.session_id,
    stateOf(row),
    row.question,
    row.answer,
  ]);
  return renderTable(header, cells, { ...options, whole: ["session"], optional: ["state", "rating", "answer"] });
}

export function renderSessions(rows: readonly Session[], options: RenderOptions): string {
  if (rows.length === 0) return "No session has past answers yet.";
  const header = ["last turn (UTC)", "domains", "answers", "summaries", "session"];
  const cells = rows.map((row) => [
    minuteOf(row.last_turn_at),
    row.domains.join(", "),
    String(row.raw_count),
    String(row.summary_count),
    row.session_id,
  ]);
  return renderTable(header, cells, { ...options, whole: ["session"], optional: ["summaries", "domains"] });
}

export function renderProcedures(rows: readonly ProcedureEntry[], options: RenderOptions): string {
  if (rows.length === 0) return "There are no approaches yet.";
  const header = ["last used (UTC)", "uses", "confidence", "domain", "state", "query", "answer"];
  const cells = rows.map((row) => [
    minuteOf(row.last_used_at),
    row.use_count.toFixed(1),
    row.confidence.toFixed(2),
    row.domain,
    row.archived_at === null ? "in use" : "archived",
    row.query,
    row.answer,
  ]);
  return renderTable(header, cells, { ...options, optional: ["state", "confidence", "uses", "answer"] });
}

/** @param total number of pending writes, including those not shown */
export function renderOutbox(rows: readonly OutboxEntry[], total: number, options: RenderOptions): string {
  if (total === 0) return "There are no pending index writes.";
  const header = ["pending since (UTC)", "next attempt", "attempts", "collection", "last error", "document"];
  const cells = rows.map((row) => [
    minuteOf(row.created_at),
    minuteOf(row.next_attempt_at),
    String(row.attempts),
    row.collection,
    row.last_error ?? "-",
    row.document_id,
  ]);
  return [
    renderTable(header, cells, { ...options, whole: ["document"], optional: ["last error", "attempts"] }),
    "",
    `${total} in all.`,
  ].join("\n");
}

/** What a query recalls, each hit with the parts of its score. */
export function renderSearch(result: MemorySearchResult, options: RenderOptions): string {
  const writer = createWriter(options);
  const item = (text: string, first?: string) => writer.block(oneLine(text), 5, first);
  const hit = (first: string, score: string, rest: readonly string[]) => [
    ...item(first, "   - "),
    ...[score, ...rest].flatMap((text) => item(text)),
  ];
  const sectionOf = (title: string, hits: readonly string[][]) =>
    hits.length > 0 ? ["", ...section(writer, title, hits.flat())] : [];
  const { domain, incidents, past_answers, procedure, warnings } = result;
  const isNothing = incidents.length + past_answers.length === 0 && procedure === null;
  return [
    `Domain: ${domain.name} (${oneLine(domain.rule)}).`,
    ...(isNothing ? ["Nothing alike is on record."] : []),
    ...sectionOf(
      "Past incidents",
      incidents.map((incident) =>
        hit(
          withStruck(textParts(describeHit(incident)), (former) => `~~${former}~~`),
          incidentScore(incident),
          [...likenessLines(incident), incident.id],
        ),
      ),
    ),
    ...sectionOf(
      "Past answers",
      past_answers.map((pastAnswer) => hit(pastAnswer.question, pastAnswerScore(pastAnswer), [pastAnswer.answer])),
    ),
    ...sectionOf(
      "Approach",
      procedure === null
        ? []
        : [hit(procedure.query, procedureScore(procedure), [procedure.strategy, procedure.answer])],
    ),
    ...sectionOf(
      "Warnings",
      warnings.map((warning) => item(warning.message, "   ! ")),
    ),
  ].join("\n");
}

function incidentScore({ score, probability, ranking }: IncidentHit): string {
  const { quality, adjust, decay } = ranking;
  return `${score.toFixed(2)} = ${probability.toFixed(2)} probability × (0.7 + 0.3 × ${quality.toFixed(2)} quality) × ${adjust.toFixed(2)} adjust × ${decay.toFixed(2)} decay`;
}

function pastAnswerScore({ score, ranking: { cosine, rating, session, decay } }: PastAnswerHit): string {
  const part = (value: number, name: string) => `${value < 0 ? "−" : "+"} ${Math.abs(value).toFixed(2)} ${name}`;
  return `${score.toFixed(2)} = (${cosine.toFixed(2)} cosine ${part(rating, "rating")} ${part(session, "session")}) × ${decay.toFixed(2)} decay`;
}

function procedureScore({ cosine, confidence, use_count }: ProcedureHit): string {
  return `${cosine.toFixed(2)} cosine, ${confidence.toFixed(2)} confidence, used ${use_count.toFixed(1)} times`;
}

/** `api-gateway`, or `api-gateway +2` for three services. */
function servicesOf({ target, targets }: ObservationEntry): string {
  const first = targets[0] ?? target ?? "-";
  return targets.length > 1 ? `${first} +${targets.length - 1}` : first;
}

/** `Raised the limit (2 of 3)`: the current fix, and how often it helped. */
function fixOf({ resolution, fixes }: ObservationEntry): string {
  const fix = fixes.find(({ text, retired }) => retired === null && text === resolution);
  return fix === undefined ? (resolution ?? "-") : `${fix.text} (${fix.worked} of ${fix.tried})`;
}

function stateOf({ is_summary, summary_id, compressed_at }: PastAnswerEntry): string {
  if (is_summary) return "summary";
  if (compressed_at !== null) return "summarised";
  return summary_id === null ? "in use" : "being summarised";
}
