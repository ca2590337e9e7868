// Step "recall": searches runbooks, past incidents, past answers and procedures in parallel. If a search fails, the others
// still give a result.

import { searchLines } from "../../../lib/logs/search-lines.ts";
import { slugOf } from "../../../lib/markdown/topics.ts";
import { mechanismTerms } from "../../../lib/mechanisms/weigh-mechanisms.ts";
import { withoutMarkers } from "../../../lib/redaction/redaction-marker.ts";
import type { Config } from "../../config.ts";
import type { DependencyError } from "../../dependencies.ts";
import type { SessionPastAnswers } from "../../incidents/run-records.ts";
import { namesType } from "../../knowledge/domains/classify-incident.ts";
import { scopeOf } from "../../knowledge/domains/route-domain.ts";
import { type RecallQuery, recallRunbooks, runbookQuery } from "../../knowledge/recall-runbooks.ts";
import { fingerprintOfReport } from "../../memory/observed-report.ts";
import { readSignature } from "../../memory/read-signature.ts";
import {
  incidentQuery,
  type MemoryQuery,
  type MemorySearches,
  type MemorySearchQuery,
  type RecalledMemory,
  recallMemory,
  searchMemory,
} from "../../memory/recall-memory.ts";
import { type Calibration, DEFAULT_CALIBRATION } from "../../schemas/calibration.ts";
import { UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import { type Incident, recallQuery, searchText } from "../../schemas/incident.ts";
import type { ChosenRunbook } from "../../schemas/triage-result.ts";
import { type HybridHit, type HybridResult, searchKeywordsTogether } from "../../search-index/hybrid-search.ts";
import { type SearchDocument, topicOf } from "../../search-index/search-document.ts";
import { inSpan } from "../../telemetry/span.ts";
import { atLeast, type Relevance, roundShare } from "../relevance/relevance.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { assessIncidents, nearRepeatOf, REPEAT_PROBABILITY, relevanceInputs } from "./assess-incidents.ts";
import { embedReport, failureText, type ReportVectors } from "./embed-report.ts";
import { memoryRecallAttributes } from "./recall-attributes.ts";
import {
  type NamedCause,
  type Recall,
  type RecalledIncident,
  type RecalledRunbook,
  RecallUnavailable,
  sameFailureFrom,
} from "./recall-result.ts";
import { groupOf, searchForRunbooks } from "./search-for-runbooks.ts";

export interface RecallContext {
  /** Ids of the session's newest past answers. */
  readonly sessionPastAnswers: SessionPastAnswers;
  /** Sections of the runbook that the report names; empty if it is not stored. */
  readonly attached: readonly SearchDocument[];
  /** Searches for the report before its classification, if they were started. */
  readonly searches?: StartedSearches | undefined;
  /** Vectors of the report before its classification, if they were requested. */
  readonly vectors?: ReportVectors | undefined;
  /** Of the deployment; the default if omitted. */
  readonly calibration?: Calibration | undefined;
  /** Texts that show the names in the session; empty if omitted. */
  readonly sessionNames?: readonly string[];
  readonly runbooksLoading?: boolean;
}

/** The searches for an incident, under way. They need nothing of the session and of the run. */
export interface StartedSearches {
  readonly incident: Incident;
  readonly query: RecallQuery;
  readonly memoryQuery: MemorySearchQuery;
  readonly runbooks: Promise<HybridResult>;
  readonly memory: MemorySearches;
}

export function startSearches(
  services: InvestigationServices,
  incident: Incident,
  vectors: ReportVectors,
): StartedSearches {
  const query = createRecallQuery(services, incident, vectors.report);
  const memoryQuery = createMemoryQuery(services, incident, { query, vectors });
  const [runbookKeywords, incidentKeywords] = searchKeywordsTogether(services.database, [
    runbookQuery(query),
    incidentQuery(memoryQuery),
  ]);
  const ageing = { now: incident.createdAt, halfLifeDays: services.config.TIME_DECAY_HALFLIFE_DAYS };
  const runbooks = recallRunbooks(services, query, ageing, runbookKeywords);
  const memory = searchMemory(services, memoryQuery, incidentKeywords);
  // The recall reports a failure. Without a recall, nobody waits for the searches.
  for (const search of [runbooks, ...Object.values(memory)]) search.catch(() => {});
  return { incident, query, memoryQuery, runbooks, memory };
}

/**
 * Searches for everything that may help with the incident. `missing` of the result lists the failed dependencies.
 * @throws RecallUnavailable when every search of runbooks and past incidents failed
 */
export async function recall(
  services: InvestigationServices,
  incident: Incident,
  {
    sessionPastAnswers,
    attached,
    searches: early,
    vectors,
    calibration = DEFAULT_CALIBRATION,
    sessionNames = [],
    runbooksLoading = false,
  }: RecallContext,
): Promise<Recall> {
  const { config } = services;
  const vectorsOf = () =>
    vectors?.text === searchText(incident) ? vectors : embedReport(services, incident, sessionNames);
  const searches = early?.incident === incident ? early : startSearches(services, incident, vectorsOf());
  const { query } = searches;
  const memoryQuery = { ...searches.memoryQuery, sessionPastAnswers };
  const [{ search, runbooks, lookedFurther }, memory] = await Promise.all([
    searchForRunbooks(services, incident, { query, attached, calibration, search: searches.runbooks }),
    inSpan("RETRIEVER", "recall memory", async (span) => {
      const search = await recallMemory(services, memoryQuery, searches.memory);
      span.set(() => memoryRecallAttributes(memoryQuery.failure.keywords, search));
      if (search.failed) span.fail("BothSearchesFailed", "neither keywords nor vectors could be searched");
      return search;
    }),
  ]);
  if (search.failed && memory.failed) throw new RecallUnavailable(distinctFailures(search.missing));

  // Incidents are scored with the term statistics of the runbooks too: the statistics of a small memory do not show which
  // words are common.
  const terms = Object.keys(search.terms).length > 0 ? search.terms : memory.terms;
  const comparison = relevanceInputs(incident, memory.incidents, { terms });
  const incidents = assessIncidents(services.relevanceModels.incidents, comparison, calibration, memory.repeatOf);
  const { separated } = memory;
  const named = namedInstead(memory, incidents, { fingerprint: comparison.fingerprint, from: sameFailureFrom(config) });
  const nearRepeat = { domain: incident.domain.name, threshold: sameFailureFrom(config), separated };
  return {
    runbooks: placeAttachedFirst(runbooks, incident, named.runbook ?? { sections: attached }),
    namedCause: named.cause,
    lookedFurther,
    runbooksLoading,
    incidents: incidents
      .toSorted((a, b) => compareOrder(a, b, incident, config))
      .slice(0, config.INCIDENT_RECALL_LIMIT),
    pastAnswers: memory.pastAnswers,
    procedure: memory.procedure,
    answerProbabilities: answerProbabilities(memory.records, incidents),
    checks: [],
    repeatOf: memory.repeatOf ?? (memory.isAmbiguous ? null : nearRepeatOf(comparison, incidents, nearRepeat)),
    missing: distinctFailures([...search.missing, ...memory.missing]),
  };
}

/** The probability of the most probable record that each past answer or procedure is about. */
function answerProbabilities(
  records: RecalledMemory["records"],
  incidents: readonly RecalledIncident[],
): ReadonlyMap<string, number> {
  const ofRecords = new Map(incidents.map(({ hit, relevance }) => [hit.observation.id, relevance.probability]));
  return new Map(
    [...records].flatMap(([id, recordIds]) => {
      const assessed = recordIds.flatMap((recordId) => ofRecords.get(recordId) ?? []);
      return assessed.length === 0 ? [] : [[id, Math.max(...assessed)] as const];
    }),
  );
}

/**
 * Builds the query for runbooks, past answers and procedures.
 */
export function createRecallQuery(
  { config, domains }: Pick<InvestigationServices, "config" | "domains">,
  incident: Incident,
  vector: Promise<readonly number[]>,
): RecallQuery {
  const { name, decidedBy } = incident.domain;
  const { catalog } = domains.current();
  const type = {
    name: incident.type.name,
    domain: decidedBy === "none" ? null : name,
    isNamedIn: (text: string) => namesType(catalog, incident.domain, { type: incident.type.name, text }),
  };
  return {
    scope: scopeOf(incident.domain),
    vector,
    keywords: [recallQuery(incident), withoutMarkers(incident.target ?? ""), ...searchLines(incident.evidence)].join(
      "\n",
    ),
    candidates: config.SEARCH_CANDIDATES,
    incidentType: type.name === UNKNOWN_INCIDENT_TYPE ? undefined : type,
  };
}

/** Builds the query for memory. */
export function createMemoryQuery(
  { config }: Pick<InvestigationServices, "config">,
  incident: Incident,
  { query, vectors }: { readonly query: RecallQuery; readonly vectors: ReportVectors },
): MemorySearchQuery {
  return {
    ...query,
    domain: incident.domain.name,
    failure: {
      vector: vectors.failure,
      keywords: failureKeywords(incident),
      // The same failure is filed under the domain of the tool that reports it: its domain is a weak sign beside its lines.
      scope: { ...query.scope, only: null },
    },
    excludedIds: [incident.id],
    fingerprint: fingerprintOfReport(incident),
    sessionId: incident.sessionId,
    now: incident.createdAt,
    limits: recallLimits(config),
  };
}

/** Error lines that say what failed: the other words of the log would only add noise. */
const ENOUGH_LINES = 3;
const MAX_LOG_WORDS = 60;

/**
 * The failure, its mechanisms, the name of the target, and the words of the log if it has few error lines. The name brings
 * what failed there before, in other words.
 */
function failureKeywords(incident: Incident): string {
  const text = failureText(incident, recallQuery(incident));
  const { mechanisms, words } = readSignature(incident);
  const logWords = incident.evidence.lines.length >= ENOUGH_LINES ? [] : words.slice(0, MAX_LOG_WORDS);
  const name = withoutMarkers(incident.target ?? "");
  return [text, name, ...mechanismTerms(mechanisms), ...logWords].join("\n");
}

export function recallLimits(config: Config): MemoryQuery["limits"] {
  return {
    maxDistance: config.INCIDENT_MAX_DISTANCE,
    halfLifeDays: config.TIME_DECAY_HALFLIFE_DAYS,
    sessionBoost: config.SESSION_BOOST,
    pastAnswers: config.PAST_ANSWER_RECALL_LIMIT,
  };
}

/**
 * Relevant incidents with a fix come first, then other relevant ones, by score; at equal rounded scores, the same target. The
 * others follow by closeness: small probabilities differ by chance.
 */
function compareOrder(a: RecalledIncident, b: RecalledIncident, { target }: Incident, config: Config): number {
  const isSameTarget = ({ hit }: RecalledIncident) => Number(target !== null && hit.observation.target === target);
  const areRelevant = isRelevant(a, config) && isRelevant(b, config);
  return (
    Number(hasRelevantFix(b, config)) - Number(hasRelevantFix(a, config)) ||
    Number(isRelevant(b, config)) - Number(isRelevant(a, config)) ||
    (areRelevant
      ? roundShare(b.hit.score) - roundShare(a.hit.score)
      : roundShare(b.closeness) - roundShare(a.closeness)) ||
    isSameTarget(b) - isSameTarget(a) ||
    b.hit.score - a.hit.score
  );
}

function isRelevant({ relevance }: RecalledIncident, config: Pick<Config, "POSSIBLE_THRESHOLD">): boolean {
  return relevance.probability >= config.POSSIBLE_THRESHOLD;
}

/** Whether the incident is relevant and has a recorded fix. */
function hasRelevantFix(incident: RecalledIncident, config: Pick<Config, "POSSIBLE_THRESHOLD">): boolean {
  return isRelevant(incident, config) && incident.hit.observation.resolution !== null;
}

/** Drops repetitions of the same failure of the same dependency. */
function distinctFailures(failures: readonly DependencyError[]): DependencyError[] {
  return [...new Map(failures.map((failure) => [`${failure.dependency} ${failure.failure}`, failure])).values()];
}

/**
 * The runbook and the cause that a person named for the same failure: a correction follows the failure, as a fix does. The most
 * probable record counts.
 * @param from the probability from which a record is the same failure
 */
function namedInstead(
  { corrections, repeatOf }: Pick<RecalledMemory, "corrections" | "repeatOf">,
  incidents: readonly RecalledIncident[],
  { fingerprint, from }: { readonly fingerprint: string; readonly from: number },
): { readonly runbook: Attachment | undefined; readonly cause: NamedCause | null } {
  const ofRecords = new Map(incidents.map((each) => [each.hit.observation.id, each]));
  const named = corrections
    .map((correction) => {
      const assessed = ofRecords.get(correction.record);
      const observation = assessed?.hit.observation ?? repeatOf;
      const isRepeat = correction.record === repeatOf?.id || observation?.fingerprint === fingerprint;
      const estimate = roundShare(assessed?.relevance.probability ?? 0);
      const probability = isRepeat ? Math.max(estimate, REPEAT_PROBABILITY) : estimate;
      return { ...correction, title: observation?.title ?? "", isRepeat, probability };
    })
    .filter(({ probability }) => probability >= from)
    .toSorted((a, b) => b.probability - a.probability);
  const cause = named.find(({ part }) => part === "cause");
  const runbook = named.find(({ part, sections }) => part === "runbook" && sections.length > 0);
  return {
    runbook: runbook && {
      sections: runbook.sections,
      probability: runbook.probability,
      chosen: {
        by: runbook.by,
        at: runbook.at,
        ...(runbook.isRepeat ? {} : { probability: runbook.probability }),
      },
    },
    cause: cause === undefined ? null : { ...cause, text: cause.right },
  };
}

/** More than all other features together can add, so that an attached runbook ranks first. */
const ATTACHED_VALUE = 10;
/** A person chose the runbook. Less than 1, because alerts are copied and links become outdated. */
const ATTACHED_PROBABILITY = 0.8;

const NOT_ASSESSED: Relevance = { probability: 0, logOdds: 0, contributions: {} };

/** A runbook that the report names, or that a person chose. */
interface Attachment {
  /** Empty if it is not stored here. */
  readonly sections: readonly SearchDocument[];
  readonly probability?: number;
  readonly chosen?: ChosenRunbook;
}

function placeAttachedFirst(
  runbooks: readonly RecalledRunbook[],
  incident: Incident,
  { sections, probability = ATTACHED_PROBABILITY, chosen }: Attachment,
): readonly RecalledRunbook[] {
  const opening = attachedOpening(runbooks, sections, incident.runbook ?? "");
  if (opening === undefined) return runbooks;
  const group = groupOf(opening, sections);
  const searched = runbooks.find((runbook) => runbook.key === group.key);
  const [best, ...others] = searched?.hits ?? [];
  // Only its best section gets the bonus: all of them would displace the other runbooks.
  const hits = [withAttachment(best ?? { document: opening, score: 0, contributions: {} }, chosen), ...others];
  const relevance = atLeast(searched?.relevance ?? NOT_ASSESSED, probability, "attached");
  return [{ ...group, relevance, hits }, ...runbooks.filter((runbook) => runbook !== searched)];
}

/** A section of the topic that the address names by its anchor, else of the nearest topic of the text, else its first section. */
function attachedOpening(
  runbooks: readonly RecalledRunbook[],
  sections: readonly SearchDocument[],
  address: string,
): SearchDocument | undefined {
  const anchor = slugOf(address.split("#")[1] ?? "");
  const keys = sections.map((section) => topicOf(section).key);
  const named = sections.find((section, i) => keys[i] === `${section.source}#${anchor}`);
  const nearest = runbooks.find(({ key }) => keys.includes(key))?.hits[0]?.document;
  return named ?? sections.find(({ id }) => id === nearest?.id) ?? sections[0];
}

function withAttachment(hit: HybridHit, chosen: ChosenRunbook | undefined): HybridHit {
  return {
    ...hit,
    score: hit.score + ATTACHED_VALUE,
    contributions: { ...hit.contributions, attached: { rank: 1, value: ATTACHED_VALUE } },
    ...(chosen === undefined ? {} : { chosen }),
  };
}
