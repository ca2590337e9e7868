// Owns the result of a triage, as it is stored and as every front door returns it. One schema gives the type, the
// validation of a stored result and the API document.

import { z } from "zod";
import { DOMAIN_NAMES } from "../domains/domain.ts";
import { INJECTION_CATEGORIES } from "../guardrails/injection.ts";
import { SEVERITIES } from "../memory/incident.ts";

const citations = z
  .array(z.string())
  .min(1)
  .describe("Ids of recalled runbook chunks or past incidents that this rests on.");

const statementSchema = z.object({ text: z.string(), citations });

const stepSchema = z.object({
  text: z.string(),
  command: z.string().nullable().describe("What to run; placeholders are in <angle brackets>."),
  effect: z.enum(["read_only", "changes_state"]).nullable().describe("Null where the runbook does not say."),
  undo: z.string().nullable().describe("How to take the step back."),
  citations,
});

const contributionSchema = z.object({
  rank: z.number().int().positive().describe("Place in this search's own list, from 1."),
  value: z.number().describe("What the search added to the score."),
});

const explanationSchema = z.object({
  score: z.number().describe("Fused score: the sum of the signals' values."),
  signals: z.object({
    type: contributionSchema.optional().describe("It is about the recognised type of incident."),
    dense: contributionSchema.extend({ distance: z.number().describe("Cosine distance, 0 to 2.") }).optional(),
    bm25: contributionSchema
      .extend({
        score: z.number().describe("Okapi BM25: the sum of the terms."),
        terms: z.record(z.string(), z.number()).describe("What each term of the query added."),
      })
      .optional(),
  }),
  grounding: z.number().min(0).max(1).describe("How well it covers what was asked."),
  relevant: z.boolean().describe("Whether the grounding reaches the threshold; only then it is part of the answer."),
});

const runbookHitSchema = explanationSchema.extend({
  id: z.string(),
  source: z.string(),
  title: z.string(),
  heading: z.string().describe("Headings above the chunk; empty for the introduction."),
  text: z.string(),
});

const incidentHitSchema = explanationSchema.extend({
  id: z.string(),
  title: z.string(),
  target: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  incident_type: z.string(),
  reported_at: z.string(),
  resolution: z.string().nullable().describe("What fixed it; null where nobody said."),
  resolved_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
});

export const warningSchema = z.object({
  code: z.enum([
    "dependency_timeout",
    "dependency_unreachable",
    "dependency_refused",
    "dependency_invalid_reply",
    "model_mismatch",
  ]),
  system: z.enum(["postgres", "chroma", "embeddings"]),
  message: z.string(),
});

export const triageResultSchema = z.object({
  triage_id: z.string(),
  incident_id: z.string(),
  session_id: z.string(),
  created_at: z.string(),
  mode: z.enum(["extractive"]),
  title: z.string(),
  target: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  domain: z.object({ name: z.enum(DOMAIN_NAMES), rule: z.string() }),
  incident_type: z.object({ name: z.string(), rule: z.string() }),
  outcome: z.enum(["cause", "unknown"]),
  confidence: z.number().min(0).max(1),
  answer: z.object({
    summary: z.object({
      text: z.string(),
      citations: z.array(z.string()).describe("Empty where the answer is Dejavu's own word that it knows nothing."),
    }),
    likely_causes: z.array(statementSchema),
    confirm: z.array(stepSchema),
    mitigate: z.array(stepSchema),
    worked_before: z.array(statementSchema),
  }),
  sources: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum(["runbook", "incident"]),
        title: z.string(),
        source: z.string().nullable(),
        heading: z.string(),
      }),
    )
    .describe("Everything that the answer cites."),
  recalled: z.object({
    runbooks: z.array(runbookHitSchema),
    incidents: z.array(incidentHitSchema),
  }),
  guardrails: z.object({
    injection_blocked: z
      .enum(INJECTION_CATEGORIES)
      .nullable()
      .describe("Why the question was not answered: it looks like an instruction to a model."),
    lines_removed: z.number().int().describe("Lines of alert text or logs that looked like instructions to a model."),
    redacted: z.record(z.string(), z.number().int()).describe("Secrets and personal data replaced, by kind."),
  }),
  warnings: z.array(warningSchema),
  persisted: z.boolean(),
});

export type Statement = z.infer<typeof statementSchema>;
export type Step = z.infer<typeof stepSchema>;
export type RunbookHit = z.infer<typeof runbookHitSchema>;
export type IncidentHit = z.infer<typeof incidentHitSchema>;
export type Warning = z.infer<typeof warningSchema>;
export type TriageResult = z.infer<typeof triageResultSchema>;
