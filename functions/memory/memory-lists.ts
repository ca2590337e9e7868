// Pages of each memory layer, of the outbox and of the audit log, without internal columns.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { failureIdSchema, failureSignatureSchema } from "../schemas/failure-signature.ts";
import { fixSchema } from "../schemas/fix.ts";
import { SEVERITIES } from "../schemas/incident.ts";
import { explainRecord } from "./explain-record.ts";

/** Of the schema below. */
export const OBSERVATION_EXAMPLE = {
  id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
  domain: "docker",
  created_at: "2026-03-01T03:03:00+00:00",
  incident_id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
  title: "api-gateway container exited with code 137",
  narrative: "Covered oom killed on api-gateway in the docker domain.",
  facts: ["Type: oom_killed", "Target: api-gateway", "Outcome: Known failure, 86 %"],
  task: "api-gateway container exited with code 137",
  task_type: "oom_killed",
  target: "api-gateway",
  severity: "high",
  tools_used: "runbooks,incidents,past_answers,procedures,language_model",
  final_score: 8.6,
  effective_review_score: 1,
  review_score: null,
  written_by: "extractive",
  occurrences: 2,
  first_seen_at: "2026-03-01T03:00:00+00:00",
  last_seen_at: "2026-03-01T03:03:00+00:00",
  seen_at: ["2026-03-01T03:00:00+00:00", "2026-03-01T03:03:00+00:00"],
  resolution: "Raised the memory limit to 1 GiB and fixed the cache leak.",
  resolved_by: "dana",
  resolved_at: "2026-03-01T03:07:00+00:00",
  resolved_incident_id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
  worked: true,
  signature: {
    version: 1,
    basis: "error_lines",
    alert: null,
    kind: "container",
    codes: ["exit 137", "OOMKilled"],
    templates: [{ text: "memory cgroup out of memory killed process *", weight: 0.9 }],
    mechanisms: { "memory-exhausted": 0.9 },
  },
  targets: ["api-gateway"],
  fixes: [
    {
      id: "b0a4c2de-6f1e-4d3c-9a57-3f2a1e5d7c90",
      text: "Raised the memory limit to 1 GiB and fixed the cache leak.",
      fingerprint: "5f0c2b7a9d1e4c3f8a6b0d2e7c5f9a1b3d8e6c4a2f0b7d9e1c5a3f8b6d4e2c0a",
      conditions: null,
      tried: 1,
      worked: 1,
      first_at: "2026-03-01T03:07:00+00:00",
      last_at: "2026-03-01T03:07:00+00:00",
      last_worked_at: "2026-03-01T03:07:00+00:00",
      last_worked_by: "dana",
      imported_from: null,
      retired: null,
      came_back_at: null,
    },
  ],
  shown_count: 1,
  helped_count: 1,
  why: [
    "Identified by 1 error line: the same line on any service is the same failure.",
    "2 reports on 1 service share its error lines.",
    "Shown 1 time, it helped 1 time.",
  ],
};

export const observationEntrySchema = z
  .object({
    id: z.string().describe("Id of the incident that first reported the failure."),
    domain: z.string(),
    created_at: z.string().describe("Time when the text was written."),
    incident_id: z.string().describe("Incident whose investigation the text describes."),
    title: z.string(),
    narrative: z.string(),
    facts: z.array(z.string()),
    task: z.string(),
    task_type: z.string(),
    target: z.string().nullable(),
    severity: z.enum(SEVERITIES),
    tools_used: z
      .string()
      .describe("Comma-joined names of the sources that the investigation asked; empty where none finished."),
    final_score: z.number().nullable().describe("Confidence × 10; null where no investigation finished."),
    effective_review_score: z
      .number()
      .nullable()
      .describe("`review_score`, else 1 or -1 by whether the answer worked."),
    review_score: z.number().nullable().describe("The score of a person's review, -1 to 2; null without one."),
    written_by: z.string().describe("`extractive`, or the model that summarised it."),
    occurrences: z.number().int(),
    first_seen_at: z.string(),
    last_seen_at: z.string(),
    seen_at: z.array(z.string()).describe("The last 20 reports, oldest first."),
    resolution: z.string().nullable(),
    resolved_by: z.string().nullable(),
    resolved_at: z.string().nullable(),
    resolved_incident_id: z.string().nullable(),
    worked: z.boolean().nullable().describe("Whether Dejavu's answer led to the fix; null if not reported."),
    signature: failureSignatureSchema.omit({ words: true }).describe("What identifies the failure."),
    failure_id: failureIdSchema.optional().describe("In the list: equal for records of one failure, by the answers."),
    targets: z.array(z.string()).describe("Services that it was seen on, newest first, at most 20."),
    fixes: z
      .array(fixSchema)
      .describe("Active fixes first, then retired ones, then those that never helped; newest first, at most 10."),
    shown_count: z.number().int().describe("Incidents whose answers showed it."),
    helped_count: z.number().int().describe("Those of them that it helped."),
    why: z.array(z.string()).describe("Why the record is as it is, in plain sentences."),
  })
  .meta({ example: OBSERVATION_EXAMPLE });
export type ObservationEntry = z.infer<typeof observationEntrySchema>;

/** An observation as the SQL functions return it. */
export const observationRowSchema = observationEntrySchema
  .omit({ why: true })
  .transform((row): ObservationEntry => ({ ...row, why: explainRecord(row) }));

export const pastAnswerEntrySchema = z
  .object({
    id: z.string(),
    domain: z.string(),
    session_id: z.string(),
    triage_id: z.string().nullable().describe("Null for a summary."),
    incident_id: z.string().nullable().describe("Incident that it answers; null for a summary."),
    created_at: z.string(),
    question: z.string(),
    answer: z.string(),
    net_rating: z.number().int().describe("Thumbs up minus thumbs down."),
    is_summary: z.boolean(),
    summary_id: z.string().nullable().describe("Summary that contains it."),
    compressed_at: z.string().nullable().describe("Time when the summary replaced it in the index."),
  })
  .meta({
    example: {
      id: "5b0f7c0e-94a1-4c5e-9a57-0a2f6c1d7e11",
      domain: "docker",
      session_id: "on-call-2026-03-01",
      triage_id: "5b0f7c0e-94a1-4c5e-9a57-0a2f6c1d7e11",
      incident_id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
      created_at: "2026-03-01T03:00:00+00:00",
      question: "api-gateway container exited with code 137",
      answer: "Fixed by: Raised the memory limit to 1 GiB and fixed the cache leak. (dana)",
      net_rating: 1,
      is_summary: false,
      summary_id: null,
      compressed_at: null,
    },
  });
export type PastAnswerEntry = z.infer<typeof pastAnswerEntrySchema>;

export const memorySessionSchema = z
  .object({
    session_id: z.string(),
    domains: z.array(z.string()).describe("Domains of its past answers."),
    last_turn_at: z.string(),
    raw_count: z.number().int().describe("Past answers that no summary contains."),
    summary_count: z.number().int(),
  })
  .meta({
    example: {
      session_id: "on-call-2026-03-01",
      domains: ["docker", "redis"],
      last_turn_at: "2026-03-01T03:03:00+00:00",
      raw_count: 4,
      summary_count: 0,
    },
  });
export type Session = z.infer<typeof memorySessionSchema>;

export const procedureEntrySchema = z
  .object({
    id: z.string(),
    domain: z.string(),
    query: z.string(),
    strategy: z.string(),
    answer: z.string().describe("Its first 300 characters."),
    confidence: z.number(),
    use_count: z.number().describe("Number of uses; it halves for each period without use."),
    triage_id: z.string().nullable(),
    incident_id: z.string().nullable().describe("Incident whose answer it is; null once that is deleted."),
    created_at: z.string(),
    last_used_at: z.string(),
    archived_at: z.string().nullable().describe("Time when it left recall because it was not used."),
  })
  .meta({
    example: {
      id: "a6d0a1f4-7d4b-4d0b-8f0e-64f9d1b7f0c3",
      domain: "docker",
      query: "oom killed container exited with code 137",
      strategy: "retrieval_hits=5, memory_hits=2, reflected=false",
      answer: "The process reached the container's memory limit. Raise the limit and cap the heap.",
      confidence: 0.82,
      use_count: 3,
      triage_id: "5b0f7c0e-94a1-4c5e-9a57-0a2f6c1d7e11",
      incident_id: "6c1d2e90-3b5f-4a7c-8e21-9d0f4b7a5c33",
      created_at: "2026-02-11T14:20:00+00:00",
      last_used_at: "2026-02-18T09:05:00+00:00",
      archived_at: null,
    },
  });
export type ProcedureEntry = z.infer<typeof procedureEntrySchema>;

export const outboxEntrySchema = z
  .object({
    id: z.number().int(),
    collection: z.string(),
    document_id: z.string(),
    created_at: z.string(),
    attempts: z.number().int(),
    next_attempt_at: z.string(),
    last_error: z.string().nullable().describe("The dependency and the failure code."),
  })
  .meta({
    example: {
      id: 4711,
      collection: "incidents",
      document_id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
      created_at: "2026-03-01T03:00:00+00:00",
      attempts: 2,
      next_attempt_at: "2026-03-01T03:04:00+00:00",
      last_error: "vector_store timeout",
    },
  });
export type OutboxEntry = z.infer<typeof outboxEntrySchema>;

export const auditEventSchema = z
  .object({
    id: z.number().int(),
    at: z.string(),
    action: z.string(),
    kind: z.string(),
    subject_id: z.string().describe("For a session, the SHA-256 of its id; for a request, the parameters of its path."),
    actor: z.string().nullable().describe("Id of the caller's token, or `service`; null if none was recorded."),
    request_id: z.string().nullable(),
    detail: z
      .record(z.string(), z.union([z.number(), z.string(), z.array(z.string())]))
      .describe("Number of deleted records in each layer; a new token's scopes; a request's method, route and status."),
  })
  .meta({
    example: {
      id: 12,
      at: "2026-03-01T03:07:00+00:00",
      action: "changed",
      kind: "request",
      subject_id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
      actor: "service",
      request_id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
      detail: { method: "POST", route: "/v1/incidents/:id/resolve", status: 200 },
    },
  });
export type AuditEvent = z.infer<typeof auditEventSchema>;

/** The last row of the page before, newest first. */
export interface PagePlace {
  readonly at: string;
  readonly id: string;
}

export interface PageOf<T> {
  readonly limit: number;
  readonly after: T | undefined;
  readonly domain?: string | undefined;
  /** Only records that contain it, in any case. */
  readonly text?: string | undefined;
}

/** Last seen first. @throws DependencyError */
export async function listObservations(database: Database, page: PageOf<PagePlace>): Promise<ObservationEntry[]> {
  return database.call("list_observations", pageArgs(page), z.array(observationRowSchema), { retries: 1 });
}

/** Includes summaries; newest first. @throws DependencyError */
export async function listPastAnswers(
  database: Database,
  page: PageOf<PagePlace> & { readonly sessionId?: string | undefined },
): Promise<PastAnswerEntry[]> {
  const session = page.sessionId !== undefined ? { p_session_id: page.sessionId } : {};
  return database.call("list_past_answers", { ...pageArgs(page), ...session }, z.array(pastAnswerEntrySchema), {
    retries: 1,
  });
}

/** Those whose id begins with the prefix, if there is one; last used first. @throws DependencyError */
export async function listSessions(
  database: Database,
  { limit, after, prefix }: PageOf<PagePlace> & { readonly prefix: string | null },
): Promise<Session[]> {
  const place = after ? { p_before_at: after.at, p_before_id: after.id } : {};
  const args = { p_limit: limit, ...place, ...(prefix === null ? {} : { p_prefix: prefix }) };
  return database.call("list_sessions", args, z.array(memorySessionSchema), { retries: 1 });
}

/** Includes archived procedures; last used first. @throws DependencyError */
export async function listProcedures(database: Database, page: PageOf<PagePlace>): Promise<ProcedureEntry[]> {
  return database.call("list_procedures", pageArgs(page), z.array(procedureEntrySchema), { retries: 1 });
}

export const pendingAnnotationsSchema = z
  .object({
    pending: z.number().int().describe("Ratings that are not yet posted to the trace server."),
    given_up: z.number().int().describe("Ratings that the trace server refused."),
  })
  .meta({ example: { pending: 1, given_up: 0 } });
const outboxSchema = z.object({
  pending: z.array(outboxEntrySchema),
  total: z.number().int(),
  annotations: pendingAnnotationsSchema,
});

/** Pending index writes, oldest first, with their total number. @throws DependencyError */
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

function pageArgs({ limit, after, domain, text }: PageOf<PagePlace>) {
  return {
    p_limit: limit,
    ...(after ? { p_before_at: after.at, p_before_id: after.id } : {}),
    ...(domain !== undefined ? { p_domain: domain } : {}),
    ...(text !== undefined ? { p_text: text } : {}),
  };
}
