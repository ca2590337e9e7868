// The incidents of the list: the first page polled, further pages on demand, and what changed.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Failure, settle } from "../../api/failure.ts";
import { getJson, useRequest } from "../../api/use-request.ts";
import { type Filters, queryOf, searchOf, sortOf } from "./filters.ts";
import { type Change, changesBetween, latestOf, mergeRows, type Row } from "./rows.ts";

const POLL_SECONDS = 5;
const PAGE_SIZE = 100;
/** What one press loads. */
const MORE = 400;
/** More rows make a page slow. */
export const MAX_ROWS = 1_000;

/** For one choice of filters: give the component a key of them. */
export function useIncidentList(filters: Filters) {
  const load = (cursor: string | undefined, options?: Parameters<typeof getJson>[2]) => {
    const query = { ...queryOf(filters, Date.now()), limit: PAGE_SIZE, cursor };
    return getJson("/v1/incidents", { query }, options);
  };
  const request = useRequest(searchOf(filters), (options) => load(undefined, options), POLL_SECONDS);
  const later = useSignal<readonly Row[]>([]);
  /** Cursor after the last row; undefined as long as the first page has it. */
  const cursor = useSignal<string | null | undefined>(undefined);
  const failure = useSignal<Failure | null>(null);
  const changes = useSignal<ReadonlyMap<string, Change>>(new Map());
  const former = useRef<readonly Row[]>([]);
  /** Raised by a reload: pages that are on their way belong to no list then. */
  const round = useSignal(0);

  const state = request.state.value;
  const page = state.status === "ready" ? state.data : null;
  const next = cursor.value === undefined ? (page?.next_cursor ?? null) : cursor.value;
  const merging = { hasMore: page !== null && page.next_cursor !== null, sort: sortOf(filters) };
  const rows = page === null ? [] : mergeRows(page.incidents, later.value, merging);
  useEffect(() => {
    if (page === null) return;
    if (former.current.length > 0) {
      changes.value = changesBetween(former.current, rows);
      // The first page moves on; its former rows stay until they no longer match.
      if (cursor.value !== undefined) later.value = latestOf([...later.value, ...former.current]);
    }
    former.current = rows;
  }, [page]);

  /** @returns the rows that it loaded */
  const loadMore = async (most = MORE): Promise<readonly Row[]> => {
    const loaded: Row[] = [];
    const begun = round.value;
    for (let after = next; after !== null && loaded.length < most; ) {
      const result = await settle(load(after));
      if (round.value !== begun) return [];
      failure.value = result.ok ? null : result.failure;
      if (!result.ok) break;
      loaded.push(...result.data.incidents);
      after = result.data.next_cursor;
      cursor.value = after;
    }
    later.value = latestOf([...later.value, ...loaded]);
    return loaded;
  };
  /** After a change: rows of later pages may match no longer, and must not stay selected. */
  const reload = async () => {
    round.value += 1;
    former.current = [];
    later.value = [];
    cursor.value = undefined;
    await request.reload();
  };
  return {
    request,
    reload,
    rows,
    counts: page?.counts ?? null,
    changes: changes.value,
    hasMore: next !== null,
    loadMore,
    round: round.value,
    failure: failure.value,
  };
}
