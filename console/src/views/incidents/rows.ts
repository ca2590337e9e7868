// The rows of the list: pages put together, in groups, and what changed between two versions. Pure functions.

import { SEVERITIES } from "../../../../functions/schemas/incident-values.ts";
import { placeText } from "../../../../functions/surroundings/place-text.ts";
import type { Body } from "../../api/types.ts";
import { domainOf } from "../incident/answer/model/incident.ts";
import type { SORTS } from "./filters.ts";

type ListPage = Body<"/v1/incidents">;
export type Row = ListPage["incidents"][number];
export type Change = "new" | "updated";

export interface Group {
  /** Two failures may have one name. */
  readonly key: string;
  readonly name: string;
  readonly rows: readonly Row[];
}

/**
 * The first page, and the rows after it of pages that were loaded before. A row that new incidents pushed beyond the first
 * page stays; one that no longer matches the filters leaves with the page that held it.
 * @param later rows of later pages and of former versions of the first
 */
export function mergeRows(
  first: readonly Row[],
  later: readonly Row[],
  { hasMore, sort }: { readonly hasMore: boolean; readonly sort: keyof typeof SORTS },
): readonly Row[] {
  const compare = sort === "urgent" ? mostUrgentFirst : newestFirst;
  const last = first.at(-1);
  if (last === undefined || !hasMore) return first;
  const ids = new Set(first.map(({ id }) => id));
  const after = later.filter((row) => !ids.has(row.id) && compare(last, row) < 0);
  return [...first, ...latestOf(after).toSorted(compare)];
}

/** Of several versions of a row, the last one. */
export function latestOf(rows: readonly Row[]): readonly Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

function newestFirst(a: Row, b: Row, at: "created_at" | "started_at" = "created_at"): number {
  const order = Date.parse(b[at]) - Date.parse(a[at]);
  if (order !== 0) return order;
  return a.id < b.id ? 1 : -1;
}

/** As the API sorts. */
function mostUrgentFirst(a: Row, b: Row): number {
  return urgencyOf(a) - urgencyOf(b) || newestFirst(a, b, "started_at");
}

function urgencyOf({ status, severity, alerts }: Row): number {
  const state = status === "resolved" ? 20 : alerts.firing > 0 ? 0 : 10;
  return state + SEVERITIES.indexOf(severity);
}

/** In the order of their first rows. @param by empty: one group without a name */
export function groupsOf(rows: readonly Row[], by: string): readonly Group[] {
  const groups = Map.groupBy(rows, (row) => {
    switch (by) {
      case "failure":
        return row.failure_id;
      case "service":
        return placeText(row) ?? "No service";
      case "domain":
        return domainOf(row);
      default:
        return "";
    }
  });
  return [...groups].map(([key, rows]) => {
    const [first] = rows;
    return { key, name: by === "failure" && first ? first.failure : key, rows };
  });
}

/** The rows that appeared or changed, by id. */
export function changesBetween(before: readonly Row[], after: readonly Row[]): ReadonlyMap<string, Change> {
  const earlier = new Map(before.map((row) => [row.id, versionOf(row)]));
  const newest = before.toSorted(newestFirst)[0];
  const changes = new Map<string, Change>();
  for (const row of after) {
    const version = earlier.get(row.id);
    // A row at the end that came into view is not new.
    if (version === undefined && (newest === undefined || newestFirst(row, newest) < 0)) changes.set(row.id, "new");
    else if (version !== undefined && version !== versionOf(row)) changes.set(row.id, "updated");
  }
  return changes;
}

/** Everything that a person may want to know of. */
function versionOf(row: Row): string {
  const { title, status, severity, owner, alerts, latest_triage, has_fix } = row;
  return JSON.stringify([
    title,
    status,
    severity,
    owner,
    alerts,
    latest_triage?.id,
    latest_triage?.corrected,
    has_fix,
    domainOf(row),
  ]);
}

/** Such as `305 open, 12 critical, 3 firing, 8 muted`. @param shown number of rows, for a list that is not counted */
export function countsText(counts: ListPage["counts"], status: string, shown: number, hasMore: boolean): string {
  if (counts === null) return `${shown}${hasMore ? "+" : ""} shown`;
  const total = `${counts.total.toLocaleString("en")} ${status === "triaged" ? "answered" : status}`;
  const [firing, others] =
    status === "firing" ? [0, `, ${counts.total - counts.firing} of them resolved`] : [counts.firing, ""];
  return `${withUrgent(total, { ...counts, firing })}${others}${counts.muted > 0 ? `, ${counts.muted} muted` : ""}`;
}

/** Such as `31 incidents of 4 services, 12 critical, 3 firing, fixed before`. */
export function groupText(rows: readonly Row[]): string {
  const services = new Set(rows.map(placeText)).size;
  const total = `${rows.length} incidents${services > 1 ? ` of ${services} services` : ""}`;
  const critical = rows.filter(({ severity }) => severity === "critical").length;
  const firing = rows.filter(({ alerts }) => alerts.firing > 0).length;
  const hasFix = rows.some(({ has_fix, status }) => has_fix && status !== "resolved");
  return `${withUrgent(rows.length === 1 ? "1 incident" : total, { critical, firing })}${hasFix ? ", fixed before" : ""}`;
}

function withUrgent(
  total: string,
  { critical, firing }: { readonly critical: number; readonly firing: number },
): string {
  return [total, ...(critical > 0 ? [`${critical} critical`] : []), ...(firing > 0 ? [`${firing} firing`] : [])].join(
    ", ",
  );
}
