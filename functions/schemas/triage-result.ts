// Owns the result of a triage, as it is stored and as every front door returns it. One schema gives the type, the
// validation of a stored result and the API document.

import { z } from "zod";
import { ANSWER_DEPENDENCIES } from "./dependency.ts";
import { DOMAIN_NAMES } from "./domain.ts";
import { SEVERITIES } from "./incident.ts";
import { INJECTION_CATEGORIES } from "./injection-category.ts";
import { SOURCE_KINDS } from "./source-kind.ts";
import { TRAFFIC } from "./traffic.ts";

const citations = z
  .array(z.string())
  .describe("Ids of recalled runbook chunks or past incidents that this rests on; empty where it has no support.");

/** Results that were stored before a field existed are read with its default. */
const supported = z.boolean().default(true).describe("False: no recalled text says this, so take it as a suggestion.");

const statementSchema = z.object({ text: z.string(), citations, supported });

const evidenceSchema = statementSchema.extend({
  quote: z.string().nullable().describe("The words of the report or its logs, verbatim."),
});

const hypothesisSchema = z.object({
  cause: z.string(),
  verdict: z.enum(["kept", "rejected", "unsupported"]).describe("Unsupported: no recalled text speaks for it."),
  reason: z.string(),
  citations,
});

const stepSchema = statementSchema.extend({
  command: z.string().nullable().describe("What to run; placeholders are in <angle brackets>."),
  effect: z
    .enum(["read_only", "changes_state"])
    .nullable()
    .describe(
      "`read_only`: the command is on the list of commands that only read, or the runbook's author says so. `changes_state`: the " +
        "command, its author or the model says so. Null: not verified as read-only, or there is no command.",
    ),
  undo: z.string().nullable().describe("How to take the step back."),
});

const contributionSchema = z.object({
  rank: z.number().int().positive().describe("Place by this feature alone, from 1."),
  value: z.number().describe("What the feature added to the score."),
});

const explanationSchema = z.object({
  score: z.number().describe("Of a runbook: the sum of the features' values. Of a past incident: see `ranking`."),
  features: z.object({
    attached: contributionSchema.optional().describe("The report came with this runbook: it outranks what was found."),
    type: contributionSchema.optional().describe("It is about the recognised type of incident."),
    name: contributionSchema.optional().describe("The report says its title or its file's name word for word."),
    title: contributionSchema.optional().describe("How far its title says what was asked."),
    lead: contributionSchema.optional().describe("How well its beginning fits the words of what was asked."),
    document: contributionSchema.optional().describe("How well the whole text fits those words."),
    proximity: contributionSchema.optional().describe("How much of the wording stands together in it."),
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

export const runbookHitSchema = explanationSchema.extend({
  id: z.string(),
  kind: z.enum(SOURCE_KINDS).default("runbook").describe("All but runbooks count for less the older they are."),
  source: z.string(),
  title: z.string(),
  heading: z.string().describe("Headings above the chunk; empty for the introduction."),
  text: z.string(),
});

/** Where a document stands, from 1, and the score that is its own on that side of the reranking. */
const standing = (score: string) => z.object({ place: z.number().int().positive(), score: z.number().describe(score) });

const rerankingSchema = z.object({
  model: z.string(),
  documents: z
    .array(
      z.object({
        source: z.string(),
        title: z.string(),
        before: standing("Of its best section, as the searches found it."),
        after: standing("The reranker's, higher is better, on its model's own scale."),
      }),
    )
    .describe("What was reranked, in the new order."),
});

const fixSchema = z.object({
  resolution: z.string(),
  resolved_by: z.string().nullable(),
  resolved_at: z.string(),
  superseded_at: z.string(),
});

/** Every default is what a result says that was stored before the field existed. */
export const incidentHitSchema = explanationSchema.extend({
  id: z.string(),
  title: z.string(),
  ranking: z
    .object({
      similarity: z
        .number()
        .describe("0.3 × (1 − cosine distance / 2) + 0.7 × the words in common, as a share of what the best has."),
      quality: z.number().describe("From the score of that investigation: score / 10, half of it below 7."),
      adjust: z.number().describe("By a person's judgement: 1 + 0.15 × quality (-1 to 2), 0.2 at least."),
      decay: z.number().describe("By the age of the last occurrence."),
    })
    .nullable()
    .default(null)
    .describe("Score = (0.7 × similarity + 0.3 × quality) × adjust × decay."),
  narrative: z.string().default("").describe("What was covered and concluded."),
  facts: z.array(z.string()).default([]),
  final_score: z.number().nullable().default(null).describe("Confidence × 10 of that investigation, 0 to 10."),
  effective_review_score: z
    .number()
    .nullable()
    .default(null)
    .describe("A person's judgement, -1 to 2, or 1 or -1 by whether it worked."),
  occurrences: z.number().int().default(1).describe("How often the failure was reported."),
  first_seen_at: z.string().nullable().default(null),
  last_seen_at: z.string().nullable().default(null),
  superseded: z.array(fixSchema).default([]).describe("Fixes that `resolution` retired, newest first."),
  target: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  incident_type: z.string(),
  reported_at: z.string(),
  resolution: z.string().nullable().describe("What fixed it; null where nobody said."),
  resolved_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
});

export const pastAnswerHitSchema = z.object({
  id: z.string(),
  question: z.string(),
  answer: z.string(),
  asked_at: z.string(),
  session_id: z.string(),
  is_summary: z.boolean().describe("Whether it sums up a whole session."),
  net_rating: z.number().int().describe("Thumbs up less thumbs down."),
  score: z.number().describe("(cosine + rating + session) × decay."),
  ranking: z.object({
    cosine: z.number().describe("Cosine of the angle between question and memory, -1 to 1."),
    rating: z.number().describe("0.1 × tanh(thumbs up less thumbs down)."),
    session: z.number().describe("The boost for a memory of the same session."),
    decay: z.number().describe("0.5 ^ (age / half-life)."),
  }),
});

export const procedureHitSchema = z.object({
  id: z.string(),
  query: z.string(),
  strategy: z.string().describe("retrieval_hits=…, memory_hits=…, reflected=…"),
  answer: z.string().describe("The first 300 characters of the answer that it led to."),
  confidence: z.number().describe("The critic's score of that answer."),
  use_count: z.number().describe("How often it was the way; halves while it is not used."),
  last_used_at: z.string(),
  cosine: z.number().describe("Of the angle between this query and that one."),
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
    .describe(
      "Extractive: the answer quotes what was recalled. Model: a language model wrote it from what was recalled.",
    ),
  title: z.string(),
  target: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  domain: z.object({ name: z.enum(DOMAIN_NAMES), rule: z.string() }),
  incident_type: z.object({ name: z.string(), rule: z.string() }),
  search_query: z
    .string()
    .nullable()
    .default(null)
    .describe("What was searched for in place of the question; null where its own words were."),
  outcome: z
    .enum(["cause", "benign", "unknown"])
    .describe("Benign: no incident, such as a watchdog, a test alert, a healthy system."),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe("The critic's score of the answer; in extractive mode how well what is quoted covers what was asked."),
  answer: z.object({
    summary: z.object({
      text: z.string(),
      citations: z.array(z.string()).describe("Empty where it is Dejavu's own sentence."),
    }),
    evidence: z.array(evidenceSchema).default([]),
    likely_causes: z.array(statementSchema),
    hypotheses: z.array(hypothesisSchema).default([]).describe("What was considered, and why it was kept or rejected."),
    confirm: z.array(stepSchema),
    mitigate: z.array(stepSchema),
    worked_before: z.array(statementSchema),
    prevention: z.array(statementSchema).default([]),
    look_next: z.array(stepSchema).default([]).describe("Where nothing is known: what to look at next."),
  }),
  sources: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum([...SOURCE_KINDS, "incident"]),
        title: z.string(),
        source: z.string().nullable(),
        heading: z.string(),
      }),
    )
    .describe("Everything that the answer cites."),
  recalled: z.object({
    runbooks: z.array(runbookHitSchema),
    incidents: z.array(incidentHitSchema),
    past_answers: z.array(pastAnswerHitSchema).default([]).describe("Similar earlier questions with their answers."),
    procedure: procedureHitSchema.nullable().default(null).describe("The approach that worked best for such a query."),
    reranking: rerankingSchema
      .nullable()
      .default(null)
      .describe("The runbooks before and after a reranker ordered them; null where none did."),
  }),
  guardrails: z.object({
    injection_blocked: z
      .enum(INJECTION_CATEGORIES)
      .nullable()
      .describe("Why the question was not answered: it looks like an instruction to a model."),
    lines_removed: z.number().int().describe("Lines of alert text or logs that looked like instructions to a model."),
    redacted: z.record(z.string(), z.number().int()).describe("Secrets and personal data replaced, by kind."),
    citations_removed: z
      .number()
      .int()
      .default(0)
      .describe("Citations and quotations that the model made up; what rested on them alone is marked unsupported."),
    links_removed: z.number().int().default(0).describe("Links and images to hosts that no runbook names."),
    statements_removed: z
      .number()
      .int()
      .default(0)
      .describe(
        "Statements of the model that read like an instruction, and checks' commands that would change something.",
      ),
  }),
  model: z
    .object({ answer: z.string(), small: z.string(), prompt_version: z.string() })
    .nullable()
    .default(null)
    .describe("What wrote the answer, and what classified and criticised; null where the answer quotes."),
  critique: z
    .object({
      initial_confidence: z.number().min(0).max(1),
      feedback: z.string(),
      reflected: z.boolean().describe("Whether the answer was thought over after the first criticism."),
      changes: z.string().nullable().describe("What reflection changed, where its answer is the one that is given."),
    })
    .nullable()
    .default(null),
  usage: z
    .object({
      calls: z.number().int(),
      input_tokens: z.number().int(),
      cached_input_tokens: z.number().int(),
      output_tokens: z.number().int(),
      cost_usd: z.number().nullable(),
    })
    .default({ calls: 0, input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, cost_usd: null })
    .describe("What the language model was used for this triage, in vain too."),
  elapsed_ms: z
    .number()
    .int()
    .nullable()
    .default(null)
    .describe("Milliseconds from the beginning of this investigation to its answer, storing it not included."),
  traffic: z
    .enum(TRAFFIC)
    .default("production")
    .describe(
      "Evaluation: asked of `POST /v1/triage` with `x-dejavu-traffic: evaluation`, and kept apart in traces and metrics.",
    ),
  trace: z
    .object({ trace_id: z.string(), span_id: z.string() })
    .nullable()
    .default(null)
    .describe("Where traces hold this investigation, in hexadecimal; null where none was recorded."),
  warnings: z.array(warningSchema),
  persisted: z.boolean(),
});

export type Statement = z.infer<typeof statementSchema>;
export type Evidence = z.infer<typeof evidenceSchema>;
export type Hypothesis = z.infer<typeof hypothesisSchema>;
export type Step = z.infer<typeof stepSchema>;
export type RunbookHit = z.infer<typeof runbookHitSchema>;
export type IncidentHit = z.infer<typeof incidentHitSchema>;
export type PastAnswerHit = z.infer<typeof pastAnswerHitSchema>;
export type ProcedureHit = z.infer<typeof procedureHitSchema>;
export type Reranking = z.infer<typeof rerankingSchema>;
export type Warning = z.infer<typeof warningSchema>;
export type TriageResult = z.infer<typeof triageResultSchema>;
export type Answer = TriageResult["answer"];

export const EMPTY_ANSWER: Omit<Answer, "summary"> = {
  evidence: [],
  likely_causes: [],
  hypotheses: [],
  confirm: [],
  mitigate: [],
  worked_before: [],
  prevention: [],
  look_next: [],
};
