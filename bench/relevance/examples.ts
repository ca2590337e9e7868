// Examples for the relevance model: each report of a corpus is asked with its runbook and with it taken away, and each
// recalled text becomes an example with its features.

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createIncident } from "../../functions/incidents/create-incident.ts";
import { createGuard } from "../../functions/incidents/guard-request.ts";
import { embedReport } from "../../functions/investigation/recall/embed-report.ts";
import { createRecallQuery } from "../../functions/investigation/recall/recall.ts";
import { candidateOf, groupByTopic } from "../../functions/investigation/recall/search-for-runbooks.ts";
import {
  type RelevanceFeatures,
  relevanceFeatures,
} from "../../functions/investigation/relevance/relevance-features.ts";
import { kindOfReport, type ReportKind } from "../../functions/investigation/relevance/relevance-model.ts";
import { createReportTerms } from "../../functions/investigation/relevance/report-terms.ts";
import { domainCatalog } from "../../functions/knowledge/domain-store.ts";
import { recallRunbooks } from "../../functions/knowledge/recall-runbooks.ts";
import type { Incident } from "../../functions/schemas/incident.ts";
import type { HybridHit, HybridResult } from "../../functions/search-index/hybrid-search.ts";
import type { SearchDocument } from "../../functions/search-index/search-document.ts";
import type { Services } from "../../functions/services.ts";
import { redact } from "../../lib/redaction/redact.ts";
import type { Corpus, Report } from "./corpora.ts";
import { type LoadedCorpus, loadCorpus } from "./stores.ts";

const guard = createGuard(redact);

const CONDITIONS = ["stored", "removed"] as const;
/** `removed`: the report's own runbook is not stored. */
export type Condition = (typeof CONDITIONS)[number];
/** `foreign`: no runbook of its domain is stored. */
export type AskedCondition = Condition | "foreign";

export interface Candidate {
  readonly source: string;
  readonly isRight: boolean;
  readonly features: RelevanceFeatures;
}

export interface Asked {
  readonly report: Pick<Report, "id" | "form" | "outcome">;
  readonly condition: AskedCondition;
  readonly kind: ReportKind;
  /** Best first. */
  readonly candidates: readonly Candidate[];
}

/** What the search returned for a report. Documents are named by their ids. */
interface AskedMaterial extends Pick<Asked, "report"> {
  readonly condition: Condition;
  readonly right: readonly string[];
  readonly incident: Incident;
  readonly terms: HybridResult["terms"];
  readonly corrections: HybridResult["corrections"];
  readonly hits: readonly (Omit<HybridHit, "document"> & { readonly id: string })[];
  readonly siblings: readonly string[];
}

/** From which features are computed, so that a changed feature needs no new search. */
export interface Examples {
  readonly corpus: string;
  readonly documents: Readonly<Record<string, SearchDocument>>;
  readonly reports: readonly AskedMaterial[];
}

/**
 * The reports with the features of their candidates. Each is also asked as if nothing of the domain of its runbook were stored: a
 * team's, or that of a technology.
 */
export function askedOf({ reports, documents }: Examples): Asked[] {
  const domainOfSource = (source: string) => source.split("/", 1)[0];
  const foreign = reports.flatMap((each) => {
    const [own] = each.right;
    if (each.condition !== "stored" || own === undefined) return [];
    const domain = domainOfSource(own);
    const hits = each.hits.filter(({ id }) => domainOfSource(documents[id]?.source ?? "") !== domain);
    return [{ ...each, condition: "foreign" as const, hits }];
  });
  return [...reports, ...foreign].map(({ report, condition, right, incident, terms, corrections, hits, siblings }) => {
    const documentOf = (id: string) => {
      const document = documents[id];
      if (document === undefined) throw new Error(`${id} is not among the documents.`);
      return { ...document, writtenAt: new Date(document.writtenAt) };
    };
    const search = {
      hits: hits.map(({ id, ...hit }) => ({ ...hit, document: documentOf(id) })),
      siblings: siblings.map(documentOf),
    };
    const groups = groupByTopic(search);
    const reportTerms = createReportTerms(incident, { terms, corrections });
    const features = relevanceFeatures(reportTerms, groups.map(candidateOf));
    return {
      report,
      condition,
      kind: kindOfReport(reportTerms),
      candidates: groups.map(({ source }, i) => ({
        source,
        isRight: right.includes(source),
        features: features[i] ?? {},
      })),
    };
  });
}

/** The examples of each corpus: those that the folder has, else collected and written to it. */
export async function readExamples(
  corpora: readonly Corpus[],
  folder: string | undefined,
  progress: (text: string) => void,
): Promise<Examples[]> {
  const all: Examples[] = [];
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  for (const corpus of corpora) {
    const file = folder === undefined ? undefined : join(folder, `${corpus.name}.json`);
    const isWritten = file !== undefined && existsSync(file);
    const examples: Examples = isWritten
      ? JSON.parse(await readFile(file, "utf8"))
      : await collectExamples(corpus, progress);
    if (file !== undefined && !isWritten) await writeFile(file, JSON.stringify(examples));
    all.push(examples);
    progress(`${corpus.name}: ${examples.reports.length} reports asked.\n`);
  }
  return all;
}

/** Asks every report of the corpus on a throw-away stack. */
async function collectExamples(corpus: Corpus, progress: (text: string) => void): Promise<Examples> {
  await using loaded = await loadCorpus(corpus, (done, total) =>
    progress(`${corpus.name}: ${done} of ${total} runbooks`),
  );
  const reports: AskedMaterial[] = [];
  const documents: Record<string, SearchDocument> = {};
  await inBothConditions(corpus, loaded, async (report, condition) => {
    const answer = await ask(loaded.services, report, condition);
    if (answer) {
      reports.push(answer.material);
      for (const document of answer.documents) documents[document.id] = document;
    }
    progress(`${corpus.name}: ${reports.length} reports`);
  });
  return { corpus: corpus.name, documents, reports };
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
async function ask(
  services: Services,
  report: Report,
  condition: Condition,
): Promise<{ readonly material: AskedMaterial; readonly documents: readonly SearchDocument[] } | null> {
  const { request } = guard.request(report.request);
  const catalog = await domainCatalog(services);
  const incident = createIncident(request, { catalog, now: services.now(), newId: services.newId });
  if (incident.evidence.state !== null) return null;
  const vectors = embedReport(services, incident);
  const query = createRecallQuery(services, incident, vectors.report);
  const ageing = { now: services.now(), halfLifeDays: services.config.TIME_DECAY_HALFLIFE_DAYS };
  const { terms, corrections, hits, siblings } = await recallRunbooks(services, query, ageing);
  return {
    documents: [...hits.map(({ document }) => document), ...siblings],
    material: {
      report: { id: report.id, form: report.form, outcome: report.outcome },
      condition,
      right: [...rightSources(report, condition)],
      incident,
      terms,
      corrections,
      hits: hits.map(({ document, ...hit }) => ({ ...hit, id: document.id })),
      siblings: siblings.map(({ id }) => id),
    },
  };
}
