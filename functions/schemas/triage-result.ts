// The triage result, as stored and as every endpoint returns it. One schema is the type, the validation of stored
// results and the API document.

import { z } from "zod";
import { checkResultSchema } from "../../lib/checks/check.ts";
import { INJECTION_CATEGORIES } from "../../lib/injection/injection-category.ts";
import { answerSchema, pastIncidentSchema } from "./answer.ts";
import { ANSWER_DEPENDENCIES } from "./dependency.ts";
import { DOMAIN_DECIDERS, domainResultSchema } from "./domain.ts";
import { fixSchema } from "./fix.ts";
import { SEVERITIES } from "./incident.ts";
import { liveEvidenceSchema } from "./live-evidence.ts";
import { OUTCOMES } from "./outcome.ts";
import { CITED_KINDS, TEXT_KINDS } from "./text-kind.ts";
import { TRAFFIC } from "./traffic.ts";

const contributionSchema = z.object({
  rank: z.number().int().positive().describe("Rank by this feature alone, from 1."),
  value: z.number().describe("Contribution of the feature to the score."),
});

/** Who chose a runbook for a failure by a correction, and when. */
const chosenRunbookSchema = z.object({
  by: z.string().nullable(),
  at: z.string(),
  probability: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Probability that it was chosen for the same failure; absent for a repeat."),
});
export type ChosenRunbook = z.infer<typeof chosenRunbookSchema>;

const explanationSchema = z.object({
  score: z.number().describe("For a runbook, the sum of the features' values; for a past incident, see `ranking`."),
  features: z.object({
    attached: contributionSchema
      .extend({
        chosen: chosenRunbookSchema
          .optional()
          .describe("Who chose it for this failure, null if unknown, and when. Absent if the report names it."),
      })
      .optional()
      .describe("The report names this runbook, or a person chose it for this failure, so it ranks first."),
    type: contributionSchema.optional().describe("The runbook is about the recognised incident type."),
    domain: contributionSchema.optional().describe("The report's labels or words hint at its domain."),
    name: contributionSchema.optional().describe("The report contains its title or file name verbatim."),
    title: contributionSchema.optional().describe("How well its title matches the query."),
    lead: contributionSchema.optional().describe("How well its beginning matches the words of the query."),
    document: contributionSchema.optional().describe("How well the whole text matches those words."),
    proximity: contributionSchema.optional().describe("How many words of the query stand close together in it."),
    dense: contributionSchema.extend({ distance: z.number().describe("Cosine distance, 0 to 2.") }).optional(),
    bm25: contributionSchema
      .extend({
        score: z.number().describe("Okapi BM25 score: the sum over the terms."),
        terms: z.record(z.string(), z.number()).describe("Contribution of each term of the query."),
      })
      .optional(),
  }),
  probability: z.number().min(0).max(1).describe("Probability that it is about the reported failure."),
  relevance: z
    .object({
      log_odds: z.number().describe("The sum of the contributions, before the calibration of the deployment."),
      contributions: z.record(z.string(), z.number()).describe("Contribution of each feature to the log-odds."),
    })
    .describe("The parts of the probability."),
  relevant: z
    .boolean()
    .describe("Whether the probability reaches `POSSIBLE_THRESHOLD`. Only relevant hits are part of the answer."),
});

/** The fields that are the same for every hit of a triage, and that a search alone does not have. */
export type Assessed = Pick<z.infer<typeof explanationSchema>, "probability" | "relevance" | "relevant">;

export const runbookHitSchema = explanationSchema.extend({
  id: z.string(),
  kind: z.enum(TEXT_KINDS).describe("All kinds except runbooks lose weight with age."),
  source: z.string(),
  title: z.string(),
  heading: z.string().describe("Headings above the chunk; empty for the introduction."),
  text: z.string(),
});

/** Position of a document, from 1, and its score, before or after the reranking. */
const standing = (score: string) => z.object({ place: z.number().int().positive(), score: z.number().describe(score) });

const rerankingSchema = z.object({
  model: z.string(),
  documents: z
    .array(
      z.object({
        source: z.string(),
        title: z.string(),
        before: standing("Search score of its best section."),
        after: standing("Score of the reranker, on its own scale; higher is better."),
      }),
    )
    .describe("The reranked documents, in the new order."),
});

export const incidentHitSchema = explanationSchema.extend({
  id: z.string(),
  title: z.string(),
  ranking: z
    .object({
      similarity: z
        .number()
        .describe("0.3 × (1 − cosine distance / 2) + 0.7 × the shared words, relative to the best hit."),
      quality: z.number().describe("`final_score` / 10, halved below 7."),
      adjust: z.number().describe("1 + 0.15 × `effective_review_score`, at least 0.2."),
      decay: z.number().describe("Decay by the age of the last occurrence."),
    })
    .describe("Score = probability × (0.7 + 0.3 × quality) × adjust × decay."),
  narrative: z.string().describe("Summary of the investigation."),
  facts: z.array(z.string()),
  final_score: z.number().nullable().describe("Confidence of that investigation × 10, 0 to 10."),
  effective_review_score: z
    .number()
    .nullable()
    .describe("The review score, -1 to 2; without one, 1 or -1 by whether the answer worked; else null."),
  occurrences: z.number().int().describe("Number of reports of the failure."),
  first_seen_at: z.string(),
  last_seen_at: z.string(),
  targets: z.array(z.string()).describe("Services that it was seen on, newest first, at most 20."),
  alike: pastIncidentSchema.shape.alike,
  differs: pastIncidentSchema.shape.differs,
  fixes: z
    .array(fixSchema)
    .describe("Recorded fixes with their proofs: active ones first, then retired ones, then those that never helped."),
  target: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  incident_type: z.string(),
  reported_at: z.string(),
  resolution: z.string().nullable().describe("The newest active fix that helped; null if there is none."),
  resolved_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
});

const answerLikeness = {
  probability: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe(
      "Probability that it is about the reported failure: that of the past incident that it is about, of several the highest. Null if no such incident was recalled.",
    ),
  relevant: z.boolean().describe("Whether the probability reaches `POSSIBLE_THRESHOLD`."),
};

export const pastAnswerHitSchema = z.object({
  id: z.string(),
  question: z.string(),
  answer: z.string(),
  asked_at: z.string(),
  session_id: z.string(),
  is_summary: z.boolean().describe("Whether it summarises a whole session."),
  net_rating: z.number().int().describe("Thumbs up minus thumbs down."),
  score: z.number().describe("(cosine + rating + session) × decay."),
  ranking: z.object({
    cosine: z.number().describe("Cosine similarity of the question and the past answer, -1 to 1."),
    rating: z.number().describe("0.1 × tanh(`net_rating`)."),
    session: z.number().describe("The boost for a past answer of the same session."),
    decay: z.number().describe("0.5 ^ (age / half-life)."),
  }),
  ...answerLikeness,
});

export const procedureHitSchema = z.object({
  id: z.string(),
  query: z.string(),
  strategy: z.string().describe("retrieval_hits=…, memory_hits=…, reflected=…"),
  answer: z.string().describe("The first 300 characters of its answer."),
  confidence: z.number().describe("The critic's score of that answer."),
  use_count: z.number().describe("Number of uses; it halves for each period without use."),
  last_used_at: z.string(),
  cosine: z.number().describe("Cosine similarity of the two queries."),
  ...answerLikeness,
});

export const warningSchema = z.object({
  code: z.enum([
    "dependency_timeout",
    "dependency_unreachable",
    "dependency_busy",
    "dependency_refused",
    "dependency_invalid_response",
    "model_mismatch",
    "cancelled",
    "token_budget_spent",
    "uncalibrated",
  ]),
  dependency: z.enum(ANSWER_DEPENDENCIES),
  message: z.string(),
});

export const triageResultSchema = z.object({
  triage_id: z.string(),
  incident_id: z.string(),
  session_id: z.string(),
  created_at: z.string(),
  mode: z
    .enum(["extractive", "model"])
    .describe("`extractive`: the answer quotes recalled text. `model`: a language model wrote it from recalled text."),
  title: z.string(),
  target: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  domain: domainResultSchema.extend({
    decided_by: z
      .enum(DOMAIN_DECIDERS)
      .describe("What chose the domain. `none`: nothing did, so every domain counted the same."),
    looked_further: z
      .boolean()
      .describe(
        "Whether the search was limited to the domain, found nothing relevant, and was repeated in every domain.",
      ),
  }),
  incident_type: z.object({ name: z.string(), rule: z.string() }),
  search_query: z
    .string()
    .nullable()
    .describe("The query that replaced the question in searches; null if the question was used."),
  outcome: z
    .enum(OUTCOMES)
    .describe(
      "`cause` (*Known failure*): the answer names causes, checks and mitigations. `possible` (*Possible*): it names up to three candidates that are not confirmed, " +
        "and claims nothing. `unknown` (*Unknown*): nothing on record is likely to be about this. `benign` (*No incident*): a watchdog, a " +
        "test alert, a resolved alert, or evidence in which all is ready and nothing fails.",
    ),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe(
      "In extractive mode, the probability that the text which the answer rests on is about this failure; with `unknown`, that of the " +
        "nearest text. In model mode, the critic's score of the answer, at most 0.15 above the probability of the best runbook, note or " +
        "postmortem that a stated cause or candidate cites; one that cites past incidents alone is at most as sure as the best of them.",
    ),
  answer: answerSchema,
  checks: z
    .array(checkResultSchema)
    .describe(
      "The checks of the nearest runbooks, at most 8 of them run; conclusive ones first. Empty without a source of evidence.",
    ),
  live: liveEvidenceSchema.describe("What was observed of the running system without a runbook."),
  placeholders: z
    .record(z.string(), z.string())
    .describe(
      "Names from the report's labels and target for placeholders in the commands of the answer, such as " +
        '`{"<pod>": "checkout-7d9"}`. Only names that are safe in a command without quotes. The commands themselves keep their ' +
        "placeholders.",
    ),
  sources: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum(CITED_KINDS),
        title: z.string(),
        source: z.string().nullable(),
        heading: z.string(),
      }),
    )
    .describe("All sources that the answer cites."),
  recalled: z.object({
    runbooks: z.array(runbookHitSchema),
    incidents: z.array(incidentHitSchema),
    past_answers: z.array(pastAnswerHitSchema).describe("Similar earlier questions with their answers."),
    procedure: procedureHitSchema.nullable().describe("The best procedure for such a query."),
    reranking: rerankingSchema.nullable().describe("The runbooks before and after reranking; null without a reranker."),
  }),
  relevance_model: z.string().describe("Fingerprint of the model that estimated the probabilities."),
  guardrails: z.object({
    injection_blocked: z
      .enum(INJECTION_CATEGORIES)
      .nullable()
      .describe("Category of the injection that blocked the question; null if it was not blocked."),
    lines_removed: z
      .number()
      .int()
      .describe("Number of removed lines of alert text or logs that looked like instructions to a model."),
    redacted: z.record(z.string(), z.number().int()).describe("Number of redacted secrets and personal data, by kind."),
    citations_removed: z
      .number()
      .int()
      .describe(
        "Number of citations and quotes that the model invented; statements with no other support are marked unsupported.",
      ),
    links_removed: z.number().int().describe("Number of removed links and images to hosts that no runbook names."),
    statements_removed: z
      .number()
      .int()
      .describe(
        "Number of removed statements that read like instructions, and of removed commands in checks that would change state.",
      ),
  }),
  model: z
    .object({ answer: z.string(), small: z.string(), prompt_version: z.string() })
    .nullable()
    .describe("The model that wrote the answer, and the one that classified and critiqued; null in extractive mode."),
  critique: z
    .object({
      initial_confidence: z.number().min(0).max(1),
      feedback: z.string(),
      reflected: z.boolean().describe("Whether the answer was revised after the first critique."),
      changes: z.string().nullable().describe("Changes by the reflection, if its answer was chosen."),
    })
    .nullable(),
  usage: z
    .object({
      calls: z.number().int(),
      input_tokens: z.number().int(),
      cached_input_tokens: z.number().int(),
      output_tokens: z.number().int(),
      cost_usd: z.number().nullable(),
    })
    .describe("Use of the language model for this triage, including failed calls."),
  elapsed_ms: z
    .number()
    .int()
    .describe("Milliseconds from the start of the investigation to its answer, without storing it."),
  traffic: z
    .enum(TRAFFIC)
    .describe(
      "`evaluation`: requested with the header `x-dejavu-traffic: evaluation`; kept apart in traces and metrics.",
    ),
  trace: z
    .object({ trace_id: z.string(), span_id: z.string() })
    .nullable()
    .describe("Ids of the investigation's trace and span, in hexadecimal; null without a trace."),
  warnings: z.array(warningSchema),
  persisted: z
    .union([z.boolean(), z.literal("pending")])
    .describe(
      "`pending`: the database is unavailable; the triage waits in a queue and is stored under its ids when the database is back. `false`: it is not stored.",
    ),
});

export type RunbookHit = z.infer<typeof runbookHitSchema>;
export type IncidentHit = z.infer<typeof incidentHitSchema>;
export type PastAnswerHit = z.infer<typeof pastAnswerHitSchema>;
export type ProcedureHit = z.infer<typeof procedureHitSchema>;
export type Reranking = z.infer<typeof rerankingSchema>;
export type Warning = z.infer<typeof warningSchema>;
export type TriageResult = z.infer<typeof triageResultSchema>;
