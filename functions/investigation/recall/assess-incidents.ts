// Relevance of past incidents: the probability that a record is of the reported failure, what is alike and what differs. The names
// of the affected services are left out on both sides: they are rare words, and other failures of a service have them too.
// Pure functions.

import { templateOf } from "../../../lib/logs/line-template.ts";
import { weighMechanisms } from "../../../lib/mechanisms/weigh-mechanisms.ts";
import { scoreOfProbability } from "../../../lib/ranking/rank-memory.ts";
import { withoutName } from "../../../lib/text/without-name.ts";
import type { Observation } from "../../memory/observation.ts";
import { fingerprintOfReport } from "../../memory/observed-report.ts";
import type { RecalledObservation } from "../../memory/recall-memory.ts";
import { isSameFailure } from "../../memory/same-failure.ts";
import type { Calibration } from "../../schemas/calibration.ts";
import type { FailureSignature } from "../../schemas/failure-signature.ts";
import type { Incident } from "../../schemas/incident.ts";
import type { HybridResult } from "../../search-index/hybrid-search.ts";
import { type FailureText, failureTextOf, readFailure } from "../relevance/failure-text.ts";
import type { ComparedRecord, Rarity } from "../relevance/incident-features.ts";
import { assessRecords, type IncidentModel } from "../relevance/incident-model.ts";
import { type Likeness, likenessOf, withServices } from "../relevance/likeness.ts";
import { atLeast, roundShare } from "../relevance/relevance.ts";
import { type RecalledIncident, reaches } from "./recall-result.ts";

export interface IncidentComparison {
  readonly report: FailureText;
  /** Most similar first. */
  readonly hits: readonly RecalledObservation[];
  /** In the order of the hits. */
  readonly records: readonly ComparedRecord[];
  readonly rarity: Rarity;
  /** Fingerprint of the report. */
  readonly fingerprint: string;
  readonly incident: Pick<Incident, "target" | "createdAt">;
}

/**
 * A report that repeats a record to the line, or to the word, is the same failure as far as anybody can say. No second report of
 * bench/incidents repeats one, so none depends on it.
 */
export const REPEAT_PROBABILITY = 0.8;

const LOG_FACT = /^Log: /;
const LABEL_FACT = /^Labels: /;
/** Weight of an error line of a record without a signature. */
const FACT_WEIGHT = 0.6;

/** The report and the past incidents as the model reads them. */
export function relevanceInputs(
  incident: Incident,
  incidents: readonly RecalledObservation[],
  { terms }: Pick<HybridResult, "terms">,
): IncidentComparison {
  // By similarity alone: the age and the score of a record do not change whether it is the same failure.
  const hits = incidents.toSorted((a, b) => b.ranking.similarity - a.ranking.similarity);
  return {
    report: failureTextOf(incident),
    hits,
    records: hits.map((hit) => ({
      failure: failureOf(hit.observation),
      distance: hit.distance,
      similarity: hit.ranking.similarity,
    })),
    rarity: rarityIn(terms),
    fingerprint: fingerprintOfReport(incident),
    incident,
  };
}

/**
 * The incidents with their relevance, in the order of the comparison.
 * @param repeatOf the record that has the fingerprint of the report: a joined one has several
 */
export function assessIncidents(
  model: IncidentModel,
  { report, hits, records, rarity, fingerprint, incident }: IncidentComparison,
  calibration: Calibration,
  repeatOf: Pick<Observation, "id"> | null = null,
): RecalledIncident[] {
  const assessed = assessRecords(model, report, { records, rarity, calibration });
  return hits.flatMap((hit, i) => {
    const [estimate, record] = [assessed[i], records[i]];
    if (!estimate || !record) return [];
    const isRepeat = hit.observation.fingerprint === fingerprint || hit.observation.id === repeatOf?.id;
    const relevance = isRepeat ? atLeast(estimate.relevance, REPEAT_PROBABILITY, "repeat") : estimate.relevance;
    return [
      {
        hit: { ...hit, score: scoreOfProbability(roundShare(relevance.probability), hit.ranking) },
        relevance,
        closeness: estimate.closeness,
        likeness: likenessTo(hit.observation, incident, likenessOf(report, record.failure)),
      },
    ];
  });
}

/**
 * The record that a report repeats though its fingerprint is new: the only one of its domain whose error lines are nearly the same
 * and that is probably the same failure. Null if there is none, or more than one, or if a person separated the record from another.
 */
export function nearRepeatOf(
  { report }: IncidentComparison,
  incidents: readonly RecalledIncident[],
  {
    domain,
    threshold,
    separated,
  }: {
    readonly domain: string;
    readonly threshold: number;
    readonly separated: readonly (readonly [string, string])[];
  },
): Observation | null {
  const near = incidents.filter(
    (each) =>
      each.hit.observation.domain === domain &&
      reaches(each, threshold) &&
      isSameFailure(report.signature, each.hit.observation.signature),
  );
  const [only, ...others] = near;
  if (only === undefined || others.length > 0) return null;
  const { observation } = only.hit;
  return separated.some((pair) => pair.includes(observation.id)) ? null : observation;
}

/** Reports of a record that show a time of day: fewer may fall together by chance. */
const MIN_REPORTS = 3;
const HOURS_APART = 1;
const DAY_HOURS = 24;

function likenessTo(
  observation: Observation,
  { target, createdAt }: IncidentComparison["incident"],
  likeness: Likeness,
): Likeness {
  return withServices(withTimeOfDay(likeness, observation, createdAt), target, observation.targets);
}

/** Adds the time of day if each earlier report was within an hour of it. */
function withTimeOfDay(likeness: Likeness, { seenAt }: Observation, reportedAt: Date): Likeness {
  const hourOf = (time: Date) => time.getUTCHours() + time.getUTCMinutes() / 60;
  const hour = hourOf(reportedAt);
  const isNear = (time: Date) => {
    const apart = Math.abs(hourOf(time) - hour);
    return Math.min(apart, DAY_HOURS - apart) <= HOURS_APART;
  };
  if (seenAt.length < MIN_REPORTS || !seenAt.every(isNear)) return likeness;
  const time = reportedAt.toISOString().slice(11, 16);
  return { ...likeness, alike: [...likeness.alike, `the time of day: around ${time} UTC`] };
}

/** idf relative to the mean of the query's terms; 1 for a term without statistics. */
function rarityIn(terms: HybridResult["terms"]): Rarity {
  const values = Object.values(terms).flatMap(({ df, idf }) => (df > 0 ? [idf] : []));
  const mean = values.reduce((sum, idf) => sum + idf, 0) / Math.max(1, values.length);
  return (term) => {
    const entry = Object.hasOwn(terms, term) ? terms[term] : undefined;
    return entry === undefined || entry.df === 0 || mean === 0 ? 1 : entry.idf / mean;
  };
}

function failureOf(observation: Observation): FailureText {
  const { title, target, facts, taskType } = observation;
  const signature = signatureOf(observation);
  const labels = facts.find((fact) => LABEL_FACT.test(fact))?.replace(LABEL_FACT, "") ?? "";
  return readFailure({
    signature,
    headline: withoutName(title, target ?? ""),
    target: target ?? "",
    labels: Object.fromEntries(
      labels.split(", ").map((pair) => [pair.split("=", 1).join(), pair.replace(/^[^=]*=/, "")]),
    ),
    type: taskType,
  });
}

/** The copy in the search index has no signature: its facts have the error lines. */
function signatureOf({ signature, target, title, facts }: Observation): FailureSignature {
  if (signature.version > 0) return signature;
  const names = target === null ? [] : [target];
  const errorLines = facts.filter((fact) => LOG_FACT.test(fact)).map((fact) => fact.replace(LOG_FACT, ""));
  return {
    ...signature,
    templates: errorLines.map((text) => ({ text: templateOf(text, names), weight: FACT_WEIGHT })),
    mechanisms: Object.fromEntries(weighMechanisms({ headline: title, errorLines, log: "" })),
  };
}
