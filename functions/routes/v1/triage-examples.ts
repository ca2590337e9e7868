// Examples of a triage for the API document.

import type { Assessed, RunbookHit, TriageResult } from "../../schemas/triage-result.ts";

const RUNBOOK_TITLE = "Container killed with exit code 137 (out of memory)";
const SOURCE = "docker/exit-137-out-of-memory.md";
const SYMPTOMS = "f99a5db41edae1bb";
const CAUSES = "8dbe95980146f7e7";
const CONFIRM = "0cad8f9d3088050c";
const MITIGATE = "62d92a3ee486e736";
const PAST_INCIDENT = "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2";
const ALIKE = ["exit 137", "the kernel's memory limit", "the kind of object: container"];
const DIFFERS = ["service api-gateway, then cart"];

/** A section of a runbook as a search returns it. */
export const RUNBOOK_HIT_EXAMPLE: Omit<RunbookHit, keyof Assessed> = {
  id: MITIGATE,
  kind: "runbook",
  source: SOURCE,
  title: RUNBOOK_TITLE,
  heading: "Mitigate",
  text: "1. Raise the memory limit: `docker update --memory 1g <container>`.",
  score: 5.63,
  features: {
    document: { rank: 1, value: 2 },
    lead: { rank: 1, value: 0.5 },
    title: { rank: 1, value: 0.84 },
    proximity: { rank: 1, value: 0.33 },
    type: { rank: 1, value: 1 },
    dense: { rank: 4, value: 0.26, distance: 0.38 },
    bm25: { rank: 3, value: 0.7, score: 9.4, terms: { "137": 4.1, exit: 2.9, code: 2.4 } },
  },
};

export const TRIAGE_EXAMPLE: TriageResult = {
  triage_id: "5b0f7c0e-94a1-4c5e-9a57-0a2f6c1d7e11",
  incident_id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
  session_id: "on-call-2026-03-01",
  created_at: "2026-03-01T03:00:02.000Z",
  mode: "extractive",
  placeholders: { "<container>": "api-gateway" },
  title: "api-gateway container exited with code 137",
  target: "api-gateway",
  severity: "high",
  domain: { name: "docker", rule: "label container_runtime=docker", decided_by: "label", looked_further: false },
  incident_type: { name: "oom_killed", rule: 'words "exited with code 137"' },
  search_query: null,
  outcome: "cause",
  confidence: 0.86,
  answer: {
    summary: {
      text: "A process in the container received SIGKILL, most often because it reached its memory limit.",
      citations: [SYMPTOMS],
    },
    evidence: [
      {
        text: "Line 41 of the report's logs, 3 times, first at 02:59:58. It speaks for cause 1.",
        quote: "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        citations: [CAUSES],
        supported: true,
        place: { line: 41, count: 3, time: "02:59:58" },
      },
    ],
    likely_causes: [
      {
        text: "Runtime heap larger than the container limit. A Node.js process sizes itself past the limit.",
        citations: [CAUSES],
        supported: true,
      },
    ],
    possible_causes: [],
    ruled_out: [],
    hypotheses: [],
    confirm: [
      {
        text: "Compare the container's memory use with its limit.",
        command: "docker stats --no-stream <container>",
        effect: "read_only",
        undo: null,
        citations: [CONFIRM],
        supported: true,
        from_source: true,
      },
    ],
    mitigate: [
      {
        text: "Raise the container's memory limit without a restart.",
        command: "docker update --memory 1g --memory-swap 1g <container>",
        effect: "changes_state",
        undo: "`docker update --memory <old-limit> --memory-swap <old-swap> <container>`",
        citations: [MITIGATE],
        supported: true,
        from_source: true,
      },
    ],
    worked_before: [
      {
        text:
          '2026-02-18 "cart container exited with code 137", 2 times since 2026-02-11 on cart. Fixed by: Raised the memory limit to ' +
          "1 GiB. (dana, 2026-02-18; worked 2 of 2 times). Did not help: Restarting. 95 % likely the same failure.",
        citations: [PAST_INCIDENT],
        supported: true,
        same_failure: true,
        probability: 0.95,
        alike: ALIKE,
        differs: DIFFERS,
        recurrence: {
          count: 2,
          first_at: "2026-02-11T14:20:00.000Z",
          last_at: "2026-02-18T09:05:00.000Z",
          targets: ["cart"],
          more_targets: 0,
        },
        fix: {
          text: "Raised the memory limit to 1 GiB.",
          by: "dana",
          at: "2026-02-11T15:02:00.000Z",
          conditions: null,
          tried: 2,
          worked: 2,
          last_worked_at: "2026-02-18T09:40:00.000Z",
          came_back_at: null,
        },
        also_helped: [],
        retired: [],
        did_not_help: [{ text: "Restarting", times: 1 }],
      },
    ],
    prevention: [],
    look_next: [],
  },
  checks: [
    {
      id: "check:docker/container-out-of-memory.md#memory-at-limit",
      name: "memory-at-limit",
      language: "promql",
      verdict: "confirmed",
      statement: "the container uses nearly all of its limit",
      rule: "any > 0.95",
      value: "0.99 (name=api-gateway)",
      query:
        'max by (name) (container_memory_working_set_bytes{name="api-gateway"} / container_spec_memory_limit_bytes{name="api-gateway"})',
      cause: null,
      runbook: SOURCE,
      citations: [CONFIRM],
      source: "metrics",
      checked_at: "2026-03-01T03:00:01.000Z",
      link: null,
    },
  ],
  live: {
    expression: null,
    object: null,
    other_alerts: [],
    changes: {
      reported: true,
      recent: [
        {
          id: "8d0f5a3e-6c1b-4f7a-9d2e-1b3c5d7e9f10",
          kind: "deployment",
          service: "api-gateway",
          environment: "production",
          title: "api-gateway 2.14.0",
          version: "2.14.0",
          by: "dana",
          url: null,
          at: "2026-03-01T02:41:00.000Z",
          minutes_before: 19,
        },
      ],
    },
  },
  sources: [
    { id: SYMPTOMS, kind: "runbook", title: RUNBOOK_TITLE, source: SOURCE, heading: "" },
    { id: CAUSES, kind: "runbook", title: RUNBOOK_TITLE, source: SOURCE, heading: "Likely causes" },
    { id: CONFIRM, kind: "runbook", title: RUNBOOK_TITLE, source: SOURCE, heading: "Confirm" },
    { id: MITIGATE, kind: "runbook", title: RUNBOOK_TITLE, source: SOURCE, heading: "Mitigate" },
    { id: PAST_INCIDENT, kind: "incident", title: "cart container exited with code 137", source: null, heading: "" },
  ],
  recalled: {
    runbooks: [
      {
        ...RUNBOOK_HIT_EXAMPLE,
        probability: 0.86,
        relevance: { log_odds: 1.815, contributions: { bias: -2.1, coverage: 2.415, title: 0.8, lead: 0.7 } },
        relevant: true,
      },
    ],
    incidents: [
      {
        id: PAST_INCIDENT,
        title: "cart container exited with code 137",
        target: "cart",
        severity: "medium",
        incident_type: "oom_killed",
        reported_at: "2026-02-11T14:20:00.000Z",
        narrative: "Covered oom killed on cart in the docker domain.",
        facts: ["Type: oom_killed", "Target: cart", "Outcome: cause, confidence 0.62"],
        final_score: 6.2,
        effective_review_score: 1,
        occurrences: 2,
        first_seen_at: "2026-02-11T14:20:00.000Z",
        last_seen_at: "2026-02-18T09:05:00.000Z",
        resolution: "Raised the memory limit to 1 GiB.",
        resolved_by: "dana",
        resolved_at: "2026-02-18T09:40:00.000Z",
        targets: ["cart"],
        alike: ALIKE,
        differs: DIFFERS,
        fixes: [
          {
            id: "b0a4c2de-6f1e-4d3c-9a57-3f2a1e5d7c90",
            text: "Raised the memory limit to 1 GiB.",
            fingerprint: "5f0c2b7a9d1e4c3f8a6b0d2e7c5f9a1b3d8e6c4a2f0b7d9e1c5a3f8b6d4e2c0a",
            conditions: null,
            tried: 2,
            worked: 2,
            first_at: "2026-02-11T15:02:00.000Z",
            last_at: "2026-02-18T09:40:00.000Z",
            last_worked_at: "2026-02-18T09:40:00.000Z",
            last_worked_by: "dana",
            retired: null,
            came_back_at: null,
          },
          {
            id: "0d2f6b1e-7a3c-4b58-9c41-6e8d5f2a1b73",
            text: "Restarting.",
            fingerprint: "5f0c2b7a9d1e4c3f8a6b0d2e7c5f9a1b3d8e6c4a2f0b7d9e1c5a3f8b6d4e2c0a",
            conditions: null,
            tried: 1,
            worked: 0,
            first_at: "2026-02-11T14:31:00.000Z",
            last_at: "2026-02-11T14:31:00.000Z",
            last_worked_at: null,
            last_worked_by: null,
            retired: null,
            came_back_at: null,
          },
        ],
        ranking: { similarity: 0.97, quality: 0.31, adjust: 1.15, decay: 0.98 },
        score: 0.87,
        features: {
          document: { rank: 1, value: 2 },
          title: { rank: 1, value: 0.33 },
          dense: { rank: 1, value: 0.4, distance: 0.21 },
          bm25: { rank: 1, value: 1, score: 4.66, terms: { "137": 0.53, exit: 0.53, kill: 0.86 } },
        },
        probability: 0.95,
        relevance: { log_odds: 2.944, contributions: { bias: -1.8, similarity: 3.244, fix: 0.5, target: 1 } },
        relevant: true,
      },
    ],
    past_answers: [
      {
        id: "c40bb2a7-5d0e-4f43-9d7b-1c0a5f0f9e21",
        question: "cart container exited with code 137",
        answer: `Explained by the runbook "${RUNBOOK_TITLE}" (${SOURCE}).`,
        asked_at: "2026-02-18T09:05:00.000Z",
        session_id: "on-call-2026-02-18",
        is_summary: false,
        net_rating: 1,
        score: 0.84,
        ranking: { cosine: 0.78, rating: 0.08, session: 0, decay: 0.98 },
        probability: 0.95,
        relevant: true,
      },
    ],
    procedure: {
      id: "a6d0a1f4-7d4b-4d0b-8f0e-64f9d1b7f0c3",
      query: "oom killed container exited with code 137",
      strategy: "retrieval_hits=5, memory_hits=2, reflected=false",
      answer: "The process reached the container's memory limit. Raise the limit and cap the heap.",
      confidence: 0.82,
      use_count: 3,
      last_used_at: "2026-02-18T09:05:00.000Z",
      cosine: 0.83,
      probability: 0.95,
      relevant: true,
    },
    reranking: {
      model: "bge-reranker-v2-m3",
      documents: [
        { source: SOURCE, title: RUNBOOK_TITLE, before: { place: 1, score: 6.07 }, after: { place: 1, score: 0.93 } },
      ],
    },
  },
  relevance_model: "5f2c9a1e-0b7d4c38",
  guardrails: {
    injection_blocked: null,
    lines_removed: 0,
    redacted: {},
    citations_removed: 0,
    links_removed: 0,
    statements_removed: 0,
  },
  model: null,
  critique: null,
  usage: { calls: 0, input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, cost_usd: null },
  elapsed_ms: 412,
  traffic: "production",
  trace: null,
  warnings: [],
  persisted: true,
};
