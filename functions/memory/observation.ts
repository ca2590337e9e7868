// Observations: one record for each failure, however often it recurs. Its search document is what incident recall
// finds.

import { z } from "zod";
import { readMechanisms } from "../../lib/mechanisms/read-mechanisms.ts";
import { mechanismTerms } from "../../lib/mechanisms/weigh-mechanisms.ts";
import { type FailureSignature, failureSignatureSchema, NO_SIGNATURE } from "../schemas/failure-signature.ts";
import { type Resolution, SEVERITIES, type Severity, truncate } from "../schemas/incident.ts";
import { domainOf, type SearchDocument } from "../search-index/search-document.ts";
import { type Fix, recalledFixSchema, storedFixSchema } from "./fixes.ts";
import type { ObservedReport } from "./observed-report.ts";

/** The summary of an investigation. */
export interface Compressed {
  /** One line. */
  readonly title: string;
  /** Course and conclusion in 2 to 3 sentences. */
  readonly narrative: string;
  /** 5 to 10. */
  readonly facts: readonly string[];
  /** `extractive`, or the model that wrote it. */
  readonly writtenBy: string;
}

export interface Observation extends Compressed {
  /** The id of the first incident and of the record. */
  readonly id: string;
  readonly domain: string;
  /** The fingerprint of the report that the text describes. */
  readonly fingerprint: string;
  /** What identifies that report's failure. */
  readonly signature: FailureSignature;
  readonly version: number;
  readonly taskType: string;
  readonly target: string | null;
  /** The services that it was seen on, newest first, at most 20. */
  readonly targets: readonly string[];
  readonly severity: Severity;
  /** Comma-joined names of the sources that its investigation asked; empty without one. */
  readonly toolsUsed: string;
  /** Confidence × 10, 0 to 10; null when no investigation finished. */
  readonly finalScore: number | null;
  /** The review score, −1 to 2, otherwise 1 or −1 by whether the answer worked; null without either. */
  readonly reviewScore: number | null;
  readonly occurrences: number;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** The last 20 reports, oldest first. */
  readonly seenAt: readonly Date[];
  /** The newest active fix that helped. */
  readonly resolution: Resolution | null;
  /** Active fixes first, then retired ones, then those that never helped; newest first, at most 10. */
  readonly fixes: readonly Fix[];
}

/** Embedded characters of the narrative. */
const ANALYSIS_LENGTH = 1_500;
/**
 * Characters of the resolution and of all facts in the index's metadata, which are used while Postgres is unavailable.
 */
const RESOLUTION_PREVIEW_LENGTH = 500;
const FACTS_PREVIEW_LENGTH = 3_000;
const SEARCH_WORDS_LENGTH = 3_000;

/**
 * The search document of an observation: searched by the meaning of its narrative, and by the words of narrative and
 * facts.
 */
export function observationDocument(
  observation: Pick<
    Observation,
    | "id"
    | "domain"
    | "title"
    | "narrative"
    | "facts"
    | "signature"
    | "taskType"
    | "target"
    | "severity"
    | "toolsUsed"
    | "finalScore"
    | "firstSeenAt"
    | "resolution"
  >,
): SearchDocument {
  const { id, domain, title, narrative, taskType, target, severity, finalScore, firstSeenAt, resolution } = observation;
  const parts = [headOf({ taskType, target, severity }), truncate(narrative, ANALYSIS_LENGTH)];
  if (resolution) parts.push(RESOLUTION_MARK + resolution.text);
  return {
    id,
    source: null,
    chunkIndex: null,
    title,
    headingPath: [],
    body: parts.filter((part) => part !== "").join("\n\n"),
    metadata: {
      incident_id: id,
      domain,
      title,
      target: target ?? "",
      severity,
      incident_type: taskType,
      tools_used: observation.toolsUsed,
      stored_at: firstSeenAt.toISOString(),
      facts: truncate(observation.facts.join("\n"), FACTS_PREVIEW_LENGTH),
      search_words: searchWordsOf(observation),
      ...(finalScore !== null ? { final_score: finalScore } : {}),
      resolved: resolution !== null,
      ...(resolution
        ? {
            resolution: truncate(resolution.text, RESOLUTION_PREVIEW_LENGTH),
            resolved_by: resolution.by ?? "",
            resolved_at: resolution.at.toISOString(),
          }
        : {}),
    },
    writtenAt: firstSeenAt,
  };
}

/** Words that only the keyword search reads: the mechanisms of the failure and of its fix, and the words of the log. */
function searchWordsOf({ signature, resolution }: Pick<Observation, "signature" | "resolution">): string {
  const ofFix = Object.fromEntries(readMechanisms(resolution?.text ?? ""));
  const mechanisms = new Set([...mechanismTerms(signature.mechanisms), ...mechanismTerms(ofFix)]);
  return truncate([...mechanisms, ...signature.words].join(" "), SEARCH_WORDS_LENGTH);
}

/** The observation as the index's copy has it, used while Postgres is unavailable. */
export function observationFromDocument(document: SearchDocument): Observation {
  const { stored_at, final_score, facts, ...fields } = metadataSchema.parse(document.metadata);
  const seenAt = readTime(stored_at, document.writtenAt);
  return {
    id: document.id,
    domain: domainOf(document),
    fingerprint: "",
    signature: NO_SIGNATURE,
    version: 0,
    title: document.title,
    narrative: narrativeIn(document.body, headOf({ ...fields, taskType: fields.incident_type }), fields.resolution),
    facts,
    writtenBy: "",
    taskType: fields.incident_type,
    target: fields.target,
    targets: fields.target === null ? [] : [fields.target],
    severity: fields.severity,
    toolsUsed: fields.tools_used,
    finalScore: final_score,
    reviewScore: null,
    occurrences: 1,
    firstSeenAt: seenAt,
    lastSeenAt: seenAt,
    seenAt: [seenAt],
    resolution:
      fields.resolution === null
        ? null
        : {
            text: fields.resolution,
            by: fields.resolved_by,
            at: readTime(fields.resolved_at ?? "", document.writtenAt),
          },
    fixes: [],
  };
}

/** The parts of an observation that its text is stored with. */
export type ObservationText = Compressed &
  Pick<Observation, "domain" | "taskType" | "severity" | "toolsUsed" | "finalScore">;

/** The row of an observation for the SQL functions: its text, and the report that is added to it. */
export function observationRow(observation: ObservationText, report: ObservedReport) {
  return {
    incident_id: report.incidentId,
    domain: observation.domain,
    fingerprint: report.fingerprint,
    signature: report.signature,
    signature_version: report.signature.version,
    title: observation.title,
    narrative: observation.narrative,
    facts: [...observation.facts],
    written_by: observation.writtenBy,
    task: report.task,
    task_type: observation.taskType,
    target: report.target,
    severity: observation.severity,
    tools_used: observation.toolsUsed,
    final_score: observation.finalScore,
    first_seen_at: report.reportedAt.toISOString(),
  };
}

const time = z.string().transform((value) => new Date(value));

const rowSchema = z.object({
  id: z.string(),
  domain: z.string(),
  fingerprint: z.string(),
  signature: failureSignatureSchema,
  version: z.number().int(),
  title: z.string(),
  narrative: z.string(),
  facts: z.array(z.string()),
  written_by: z.string(),
  task_type: z.string(),
  target: z.string().nullable(),
  targets: z.array(z.string()),
  severity: z.enum(SEVERITIES),
  tools_used: z.string(),
  final_score: z.number().nullable(),
  effective_review_score: z.number().nullable(),
  occurrences: z.number().int(),
  first_seen_at: time,
  seen_at: z.array(time),
  resolution: z.string().nullable(),
  resolved_by: z.string().nullable(),
  resolved_at: time.nullable(),
  fixes: z.array(storedFixSchema),
});

/** An observation as the SQL functions return it. */
export const observationSchema = rowSchema.transform(observationOf);

/** The signature of a recalled observation: its values in the order of its fields, without keys. */
const recalledSignatureSchema = z
  .tuple([
    failureSignatureSchema.shape.version,
    failureSignatureSchema.shape.basis,
    failureSignatureSchema.shape.alert,
    failureSignatureSchema.shape.kind,
    failureSignatureSchema.shape.codes,
    // Texts and weights of the templates, and words with blanks between them.
    z.array(z.string()),
    z.array(z.number()),
    z.string(),
    failureSignatureSchema.shape.mechanisms,
  ])
  .transform(
    ([version, basis, alert, kind, codes, texts, weights, words, mechanisms]): FailureSignature => ({
      ...{ version, basis, alert, kind, codes, mechanisms },
      templates: texts.map((text, i) => ({ text, weight: weights[i] ?? 0 })),
      words: words === "" ? [] : words.split(" "),
    }),
  );

/** An observation as `recalled_observation_json` returns it. */
export const recalledObservationSchema = rowSchema
  .extend({ signature: recalledSignatureSchema, fixes: z.array(recalledFixSchema) })
  .transform(observationOf);

function observationOf(row: z.infer<typeof rowSchema>): Observation {
  return {
    id: row.id,
    domain: row.domain,
    fingerprint: row.fingerprint,
    signature: row.signature,
    version: row.version,
    title: row.title,
    narrative: row.narrative,
    facts: row.facts,
    writtenBy: row.written_by,
    taskType: row.task_type,
    target: row.target,
    targets: row.targets,
    severity: row.severity,
    toolsUsed: row.tools_used,
    finalScore: row.final_score,
    reviewScore: row.effective_review_score,
    occurrences: row.occurrences,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.seen_at.at(-1) ?? row.first_seen_at,
    seenAt: row.seen_at,
    resolution:
      row.resolution === null || row.resolved_at === null
        ? null
        : { text: row.resolution, by: row.resolved_by, at: row.resolved_at },
    fixes: row.fixes,
  };
}

const textOrNull = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value === "" ? null : value));

const metadataSchema = z.object({
  target: textOrNull,
  severity: z.enum(SEVERITIES).catch("medium"),
  incident_type: z.string().catch("unknown"),
  tools_used: z.string().catch(""),
  stored_at: z.string().catch(""),
  facts: z
    .string()
    .catch("")
    .transform((text) => text.split("\n").filter((fact) => fact !== "")),
  final_score: z.number().min(0).max(10).nullable().catch(null),
  resolution: textOrNull,
  resolved_by: textOrNull,
  resolved_at: textOrNull,
});

const RESOLUTION_MARK = "Resolution: ";

function headOf({ taskType, target, severity }: Pick<Observation, "taskType" | "target" | "severity">): string {
  const lines = [`Type: ${taskType}`, ...(target !== null ? [`Target: ${target}`] : []), `Severity: ${severity}`];
  return lines.join("\n");
}

/** The narrative is between the head and the resolution, which comes last. */
function narrativeIn(body: string, head: string, resolution: string | null): string {
  const rest = body.startsWith(head) ? body.slice(head.length) : body;
  // The metadata may contain only the beginning, ending in an ellipsis.
  const beginning = resolution?.replace(/…$/, "");
  const end = beginning === undefined ? -1 : rest.lastIndexOf(`\n\n${RESOLUTION_MARK}${beginning}`);
  return (end === -1 ? rest : rest.slice(0, end)).trim();
}

function readTime(value: string, fallback: Date): Date {
  const parsed = new Date(value);
  return Number.isNaN(parsed.getTime()) ? fallback : parsed;
}
