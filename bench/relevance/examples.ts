// Examples for the relevance model: each report of a corpus is asked with its runbook and with it taken away, and each
// recalled text becomes an example with its features.

import { createIncident } from "../../functions/incidents/create-incident.ts";
import { guardRequest } from "../../functions/incidents/guard-request.ts";
import { embedReport } from "../../functions/investigation/recall/embed-report.ts";
import { createRecallQuery } from "../../functions/investigation/recall/recall.ts";
import { candidateOf, groupByText } from "../../functions/investigation/recall/search-for-runbooks.ts";
import {
  type RelevanceFeatures,
  relevanceFeatures,
} from "../../functions/investigation/relevance/relevance-features.ts";
import { kindOfReport, type ReportKind } from "../../functions/investigation/relevance/relevance-model.ts";
import { createReportTerms } from "../../functions/investigation/relevance/report-terms.ts";
import { domainCatalog } from "../../functions/knowledge/domain-store.ts";
import { recallRunbooks } from "../../functions/knowledge/recall-runbooks.ts";
import type { Services } from "../../functions/services.ts";
import type { Corpus, Report } from "./corpora.ts";
import { type LoadedCorpus, loadCorpus } from "./stores.ts";

const CONDITIONS = ["stored", "removed"] as const;
/** `removed`: the report's own runbook is not stored. */
export type Condition = (typeof CONDITIONS)[number];

export interface Candidate {
  readonly source: string;
  readonly isRight: boolean;
  readonly features: RelevanceFeatures;
}

export interface Asked {
  readonly report: Pick<Report, "id" | "form" | "outcome">;
  readonly condition: Condition;
  readonly kind: ReportKind;
  /** Best first. */
  readonly candidates: readonly Candidate[];
}

export interface Examples {
  readonly corpus: string;
  readonly asked: readonly Asked[];
}

/** Asks every report of the corpus on a throw-away stack. */
export async function collectExamples(corpus: Corpus, progress: (text: string) => void): Promise<Examples> {
  await using loaded = await loadCorpus(corpus, (done, total) =>
    progress(`${corpus.name}: ${done} of ${total} runbooks`),
  );
  const answers: Asked[] = [];
  await inBothConditions(corpus, loaded, async (report, condition) => {
    const answer = await ask(loaded.services, report, condition);
    if (answer) answers.push(answer);
    progress(`${corpus.name}: ${answers.length} reports`);
  });
  return { corpus: corpus.name, asked: answers };
}

/** Visits every report with its runbook stored, then those with one runbook while it is removed. */
export async function inBothConditions(
  { reports }: Corpus,
  { without }: Pick<LoadedCorpus, "without">,
  visit: (report: Report, condition: Condition) => Promise<void>,
): Promise<void> {
  for (const report of reports) await visit(report, "stored");
  const byOwn = Map.groupBy(reports, ({ own }) => own);
  for (const [own, ofOwn] of byOwn) {
    if (own === null) continue;
    await without(own, async () => {
      for (const report of ofOwn) await visit(report, "removed");
    });
  }
}

/** The sources that are right for the report in this condition. */
export function rightSources({ right, own }: Report, condition: Condition): ReadonlySet<string> {
  return new Set(condition === "stored" ? right : right.filter((source) => source !== own));
}

/** Null for healthy, recovered and empty evidence: such reports are answered without the model. */
async function ask(services: Services, report: Report, condition: Condition): Promise<Asked | null> {
  const { request } = guardRequest(report.request);
  const catalog = await domainCatalog(services);
  const incident = createIncident(request, { catalog, now: services.now(), newId: services.newId });
  if (incident.evidence.state !== null) return null;
  const vectors = embedReport(services, incident);
  const query = createRecallQuery(services, incident, vectors.report);
  const ageing = { now: services.now(), halfLifeDays: services.config.TIME_DECAY_HALFLIFE_DAYS };
  const search = await recallRunbooks(services, query, ageing);
  const groups = groupByText(search);
  const terms = createReportTerms(incident, search);
  const features = relevanceFeatures(terms, groups.map(candidateOf));
  const right = rightSources(report, condition);
  return {
    report: { id: report.id, form: report.form, outcome: report.outcome },
    condition,
    kind: kindOfReport(terms),
    candidates: groups.map(({ source }, i) => ({ source, isRight: right.has(source), features: features[i] ?? {} })),
  };
}
