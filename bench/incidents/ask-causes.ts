// Stores one incident of each cause and system on a throw-away stack, and asks others of the same causes: again, from another
// view, with only other systems on record, and with nothing of the cause on record.

import { getIncident } from "../../functions/incidents/incident-records.ts";
import type { Services } from "../../functions/services.ts";
import {
  type CauseFamily,
  type CauseReport,
  drawFix,
  drawLookAlike,
  drawReport,
  type HealthyReport,
  SERVICES,
} from "./cause-families.ts";
import type { FamilyIncident } from "./incident-families.ts";

/**
 * `again`: the report of the same system and view, with other names, numbers and noise. `other_view`: evidence of another tool.
 * `other_system`: only other systems with the cause are on record. `removed`: the cause is not on record. `look_alike`: similar symptoms,
 * another cause that is not on record. `healthy`: nothing is wrong.
 */
export const CAUSE_CONDITIONS = ["again", "other_view", "other_system", "removed", "look_alike", "healthy"] as const;
export type CauseCondition = (typeof CAUSE_CONDITIONS)[number];

export interface CauseQuery {
  readonly name: string;
  readonly group: string;
  readonly condition: CauseCondition;
  /** `title`: a specific title without evidence. */
  readonly form: "evidence" | "title";
  readonly report: Omit<CauseReport, "logs"> & Partial<Pick<CauseReport, "logs">>;
  /** Ids of records with the cause; of those, the record of the same system. */
  readonly right: ReadonlySet<string>;
  readonly own: string | null;
  readonly excludedIds: readonly string[];
}

export interface StoredCause {
  readonly family: CauseFamily;
  /** Of each system. */
  readonly ids: readonly string[];
  readonly lookAlikeIds: readonly string[];
}

/** @param storeIncident stores it as resolved and returns its id */
export async function storeCauses(
  families: readonly CauseFamily[],
  storeIncident: (incident: Pick<FamilyIncident, "report" | "fix">) => Promise<string>,
): Promise<StoredCause[]> {
  let seed = 0;
  const store = (report: CauseReport, fixes: readonly string[]) => {
    const draw = { seed, service: report.target };
    return storeIncident({ report: { severity: "high", ...report }, fix: drawFix(fixes, draw) });
  };
  const stored: StoredCause[] = [];
  for (const family of families) {
    const ids: string[] = [];
    for (const [place, system] of family.systems.entries()) {
      seed += 1;
      const title = seed % 2 === 0 ? "vague" : "specific";
      ids.push(await store(drawReport(system, { seed, service: serviceOf(seed), view: place, title }), system.fixes));
    }
    const lookAlikeIds: string[] = [];
    for (const lookAlike of family.look_alikes) {
      seed += 1;
      lookAlikeIds.push(await store(drawLookAlike(lookAlike, { seed, service: serviceOf(seed) }), [lookAlike.fix]));
    }
    stored.push({ family, ids, lookAlikeIds });
  }
  return stored;
}

export function causeQueries(stored: readonly StoredCause[], healthy: readonly HealthyReport[]): CauseQuery[] {
  let seed = 10_000;
  const queries = stored.flatMap(({ family, ids, lookAlikeIds }) => {
    const group = family.name;
    const ofSystems = family.systems.flatMap((system, place): CauseQuery[] => {
      const own = ids[place] ?? "";
      const draw = (view: number, title: "vague" | "specific") =>
        drawReport(system, { seed: ++seed, service: serviceOf(seed), view, title });
      const again = draw(place, "vague");
      const otherView = draw(place + 1, seed % 2 === 0 ? "vague" : "specific");
      const { logs: _, ...title } = draw(place, "specific");
      const name = `${family.name}/${place}`;
      const base = { name, group, own, right: new Set(ids), excludedIds: [], form: "evidence" } as const;
      const others = new Set(ids.filter((id) => id !== own));
      const withoutOwn = { ...base, own: null, right: others, excludedIds: [own] };
      const removed = { ...base, own: null, right: new Set<string>(), excludedIds: ids };
      return [
        { ...base, condition: "again", report: again },
        { ...base, condition: "other_view", report: otherView },
        { ...withoutOwn, condition: "other_system", report: again },
        { ...withoutOwn, condition: "other_system", report: otherView },
        { ...removed, condition: "removed", report: again },
        { ...removed, condition: "removed", report: otherView },
        { ...base, condition: "again", form: "title", report: title },
        { ...removed, condition: "removed", form: "title", report: title },
      ];
    });
    const ofLookAlikes = family.look_alikes.map((lookAlike, place): CauseQuery => {
      const report = drawLookAlike(lookAlike, { seed: ++seed, service: serviceOf(seed) });
      const excludedIds = lookAlikeIds.filter((_, i) => i === place);
      const name = `${family.name}/look-alike-${place}`;
      const base = { name, group, form: "evidence", own: null, right: new Set<string>() } as const;
      return { ...base, condition: "look_alike", report, excludedIds };
    });
    return [...ofSystems, ...ofLookAlikes];
  });
  const ofHealthy = healthy.map((each, place): CauseQuery => {
    const report = drawLookAlike(each, { seed: ++seed, service: serviceOf(seed) });
    const name = `healthy-${place}`;
    const base = { name, group: name, form: "evidence", own: null, right: new Set<string>() } as const;
    return { ...base, condition: "healthy", report, excludedIds: [] };
  });
  return [...queries, ...ofHealthy];
}

function serviceOf(seed: number): string {
  return SERVICES[(seed * 5) % SERVICES.length] ?? "";
}

export interface KeptFixes {
  readonly incidents: number;
  /** Records that hold incidents of more than one cause. */
  readonly mixed: number;
  /** Incidents whose fix is not active any more: a fix of another cause replaced it. */
  readonly replaced: number;
}

/** What became of the stored incidents and their fixes. */
export async function keptFixes(services: Services, stored: readonly StoredCause[]): Promise<KeptFixes> {
  const causes = stored.flatMap(({ family, ids, lookAlikeIds }) => [
    ...ids.map((id) => ({ id, cause: family.name })),
    ...lookAlikeIds.map((id, i) => ({ id, cause: `${family.name} look-alike ${i}` })),
  ]);
  const causesByRecord = new Map<string, Set<string>>();
  let replaced = 0;
  for (const { id, cause } of causes) {
    const current = await getIncident(services.database, id);
    const record = current?.observation;
    if (!current || !record) continue;
    causesByRecord.set(record.id, (causesByRecord.get(record.id) ?? new Set()).add(cause));
    const isActive = record.fixes.some(({ text, retired }) => text === current.incident.resolution && retired === null);
    if (!isActive) replaced += 1;
  }
  const mixed = [...causesByRecord.values()].filter(({ size }) => size > 1).length;
  return { incidents: causes.length, mixed, replaced };
}
