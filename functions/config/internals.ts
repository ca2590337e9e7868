// Figures that no operator has a reason to change. Tests and commands may override them.

export interface Internals {
  /** Seconds that an isolate caches a token. A revoked token is refused everywhere after that. */
  readonly TOKEN_CACHE_SECONDS: number;
  /** The limit without DAILY_TOKEN_BUDGET. It does not count as reached while the use cannot be read. */
  readonly DEFAULT_DAILY_TOKEN_BUDGET: number;
  /** Largest request body, in bytes. */
  readonly MAX_BODY_BYTES: number;
  /** Milliseconds in which the whole body of a request must arrive: 35 KB a second for the largest. */
  readonly BODY_TIMEOUT_MS: number;
  /**
   * Seconds without a renewal after which a repeated Idempotency-Key may take over, and the milliseconds between two
   * renewals by the living run. Two renewals may fail.
   */
  readonly IDEMPOTENCY_LEASE_SECONDS: number;
  readonly IDEMPOTENCY_RENEWAL_MS: number;
  /** Seconds after its start when a run without an end counts as stuck. */
  readonly STUCK_RUN_SECONDS: number;
  /** Runs that a queued incident gets. */
  readonly MAX_TRIAGE_ATTEMPTS: number;
  /** Milliseconds between two heartbeats of a streamed triage. */
  readonly STREAM_HEARTBEAT_MS: number;
  /** Milliseconds for one batch of spans, which is sent after the response. */
  readonly OTLP_TIMEOUT_MS: number;
  /**
   * Milliseconds for indexing a finished triage after the response, and for each call of a background task. The outbox
   * takes over after that. At most OUTBOX_LEASE_SECONDS, or an outbox entry is written twice.
   */
  readonly MEMORY_WRITE_TIMEOUT_MS: number;
  /** Outbox entries that one batch claims, and the seconds of the claim. */
  readonly OUTBOX_BATCH_SIZE: number;
  readonly OUTBOX_LEASE_SECONDS: number;
  /** Milliseconds of all queries to sources of evidence in a triage together. */
  readonly EVIDENCE_BUDGET_MS: number;
  /** Milliseconds for which the result of a query counts for other triages. */
  readonly EVIDENCE_REUSE_MS: number;
  /** Words in a chunk, and words that two neighbouring chunks share. */
  readonly CHUNK_SIZE: number;
  readonly CHUNK_OVERLAP: number;
  /** Hits that each of the two searches contributes to the ranking. */
  readonly SEARCH_CANDIDATES: number;
  /** Runbooks that the reranker orders; the others stay behind them. */
  readonly RERANK_CANDIDATES: number;
  /** Runbook sections for the answer to a bare question. */
  readonly TOP_K: number;
  /** Runbook sections, past incidents and past answers in a triage. */
  readonly RUNBOOK_RECALL_LIMIT: number;
  readonly INCIDENT_RECALL_LIMIT: number;
  readonly PAST_ANSWER_RECALL_LIMIT: number;
  /** Cosine distance (0 to 2) beyond which a past incident is dropped. */
  readonly INCIDENT_MAX_DISTANCE: number;
  /** Days after which past incidents, past answers, notes, logs and postmortems count half. */
  readonly TIME_DECAY_HALFLIFE_DAYS: number;
  /** Added to the score of a past answer of the same session, beside a cosine of -1 to 1. */
  readonly SESSION_BOOST: number;
  /** How often an invalid answer of a model is sent back to it, while time and tokens are left. */
  readonly AGENT_RETRIES: number;
  /** Tokens of one answer. */
  readonly MODEL_MAX_OUTPUT_TOKENS: number;
  /** Score of the critic (0 to 1) below which an answer is reflected on once. */
  readonly CONFIDENCE_THRESHOLD: number;
  /** Earlier turns of the session that the model sees. */
  readonly EPISODIC_CONTEXT_TURNS: number;
  /** Characters of a log that the model sees. */
  readonly LOG_CONTEXT_LENGTH: number;
  /** Score of the critic (0 to 1) from which a procedure is stored. */
  readonly PROCEDURAL_THRESHOLD: number;
  /** Days without use after which a procedure counts half. */
  readonly PROCEDURE_DECAY_DAYS: number;
  /** Hours without a turn, and number of past answers, after which a session is compressed. */
  readonly SESSION_IDLE_HOURS: number;
  readonly SESSION_COMPRESS_THRESHOLD: number;
  /** Milliseconds for one query to a source of evidence, and the queries that run at once. */
  readonly EVIDENCE_TIMEOUT_MS: number;
  readonly EVIDENCE_QUERIES_AT_ONCE: number;
}

export const INTERNALS: Internals = {
  TOKEN_CACHE_SECONDS: 60,
  DEFAULT_DAILY_TOKEN_BUDGET: 5_000_000,
  MAX_BODY_BYTES: 1_048_576,
  BODY_TIMEOUT_MS: 30_000,
  IDEMPOTENCY_LEASE_SECONDS: 10,
  IDEMPOTENCY_RENEWAL_MS: 2_500,
  STUCK_RUN_SECONDS: 300,
  MAX_TRIAGE_ATTEMPTS: 3,
  STREAM_HEARTBEAT_MS: 10_000,
  OTLP_TIMEOUT_MS: 5_000,
  MEMORY_WRITE_TIMEOUT_MS: 8_000,
  OUTBOX_BATCH_SIZE: 10,
  OUTBOX_LEASE_SECONDS: 60,
  EVIDENCE_BUDGET_MS: 6_000,
  EVIDENCE_REUSE_MS: 60_000,
  CHUNK_SIZE: 400,
  CHUNK_OVERLAP: 50,
  SEARCH_CANDIDATES: 30,
  RERANK_CANDIDATES: 9,
  TOP_K: 3,
  RUNBOOK_RECALL_LIMIT: 5,
  INCIDENT_RECALL_LIMIT: 6,
  PAST_ANSWER_RECALL_LIMIT: 3,
  INCIDENT_MAX_DISTANCE: 1.5,
  TIME_DECAY_HALFLIFE_DAYS: 365,
  SESSION_BOOST: 0.2,
  AGENT_RETRIES: 5,
  MODEL_MAX_OUTPUT_TOKENS: 4_096,
  CONFIDENCE_THRESHOLD: 0.5,
  EPISODIC_CONTEXT_TURNS: 5,
  LOG_CONTEXT_LENGTH: 8_000,
  PROCEDURAL_THRESHOLD: 0.7,
  PROCEDURE_DECAY_DAYS: 90,
  SESSION_IDLE_HOURS: 24,
  SESSION_COMPRESS_THRESHOLD: 20,
  EVIDENCE_TIMEOUT_MS: 5_000,
  EVIDENCE_QUERIES_AT_ONCE: 8,
};
