// Examples for the relevance model of past incidents. The incidents of all families are triaged and resolved. Then each is the
// query for the others, and each recalled incident becomes an example with its features.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { createIncident } from "../../../functions/incidents/create-incident.ts";
import { guardRequest } from "../../../functions/incidents/guard-request.ts";
import { compareIncidents } from "../../../functions/investigation/recall/assess-incidents.ts";
import { embedReport } from "../../../functions/investigation/recall/embed-report.ts";
import { createMemoryQuery, createRecallQuery } from "../../../functions/investigation/recall/recall.ts";
import { relevanceFeatures } from "../../../functions/investigation/relevance/relevance-features.ts";
import { kindOfReport, type ReportKind } from "../../../functions/investigation/relevance/relevance-model.ts";
import { domainCatalog } from "../../../functions/knowledge/domain-store.ts";
import { recallRunbooks } from "../../../functions/knowledge/recall-runbooks.ts";
import { recallMemory } from "../../../functions/memory/recall-memory.ts";
import { createServices, type Services } from "../../../functions/services.ts";
import { VECTOR_CACHE } from "../../integration/support/vector-cache.ts";
import { type FamilyIncident, type IncidentFamily, incidentFamilies } from "../incidents/incident-families.ts";
import { storePastIncident } from "../incidents/past-incidents.ts";
import type { Candidate } from "./examples.ts";
import { LONG_TIMEOUTS } from "./stores.ts";

/**
 * `family`: the other members are stored. `one`: one of them is. `removed`: none of them is, only other failures.
 * `repeat`: the same report again, its own record and the other members are stored. `look_alike`: the query has the words of a stored family, but another cause.
 */
export const INCIDENT_CONDITIONS = ["family", "one", "removed", "repeat", "look_alike"] as const;
export type IncidentCondition = (typeof INCIDENT_CONDITIONS)[number];

/** `evidence`: the report with its log. `title`: without it. */
export const INCIDENT_FORMS = ["evidence", "title"] as const;
export type IncidentForm = (typeof INCIDENT_FORMS)[number];

export interface AskedIncident {
  readonly id: string;
  readonly condition: IncidentCondition;
  readonly form: IncidentForm;
  readonly kind: ReportKind;
  /** Most similar first. `source` is the id. */
  readonly candidates: readonly Candidate[];
}

export interface IncidentExamples {
  /** The technology of the families. */
  readonly group: string;
  readonly reports: readonly AskedIncident[];
}

/** Families of one failure in two technologies. A member of the one is neither right nor wrong for the other. */
const SAME_FAILURE: readonly (readonly [string, string])[] = [
  ["docker/default-bridge-dns", "podman/default-network-names"],
  ["docker/firewall-flush", "podman/firewalld-reload"],
];
const SEED = 1;
const NOW = new Date("2026-03-02T09:00:00Z");

/** An incident as a query. */
export interface IncidentQuery {
  readonly id: string;
  readonly group: string;
  readonly incident: FamilyIncident;
  readonly condition: IncidentCondition;
  /** Ids of past incidents with the same cause. */
  readonly right: ReadonlySet<string>;
  readonly excludedIds: readonly string[];
}

export interface StoredFamily extends Pick<IncidentFamily, "domain" | "name" | "members" | "lookAlikes"> {
  readonly memberIds: readonly string[];
  readonly lookAlikeIds: readonly string[];
}

/** Stores all families on a throw-away stack and asks each incident in each condition and form. */
export async function collectIncidentExamples(progress: (text: string) => void): Promise<IncidentExamples[]> {
  const stack = await startStack({
    dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
    ephemeral: true,
    services: ["gateway", "chroma", "embeddings"],
    vectorCache: VECTOR_CACHE,
  });
  try {
    await seedRunbooks({ env: stack.workerEnv });
    const services = createServices({ ...stack.workerEnv, ...LONG_TIMEOUTS }, { log: () => {}, now: () => NOW });
    const queries = incidentQueries(await storeFamilies(services, progress));
    const collected: { readonly group: string; readonly report: AskedIncident }[] = [];
    for (const query of queries)
      for (const form of formsOf(query)) {
        collected.push({ group: query.group, report: await ask(services, query, form) });
        progress(`incidents: ${collected.length} reports`);
      }
    return [...Map.groupBy(collected, ({ group }) => group)].map(([group, ofGroup]) => ({
      group,
      reports: ofGroup.map(({ report }) => report),
    }));
  } finally {
    await stack.stop();
  }
}

async function storeFamilies(services: Services, progress: (text: string) => void): Promise<StoredFamily[]> {
  let stored = 0;
  const store = async (incidents: readonly FamilyIncident[]) => {
    const ids: string[] = [];
    for (const incident of incidents) {
      ids.push(await storePastIncident(services, incident));
      progress(`incidents: ${++stored} stored`);
    }
    return ids;
  };
  const families: StoredFamily[] = [];
  for (const family of incidentFamilies(SEED))
    families.push({
      ...family,
      memberIds: await store(family.members),
      lookAlikeIds: await store(family.lookAlikes),
    });
  return families;
}

/** Every member in three conditions, and every look-alike. */
export function incidentQueries(families: readonly StoredFamily[]): IncidentQuery[] {
  return families.flatMap((family) => {
    const { domain: group, name, memberIds, lookAlikeIds } = family;
    const others = families.filter((each) => isSameFailure(family, each)).flatMap((each) => each.memberIds);
    const members = family.members.flatMap((incident, i): IncidentQuery[] => {
      const id = memberIds[i] ?? "";
      const relatives = memberIds.filter((each) => each !== id);
      const kept = relatives.at(i % relatives.length);
      const query = (condition: IncidentCondition, right: readonly string[]): IncidentQuery => ({
        ...{ id, group, incident, condition, right: new Set(right) },
        excludedIds: [id, ...others, ...relatives.filter((each) => !right.includes(each))],
      });
      const repeat: IncidentQuery = { ...query("repeat", memberIds), excludedIds: others };
      return [repeat, query("family", relatives), query("one", kept === undefined ? [] : [kept]), query("removed", [])];
    });
    const lookAlikes = family.lookAlikes.map((incident, i): IncidentQuery => {
      const id = lookAlikeIds[i] ?? `${name} ${i}`;
      return { id, group, incident, condition: "look_alike", right: new Set(), excludedIds: [id] };
    });
    return [...members, ...lookAlikes];
  });
}

function isSameFailure(a: StoredFamily, b: StoredFamily): boolean {
  const [first, second] = [a, b].map(({ domain, name }) => `${domain}/${name}`);
  return SAME_FAILURE.some(
    (pair) => pair.some((each) => each === first) && pair.some((each) => each === second) && a !== b,
  );
}

function formsOf({ incident }: IncidentQuery): readonly IncidentForm[] {
  return incident.report.logs === undefined ? ["title"] : INCIDENT_FORMS;
}

async function ask(services: Services, query: IncidentQuery, form: IncidentForm): Promise<AskedIncident> {
  const { logs, ...headline } = query.incident.report;
  const { request } = guardRequest(form === "title" || logs === undefined ? headline : { ...headline, logs });
  const catalog = await domainCatalog(services);
  const incident = createIncident(request, { catalog, now: NOW, newId: services.newId });
  const vectors = embedReport(services, incident);
  const recallQuery = createRecallQuery(services, incident, vectors.report);
  const memoryQuery = createMemoryQuery(services, incident, { query: recallQuery, vectors, sessionPastAnswers: [] });
  const ageing = { now: NOW, halfLifeDays: services.config.TIME_DECAY_HALFLIFE_DAYS };
  const [search, memory] = await Promise.all([
    recallRunbooks(services, recallQuery, ageing),
    recallMemory(services, { ...memoryQuery, excludedIds: query.excludedIds }),
  ]);
  const { report, hits, candidates } = compareIncidents(incident, memory.incidents, search);
  const features = relevanceFeatures(report, candidates);
  return {
    id: query.id,
    condition: query.condition,
    form,
    kind: kindOfReport(report),
    candidates: hits.map(({ document }, i) => ({
      source: document.id,
      isRight: query.right.has(document.id),
      features: features[i] ?? {},
    })),
  };
}
