// Owns the reading of memory for people: every layer a page at a time, without the columns that only the machinery needs.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { DOMAIN_NAMES, type DomainName } from "../schemas/domain.ts";
import { SEVERITIES } from "../schemas/incident.ts";

export const observationEntrySchema = z.object({
  id: z.string().describe("The id of the incident that it was first reported as."),
  domain: z.enum(DOMAIN_NAMES),
  created_at: z.string().describe("When the text was written."),
  incident_id: z.string().describe("The incident whose investigation the text tells."),
  title: z.string(),
  narrative: z.string(),
  facts: z.array(z.string()),
  task: z.string(),
  task_type: z.string(),
  target: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  final_score: z.number().nullable().describe("Confidence × 10; null where no investigation finished."),
  quality: z.number().nullable().describe("`manual_quality`, else 1 or -1 by whether the answer worked."),
  manual_quality: z.number().nullable().describe("A person's judgement, -1 to 2."),
  written_by: z.string().describe("`extractive`, or the model that compressed it."),
  occurrences: z.number().int(),
  first_seen_at: z.string(),
  last_seen_at: z.string(),
  seen_at: z.array(z.string()).describe("The last 20 reports, oldest first."),
  resolution: z.string().nullable(),
  resolved_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
  resolved_incident_id: z.string().nullable(),
  worked: z.boolean().nullable().describe("Whether Dejavu's answer led to the fix; null where nobody said."),
  superseded: z
    .array(
      z.object({
        resolution: z.string(),
        resolved_by: z.string().nullable(),
        resolved_at: z.string(),
        incident_id: z.string().nullable(),
        superseded_at: z.string(),
      }),
    )
    .describe("Fixes that a newer one retired, newest first."),
});
export type ObservationEntry = z.infer<typeof observationEntrySchema>;

export const pastAnswerEntrySchema = z.object({
  id: z.string(),
  domain: z.enum(DOMAIN_NAMES),
  session_id: z.string(),
  triage_id: z.string().nullable().describe("Null for a summary."),
  created_at: z.string(),
  question: z.string(),
  answer: z.string(),
  rating: z.number().int().describe("Thumbs up less thumbs down."),
  is_summary: z.boolean(),
  summary_id: z.string().nullable().describe("The summary that stands for it."),
  compressed_at: z.string().nullable().describe("When it left the index in favour of the summary."),
});
export type PastAnswerEntry = z.infer<typeof pastAnswerEntrySchema>;

export const sessionSchema = z.object({
  session_id: z.string(),
  domain: z.enum(DOMAIN_NAMES),
  last_turn_at: z.string(),
  raw_count: z.number().int().describe("Memories that no summary stands for."),
  summary_count: z.number().int(),
});
export type Session = z.infer<typeof sessionSchema>;

export const procedureEntrySchema = z.object({
  id: z.string(),
  domain: z.enum(DOMAIN_NAMES),
  query: z.string(),
  strategy: z.string(),
  answer: z.string().describe("Its first 300 characters."),
  confidence: z.number(),
  use_count: z.number().describe("How often it was the way; halves while it is not used."),
  triage_id: z.string().nullable(),
  created_at: z.string(),
  last_used_at: z.string(),
  archived_at: z.string().nullable().describe("When it left recall, for want of use."),
});
export type ProcedureEntry = z.infer<typeof procedureEntrySchema>;

export const outboxEntrySchema = z.object({
  id: z.number().int(),
  collection: z.string(),
  document_id: z.string(),
  created_at: z.string(),
  attempts: z.number().int(),
  next_attempt_at: z.string(),
  last_error: z.string().nullable().describe("A system and a code."),
});
export type OutboxEntry = z.infer<typeof outboxEntrySchema>;

export const auditEventSchema = z.object({
  id: z.number().int(),
  at: z.string(),
  action: z.string(),
  kind: z.string(),
  subject_id: z.string().describe("Of a session its SHA-256; of a request what its path names."),
  actor: z.string().nullable().describe("The id of the caller's token, or `service`; null where nobody was recorded."),
  request_id: z.string().nullable(),
  detail: z
    .record(z.string(), z.union([z.number(), z.string(), z.array(z.string())]))
    .describe("How many records of each layer were removed; a new token's scopes; a request's method, route, status."),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

/** The last row of the page before, newest first. */
export interface Place {
  readonly at: string;
  readonly id: string;
}

export interface PageOf<T> {
  readonly limit: number;
  readonly after: T | undefined;
  readonly domain?: DomainName | undefined;
}

/** Last seen first. @throws DependencyError */
export async function listObservations(database: Database, page: PageOf<Place>): Promise<ObservationEntry[]> {
  return database.call("list_observations", pageArgs(page), z.array(observationEntrySchema), { retries: 1 });
}

/** @throws DependencyError */
export async function getObservation(database: Database, id: string): Promise<ObservationEntry | null> {
  return database.call("get_observation", { p_id: id }, observationEntrySchema.nullable(), { retries: 1 });
}

/** Summaries too, newest first. @throws DependencyError */
export async function listPastAnswers(
  database: Database,
  page: PageOf<Place> & { readonly sessionId?: string | undefined },
): Promise<PastAnswerEntry[]> {
  const session = page.sessionId !== undefined ? { p_session_id: page.sessionId } : {};
  return database.call("list_memories", { ...pageArgs(page), ...session }, z.array(pastAnswerEntrySchema), {
    retries: 1,
  });
}

/** Last used first; a session has a row for each domain. @throws DependencyError */
export async function listSessions(
  database: Database,
  { limit, after }: PageOf<Place & { readonly domain: DomainName }>,
): Promise<Session[]> {
  const place = after ? { p_before_at: after.at, p_before_id: after.id, p_before_domain: after.domain } : {};
  return database.call("list_sessions", { p_limit: limit, ...place }, z.array(sessionSchema), { retries: 1 });
}

/** Archived ones too, last used first. @throws DependencyError */
export async function listProcedures(database: Database, page: PageOf<Place>): Promise<ProcedureEntry[]> {
  return database.call("list_procedures", pageArgs(page), z.array(procedureEntrySchema), { retries: 1 });
}

export const pendingAnnotationsSchema = z.object({
  owed: z.number().int().describe("Votes that are still to be posted to Phoenix."),
  given_up: z.number().int().describe("Votes that Phoenix did not take."),
});
const outboxSchema = z.object({
  owed: z.array(outboxEntrySchema),
  total: z.number().int(),
  annotations: pendingAnnotationsSchema,
});

/** Memory writes that are owed, oldest first, and how many there are in all. @throws DependencyError */
export async function listOutbox(
  database: Database,
  { limit, after }: PageOf<number>,
): Promise<z.infer<typeof outboxSchema>> {
  const place = after !== undefined ? { p_after_id: after } : {};
  return database.call("list_outbox", { p_limit: limit, ...place }, outboxSchema, { retries: 1 });
}

/** Newest first. @throws DependencyError */
export async function listAuditEvents(database: Database, { limit, after }: PageOf<number>): Promise<AuditEvent[]> {
  const place = after !== undefined ? { p_before_id: after } : {};
  return database.call("list_audit_events", { p_limit: limit, ...place }, z.array(auditEventSchema), { retries: 1 });
}

function pageArgs({ limit, after, domain }: PageOf<Place>) {
  return {
    p_limit: limit,
    ...(after ? { p_before_at: after.at, p_before_id: after.id } : {}),
    ...(domain !== undefined ? { p_domain: domain } : {}),
  };
}
