// Examples for the relevance model of past incidents. The incidents of all families are triaged and resolved. Then each is the
// query for the others, and each recalled incident becomes an example with its features.

import { type FamilyIncident, type IncidentFamily, incidentFamilies } from "../incidents/incident-families.ts";
import { createProcessMemory, type ProcessMemory } from "../support/process-memory.ts";
import {
  type AskedIncident,
  askIncident,
  INCIDENT_FORMS,
  type IncidentCondition,
  type IncidentExamples,
  type IncidentForm,
  NOW,
  type TriageReport,
} from "./ask-incident.ts";

/** Families of one failure in two technologies. A member of the one is neither right nor wrong for the other. */
const SAME_FAILURE: readonly (readonly [string, string])[] = [
  ["docker/default-bridge-dns", "podman/default-network-names"],
  ["docker/firewall-flush", "podman/firewalld-reload"],
];
const SEED = 1;

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

/** Stores all families in this process and asks each incident in each condition and form. */
export async function collectIncidentExamples(progress: (text: string) => void): Promise<IncidentExamples[]> {
  const memory = await createProcessMemory();
  const queries = incidentQueries(await storeFamilies(memory));
  const collected: { readonly group: string; readonly report: AskedIncident }[] = [];
  for (const query of queries)
    for (const form of formsOf(query)) {
      collected.push({
        group: query.group,
        report: await askIncident(memory, reportOf(query, form), { ...query, form }),
      });
      progress(`incidents: ${collected.length} reports`);
    }
  return [...Map.groupBy(collected, ({ group }) => group)].map(([group, ofGroup]) => ({
    group,
    reports: ofGroup.map(({ report }) => report),
  }));
}

async function storeFamilies(memory: ProcessMemory): Promise<StoredFamily[]> {
  const store = async (incidents: readonly FamilyIncident[]) => {
    const ids: string[] = [];
    for (const { report, fix } of incidents) ids.push(await memory.store(memory.incidentOf(report, NOW), fix));
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

function reportOf({ incident }: IncidentQuery, form: IncidentForm): TriageReport {
  const { logs, ...headline } = incident.report;
  return form === "title" || logs === undefined ? headline : { ...headline, logs };
}
