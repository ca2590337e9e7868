// Made-up incidents in any number: those of the incident families with more services, and with error lines of the kind of
// failure. The more incidents, the more kinds. The same in every run.

import { createIncident } from "../../functions/incidents/create-incident.ts";
import { reportedFacts } from "../../functions/investigation/learning/summarise-triage.ts";
import type { Observation } from "../../functions/memory/observation.ts";
import { observedReport } from "../../functions/memory/observed-report.ts";
import type { Incident } from "../../functions/schemas/incident.ts";
import { SHIPPED_CATALOG } from "../../tests/support/domains.ts";
import { type FamilyIncident, incidentFamilies } from "../incidents/incident-families.ts";
import { randomNumbers } from "../support/random-numbers.ts";
import type { Corpus } from "./corpus.ts";
import { unitVector, unitVectorNear } from "./unit-vectors.ts";

export interface MadeUpIncident {
  readonly incident: Incident;
  readonly vector: readonly number[];
  readonly fix: string;
}

export interface MadeUpIncidents {
  /** Past incident `number` of a store with `total` of them. */
  past(number: number, total: number): MadeUpIncident;
  /** A new incident of a kind that every store has with at least `total` incidents. @param isLabelled whether labels name its domain */
  report(number: number, total: number, isLabelled: boolean): MadeUpIncident;
}

const NOW = Date.UTC(2026, 2, 2);
const DAY_MS = 86_400_000;
const MAX_AGE_DAYS = 720;
/** Of a family with the same error lines, in a store of any size: three rounds of the families. */
const ROUNDS_PER_KIND = 3;
/** Seeds of the families that are no past incidents. */
const REPORT_SEED = 1_000_000;
/** Coprime to the incidents of a round, so that all of them are reported. */
const REPORT_STEP = 13;
const TEAMS = 100;
/** The error lines of a kind are every tenth line of its log. */
const KIND_LOG_LINES = 20;
/** Distance of the kinds of one family, and of the incidents of one kind. */
const KIND_SPREAD = 0.7;
const INCIDENT_SPREAD = 0.6;

export function createMadeUpIncidents(corpus: Corpus, dimensions: number): MadeUpIncidents {
  const teams = Array.from({ length: TEAMS }, (_, i) => corpus.topic(i)[0] ?? "");
  let cached: { readonly seed: number; readonly incidents: readonly KindredIncident[] } | undefined;
  const incidentsOf = (seed: number): readonly KindredIncident[] => {
    cached = cached?.seed === seed ? cached : { seed, incidents: kindredIncidents(seed) };
    return cached.incidents;
  };
  const perRound = incidentsOf(1).length;
  const variants = (total: number) => Math.max(1, Math.ceil(total / perRound / ROUNDS_PER_KIND));
  const errorLines = (kind: number) =>
    corpus
      .log(kind, kind, KIND_LOG_LINES)
      .split("\n")
      .filter((line) => line.includes(" ERROR "));

  const create = (seed: number, place: number, variant: number, isLabelled: boolean): MadeUpIncident => {
    const { base, family, cause } = incidentsOf(seed)[place] ?? failPlace(place);
    const kind = variant * 1_000 + cause;
    const random = randomNumbers(seed * 1_000 + place);
    const team = teams[Math.floor(random() * teams.length)] ?? "";
    const { target, title, labels, logs, severity } = base.report;
    const service = `${team}-${target}`;
    const rename = (text: string) => text.replaceAll(target, service);
    const log = logs === undefined ? {} : { logs: [rename(logs), ...errorLines(kind)].join("\n") };
    const createdAt = new Date(NOW - Math.floor(random() * MAX_AGE_DAYS * DAY_MS));
    const id = uuidOf(seed, place);
    const request = { title: rename(title), target: service, severity, labels: isLabelled ? labels : {}, ...log };
    const centre = unitVectorNear(unitVector(randomNumbers(family), dimensions), KIND_SPREAD, randomNumbers(kind));
    return {
      incident: createIncident(request, { catalog: SHIPPED_CATALOG, now: createdAt, newId: () => id }),
      vector: unitVectorNear(centre, INCIDENT_SPREAD, random),
      fix: rename(base.fix),
    };
  };
  return {
    past(number, total) {
      const round = Math.floor(number / perRound);
      return create(round + 1, number % perRound, round % variants(total), true);
    },
    report(number, total, isLabelled) {
      const place = (number * REPORT_STEP) % perRound;
      return create(REPORT_SEED + number, place, number % variants(total), isLabelled);
    },
  };
}

/** The record of a past incident, as a triage that explained it leaves it. */
export function madeUpObservation({ incident, fix }: MadeUpIncident): Observation {
  const { id, title, target, severity, createdAt, type, domain } = incident;
  const report = observedReport(incident);
  const isResolved = Number.parseInt(id.slice(-1), 16) % 2 === 0;
  return {
    id,
    domain: domain.name,
    // Repeats to the word are as rare as a made-up incident can make them: each has a record of its own.
    fingerprint: `${report.fingerprint} ${id}`,
    signature: report.signature,
    version: 1,
    title,
    narrative: `Covered ${type.name.replaceAll("_", " ")} on ${target} in the ${domain.name} domain. A cause was named.`,
    facts: [...reportedFacts(incident), "Outcome: Known failure, 80 %"],
    writtenBy: "extractive",
    taskType: type.name,
    target,
    targets: target === null ? [] : [target],
    severity,
    toolsUsed: "",
    finalScore: 8,
    reviewScore: null,
    occurrences: 1,
    firstSeenAt: createdAt,
    lastSeenAt: createdAt,
    seenAt: [createdAt],
    resolution: isResolved ? { text: fix, by: "on-call", at: createdAt } : null,
    fixes: [],
  };
}

interface KindredIncident {
  readonly base: FamilyIncident;
  readonly family: number;
  /** The members of a family share a cause; each look-alike has one of its own. */
  readonly cause: number;
}

function kindredIncidents(seed: number): KindredIncident[] {
  return incidentFamilies(seed).flatMap(({ members, lookAlikes }, family) => [
    ...members.map((base) => ({ base, family, cause: family * 10 })),
    ...lookAlikes.map((base, i) => ({ base, family, cause: family * 10 + i + 1 })),
  ]);
}

function uuidOf(seed: number, place: number): string {
  const hex = (value: number, length: number) => value.toString(16).padStart(length, "0");
  return `${hex(seed, 8)}-0000-4000-8000-${hex(seed * 1_000 + place, 12)}`;
}

function failPlace(place: number): never {
  throw new RangeError(`A round of the families has no incident ${place}.`);
}
