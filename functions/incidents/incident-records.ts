// Stored incidents: their rows, reading, finding and listing them, and the conversion of a row to an Incident.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { storedFixSchema } from "../memory/fixes.ts";
import { observationSchema } from "../memory/observation.ts";
import { failureIdSchema } from "../schemas/failure-signature.ts";
import { importedSchema } from "../schemas/imported.ts";
import { type Incident, SEVERITIES } from "../schemas/incident.ts";
import { INCIDENT_STATUSES } from "../schemas/incident-values.ts";
import { OUTCOME_WORDS, OUTCOMES } from "../schemas/outcome.ts";
import { type TriageResult, triageResultSchema } from "../schemas/triage-result.ts";
import { withEvidence } from "./create-incident.ts";
import { incidentAlertsSchema, placeSchema } from "./grouped-alerts.ts";

export const incidentRowSchema = z.object({
  id: z.string(),
  created_at: z.string(),
  title: z.string(),
  reported_title: z
    .string()
    .nullable()
    .describe("The title of the report, if a person edited it or it names a group of alerts; null otherwise."),
  question: z.string().nullable(),
  target: z.string().nullable(),
  runbook: z.string().nullable().describe("Runbook that the reporter attached."),
  expression: z.string().nullable().describe("Expression of the alerting rule, in PromQL."),
  severity: z.enum(SEVERITIES),
  labels: z.record(z.string(), z.string()),
  session_id: z.string(),
  domain: z.string(),
  domain_rule: z.string(),
  answer_domain: z
    .string()
    .nullable()
    .describe(
      "The domain of the runbook on which the latest answer rests; the list is filtered by it. Null without one.",
    ),
  incident_type: z.string(),
  incident_type_rule: z.string(),
  status: z.enum(INCIDENT_STATUSES),
  resolution: z.string().nullable(),
  resolved_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
  worked: z.boolean().nullable().describe("Whether Dejavu's answer led to the fix; null if not reported."),
  owner: z.string().nullable().describe("The person who has it; null for nobody."),
  acknowledged_at: z.string().nullable(),
  acknowledged_by: z.string().nullable(),
  reported_by: z
    .string()
    .nullable()
    .describe("Id of the caller's token, or a fixed name such as `service`, `slack` or `pagerduty`."),
  previous_id: z.string().nullable().describe("Earlier incident that the same alert created."),
  benign: z
    .boolean()
    .describe("True for a watchdog, a test alert or a healthy system. Such incidents are never recalled."),
  merged_into: z.string().nullable().describe("The incident that it was merged into, which has its alerts."),
  split_from: z.string().nullable().describe("The incident that it was split off from."),
  imported: importedSchema.nullable().describe("Where it was imported from; null if it was reported here."),
});
export type IncidentRow = z.infer<typeof incidentRowSchema>;

export const incidentMuteSchema = z
  .object({ id: z.string(), reason: z.string(), owner: z.string(), ends_at: z.string() })
  .nullable()
  .describe("The mute that ends last. It may have ended.");

/** What the list shows of an incident in addition to its row. */
export const incidentSummarySchema = z.object({
  alerts: z
    .object({ total: z.number().int(), firing: z.number().int(), source: z.string().nullable(), place: placeSchema })
    .describe(
      "Number of alerts grouped into the incident, and of those that still fire; the system that sent them; where they fire, such as `15 services`. None if a person reported it.",
    ),
  started_at: z.string().describe("The earliest beginning of its alerts, else its report."),
  last_activity_at: z.string().describe("The latest event of its timeline, or notification of one of its alerts."),
  latest_triage: z
    .object({
      id: z.string(),
      created_at: z.string(),
      mode: z.enum(["extractive", "model"]),
      outcome: z.enum(OUTCOMES).describe(OUTCOME_WORDS),
      confidence: z.number(),
      failure: z
        .string()
        .nullable()
        .describe(
          "Of a known failure, the title of the runbook, else of the past incident, on which the answer rests.",
        ),
      corrected: z.boolean().describe("Whether a person corrected its cause, a step or its runbook since."),
    })
    .nullable()
    .describe("The latest answer, in brief; null before the first."),
  failure_id: failureIdSchema,
  failure: z
    .string()
    .describe(
      "The name of that failure: the title of the runbook or the past incident, else the error line without its variable parts, else the alert with its service, else the title.",
    ),
  has_fix: z.boolean().describe("Whether a fix of this failure is recorded, by this incident or an earlier one."),
  mute: incidentMuteSchema,
});
export const incidentCountsSchema = z.object({
  total: z.number().int(),
  critical: z.number().int(),
  firing: z.number().int().describe("Open ones with an alert that fires."),
  muted: z.number().int(),
  resolved_firing: z
    .number()
    .int()
    .describe("Of all incidents, those that are resolved while an alert of theirs fires."),
});
export type IncidentCounts = z.infer<typeof incidentCountsSchema>;

const listedIncidentSchema = incidentRowSchema.extend({
  ...incidentSummarySchema.shape,
  /** The less, the more urgent; null unless the list is sorted by it or counted. */
  urgency: z.number().int().nullable(),
  /** Of all that match; null unless `isCounted`, and when too many match the text. */
  counts: incidentCountsSchema.nullable(),
});
export type ListedIncident = z.infer<typeof listedIncidentSchema>;

export const incidentEventSchema = z.object({
  at: z.string(),
  kind: z
    .string()
    .describe(
      "Such as `reported`, `alert_grouped`, `triaged`, `acknowledged`, `commented`, `edited`, `muted`, `merged`, `split`, `tried`, `failed`, `resolved`, `reopened`, `corrected`, `domain_corrected`, `notification_failed` or `fix_checked`.",
    ),
  detail: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]))
    .describe("Facts of this kind of event, such as `rule`, `alerts`, `outcome` or `reason`."),
});

/** A step that a person ticked or unticked. */
export const tickedStepSchema = z.object({
  key: z.string(),
  done: z.boolean(),
  by: z.string().nullable(),
  at: z.string(),
});
export type TickedStep = z.infer<typeof tickedStepSchema>;

export const activeRunSchema = z.object({
  started_at: z.string(),
  attempt: z.number().int().describe("Number of its runs, this one included."),
});

export const daysSeenSchema = z
  .array(z.object({ day: z.string(), reports: z.number().int() }))
  .describe("The last 30 days (UTC) with reports of this failure, newest first.");

export const incidentWithHistorySchema = z.object({
  incident: incidentRowSchema.extend({
    logs: z.string().nullable(),
    /** Since when it waits for its first or next run. */
    queued_at: z.string().nullable(),
    /** Caller who recorded the resolution; null without one. */
    resolved_by_caller: z.string().nullable(),
  }),
  events: z.array(incidentEventSchema),
  alerts: incidentAlertsSchema,
  triage: z.unknown(),
  observation: observationSchema.nullable(),
  /** Present fixes of the other records that its answers showed. */
  shown_fixes: z.array(storedFixSchema),
  steps: z.array(tickedStepSchema),
  run: activeRunSchema.nullable(),
  mute: incidentMuteSchema,
  days_seen: daysSeenSchema,
  /** Incidents that were merged into it, and whose failure has a record of its own. */
  merged_ids: z.array(z.string()),
});
export type IncidentWithHistory = z.infer<typeof incidentWithHistorySchema>;

export interface StoredTriage {
  /** The latest triage result; null before the first, and for a result that cannot be read. */
  readonly triage: TriageResult | null;
  /** Whether there is a stored result with a shape that this version cannot read. */
  readonly isUnreadable: boolean;
}

/** Parses the latest stored triage result. Never throws. */
export function storedTriage({ triage }: Pick<IncidentWithHistory, "triage">): StoredTriage {
  if (triage === null || triage === undefined) return { triage: null, isUnreadable: false };
  const parsed = triageResultSchema.safeParse(triage);
  return { triage: parsed.data ?? null, isUnreadable: !parsed.success };
}

/** @throws DependencyError */
export async function getIncident(database: Database, id: string): Promise<IncidentWithHistory | null> {
  return database.call("get_incident", { p_id: id }, incidentWithHistorySchema.nullable(), { retries: 1 });
}

export interface IncidentPage {
  readonly limit: number;
  /** The last row of the previous page. */
  readonly before: { readonly at: string; readonly id: string; readonly urgency?: number } | null;
  /** Firing ones first, then by severity, then those that began last. */
  readonly isUrgentFirst?: boolean;
  readonly isCounted?: boolean;
  /** Began at or after, ISO 8601. */
  readonly since?: string | undefined;
  /** Began before, ISO 8601. */
  readonly until?: string | undefined;
  readonly domain?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  /** Only those with an alert that fires. */
  readonly isFiring?: boolean;
  readonly target?: string | undefined;
  /** The target, or a label `service`, `app` or `job`. */
  readonly service?: string | undefined;
  readonly severity?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The first hex digits of the id, without hyphens. */
  readonly digits?: string | undefined;
  /** Words, each of which begins a word of title, question, target, labels or log. */
  readonly text?: string | undefined;
  /** Mutes that have ended do not count. */
  readonly now: Date;
}

/** Newest first, unless the most urgent are. @throws DependencyError */
export async function listIncidents(database: Database, page: IncidentPage): Promise<ListedIncident[]> {
  return database.call(
    "list_incidents",
    {
      p_limit: page.limit,
      p_now: page.now.toISOString(),
      ...(page.before ? { p_before_at: page.before.at, p_before_id: page.before.id } : {}),
      ...(page.before?.urgency !== undefined ? { p_after_urgency: page.before.urgency } : {}),
      ...(page.isUrgentFirst ? { p_urgent: true } : {}),
      ...(page.isCounted ? { p_counted: true } : {}),
      ...(page.since !== undefined ? { p_since: page.since } : {}),
      ...(page.until !== undefined ? { p_until: page.until } : {}),
      ...(page.domain !== undefined ? { p_domain: page.domain } : {}),
      ...(page.statuses !== undefined ? { p_statuses: [...page.statuses] } : {}),
      ...(page.isFiring ? { p_firing: true } : {}),
      ...(page.target !== undefined ? { p_target: page.target } : {}),
      ...(page.service !== undefined ? { p_service: page.service } : {}),
      ...(page.severity !== undefined ? { p_severity: page.severity } : {}),
      ...(page.sessionId !== undefined ? { p_session_id: page.sessionId } : {}),
      ...(page.digits !== undefined ? { p_hex: page.digits } : {}),
      ...(page.text !== undefined ? { p_text: page.text } : {}),
    },
    z.array(listedIncidentSchema),
    { retries: 1 },
  );
}

/** The rule of a domain that a person chose begins with these words. */
export const CORRECTED_BY = "corrected by";

export function incidentOf(row: IncidentRow & { readonly logs: string | null }): Incident {
  return withEvidence({
    id: row.id,
    createdAt: new Date(row.created_at),
    title: row.reported_title ?? row.title,
    question: row.question,
    searchQuery: null,
    target: row.target,
    severity: row.severity,
    labels: row.labels,
    logs: row.logs,
    runbook: row.runbook,
    expression: row.expression,
    reportedBy: row.reported_by,
    sessionId: row.session_id,
    // A run routes the incident again, with the domains of today, unless a person chose the domain.
    domain: { ...storedRoute(row), preferred: {}, excluded: [] },
    type: { name: row.incident_type, rule: row.incident_type_rule },
  });
}

function storedRoute({ domain, domain_rule }: IncidentRow) {
  const isCorrected = domain_rule.startsWith(CORRECTED_BY);
  const decidedBy = isCorrected ? ("caller" as const) : ("none" as const);
  return { name: domain, rule: domain_rule, decidedBy, limitsSearch: isCorrected, isFirm: isCorrected };
}

/** Least number of hex digits: as many as a UUID has before its first hyphen. */
const MIN_NAME_LENGTH = 8;
const DIGITS_OF_AN_ID = 32;

export type FoundIncident =
  | { readonly state: "found"; readonly id: string }
  | { readonly state: "none" }
  | { readonly state: "ambiguous" };

/**
 * The digits of such a name in lower case, without hyphens; undefined for any other text.
 * @param minLength least number of digits
 */
export function incidentDigits(name: string, minLength: number = MIN_NAME_LENGTH): string | undefined {
  const digits = name.toLowerCase().replaceAll("-", "");
  const isName = /^[0-9a-f]+$/.test(digits) && digits.length >= minLength && digits.length <= DIGITS_OF_AN_ID;
  return isName ? digits : undefined;
}

/** @param digits of `incidentDigits` @throws DependencyError */
export async function findIncident(database: Database, digits: string): Promise<FoundIncident> {
  const ids = await database.call("find_incidents", { p_hex: digits, p_limit: 2 }, z.array(z.uuid()), { retries: 1 });
  const [id, another] = ids;
  if (id === undefined) return { state: "none" };
  return another === undefined ? { state: "found", id } : { state: "ambiguous" };
}
