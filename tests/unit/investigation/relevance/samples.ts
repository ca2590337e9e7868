// Sample reports and candidates for tests of relevance.

import type { RelevanceCandidate } from "../../../../functions/investigation/relevance/candidate-text.ts";
import { createReportTerms, type ReportTerms } from "../../../../functions/investigation/relevance/report-terms.ts";
import type { Incident } from "../../../../functions/schemas/incident.ts";
import type { TermStatistics } from "../../../../functions/search-index/hybrid-search.ts";
import { sampleIncident, sampleRunbook } from "../samples.ts";

/** A report with a headline only. */
export function sampleReport(
  changes: Partial<Incident>,
  terms: Readonly<Record<string, TermStatistics>> = {},
): ReportTerms {
  const incident = sampleIncident({ target: null, evidence: { lines: [], state: null }, ...changes });
  return createReportTerms(incident, { terms, corrections: {} });
}

export function errorLine(text: string, weight = 1) {
  return { text, line: 1, time: null, count: 1, weight };
}

/** The runbook as the search returns it, all its sections read. */
export function sampleCandidate(markdown: string, source = "sample.md"): RelevanceCandidate {
  const { title, hits, sections } = sampleRunbook(markdown, { source });
  return { title, source, hits, texts: sections };
}
