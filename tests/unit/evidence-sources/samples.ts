// Sources of evidence for unit tests.

import type { SourceRow } from "../../../functions/evidence-sources/source-records.ts";
import type { EvidenceSourceDefinition } from "../../../functions/schemas/evidence/source.ts";

export function sampleSource(parts: Partial<EvidenceSourceDefinition> = {}): EvidenceSourceDefinition {
  return {
    name: "prod",
    kind: "prometheus",
    url: "http://127.0.0.1:9090",
    credential: null,
    headers: {},
    labels: {},
    domains: [],
    open_url: null,
    ...parts,
  };
}

export function sampleRow(parts: Partial<EvidenceSourceDefinition> = {}): SourceRow {
  const at = "2026-03-01T12:00:00+00:00";
  return { ...sampleSource(parts), created_at: at, updated_at: at };
}
