// Hand-built values that the tests of triage share: what an incident and a recall look like when nothing is special.

import type { HybridHit } from "../../../functions/memory/hybrid-search.ts";
import type { Incident } from "../../../functions/memory/incident.ts";
import type { SearchDocument } from "../../../functions/memory/search-document.ts";
import { chunkMarkdown } from "../../../functions/retrieval/chunk.ts";
import type { Recall, RecalledIncident, RecalledRunbook } from "../../../functions/triage/recall.ts";

export const NOW = new Date("2026-03-01T12:00:00Z");

export function sampleIncident(changes: Partial<Incident> = {}): Incident {
  return {
    id: "incident-now",
    createdAt: NOW,
    title: "api-gateway container exited with code 137",
    question: null,
    target: "api-gateway",
    severity: "high",
    labels: {},
    logs: null,
    sessionId: "session-1",
    domain: { name: "docker", rule: 'text cue "container"', isDecided: true },
    type: { name: "oom_killed", rule: 'text cue "exited with code 137"' },
    ...changes,
  };
}

/** Found by keywords alone. */
export function hitOf(document: SearchDocument, score = 0.016): HybridHit {
  return {
    document,
    score,
    contributions: { bm25: { rank: 1, value: score } },
    bm25: { score: 7.5, terms: { "137": 7.5 } },
  };
}

/** A recalled runbook, cut into chunks as ingestion cuts it; its ids are `<source>#<index>`. */
export function sampleRunbook(
  markdown: string,
  {
    source = "exit-137.md",
    grounding = 0.8,
    size = 400,
    overlap = 50,
  }: { source?: string; grounding?: number; size?: number; overlap?: number } = {},
): RecalledRunbook {
  const sections = chunkMarkdown(markdown, source, { size, overlap }).map(
    (chunk): SearchDocument => ({
      id: `${source}#${chunk.index}`,
      source,
      chunkIndex: chunk.index,
      title: chunk.title,
      headingPath: chunk.headingPath,
      body: chunk.body,
      metadata: { kind: "runbook", incident_type: "oom_killed" },
      writtenAt: NOW,
    }),
  );
  const [first] = sections;
  return { source, title: first?.title ?? source, grounding, hits: first ? [hitOf(first)] : [], sections };
}

export function samplePastIncident(
  id: string,
  {
    grounding = 0.8,
    title = "api-gateway was OOMKilled",
    ...metadata
  }: { grounding?: number; title?: string; target?: string; resolution?: string; resolved_by?: string } = {},
): RecalledIncident {
  const document: SearchDocument = {
    id,
    source: null,
    chunkIndex: null,
    title,
    headingPath: [],
    body: "Type: oom_killed",
    metadata: {
      severity: "high",
      incident_type: "oom_killed",
      stored_at: "2026-01-15T08:30:00.000Z",
      ...metadata,
    },
    writtenAt: new Date("2026-01-15T08:30:00Z"),
  };
  return { hit: hitOf(document), grounding };
}

export function recallOf(parts: Partial<Recall>): Recall {
  return { runbooks: [], incidents: [], missing: [], ...parts };
}
