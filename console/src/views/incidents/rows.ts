// The rows of the list: pages put together, and what changed between two versions. Pure functions.

import type { paths } from "../../../../client/client.js";

type ListPage = paths["/v1/incidents"]["get"]["responses"]["200"]["content"]["application/json"];
export type Row = ListPage["incidents"][number];
export type Change = "new" | "updated";

/**
 * The first page, and the rows after it of pages that were loaded before. A row that new incidents pushed beyond the first
 * page stays; one that no longer matches the filters leaves with the page that held it.
 * @param later rows of later pages and of former versions of the first
 */
export function mergeRows(first: readonly Row[], later: readonly Row[], hasMore: boolean): readonly Row[] {
  const last = first.at(-1);
  if (last === undefined || !hasMore) return first;
  const ids = new Set(first.map(({ id }) => id));
  const after = later.filter((row) => !ids.has(row.id) && isOlder(row, last));
  return [...first, ...new Map(after.sort(newestFirst).map((row) => [row.id, row])).values()];
}

function isOlder(row: Row, than: Row): boolean {
  return newestFirst(than, row) < 0;
}

function newestFirst(a: Row, b: Row): number {
  const order = Date.parse(b.created_at) - Date.parse(a.created_at);
  if (order !== 0) return order;
  return a.id < b.id ? 1 : -1;
}

/** The rows that appeared or changed, by id. */
export function changesBetween(before: readonly Row[], after: readonly Row[]): ReadonlyMap<string, Change> {
  const earlier = new Map(before.map((row) => [row.id, versionOf(row)]));
  const newest = before[0];
  const changes = new Map<string, Change>();
  for (const row of after) {
    const version = earlier.get(row.id);
    // A row at the end that came into view is not new.
    if (version === undefined && (newest === undefined || isOlder(newest, row))) changes.set(row.id, "new");
    else if (version !== undefined && version !== versionOf(row)) changes.set(row.id, "updated");
  }
  return changes;
}

/** Everything that a person may want to know of; the strip moves on by itself. */
function versionOf({ status, severity, alerts, latest_triage, has_fix, domain }: Row): string {
  return JSON.stringify([status, severity, alerts, latest_triage?.id, has_fix, domain.name]);
}
