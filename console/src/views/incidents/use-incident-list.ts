// The incidents of the list: the first page polled, further pages on demand, and what changed.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../../api/client.ts";
import { type Failure, settle } from "../../api/failure.ts";
import { usePolled } from "../../api/use-request.ts";
import { type Filters, queryOf, searchOf, sortOf } from "./filters.ts";
import { type Change, changesBetween, mergeRows, type Row } from "./rows.ts";

const POLL_SECONDS = 5;
const PAGE_SIZE = 100;

/** For one choice of filters: give the component a key of them. */
export function useIncidentList(filters: Filters) {
  const parameters = () => ({ ...queryOf(filters, Date.now()), limit: PAGE_SIZE });
  const request = usePolled(
    searchOf(filters),
    (options) => api.GET("/v1/incidents", { params: { query: parameters() }, ...options }),
    POLL_SECONDS,
  );
  const later = useSignal<readonly Row[]>([]);
  /** Cursor after the last row; undefined as long as the first page has it. */
  const cursor = useSignal<string | null | undefined>(undefined);
  const failure = useSignal<Failure | null>(null);
  const isLoadingMore = useSignal(false);
  const changes = useSignal<ReadonlyMap<string, Change>>(new Map());
  const former = useRef<readonly Row[]>([]);

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
      if (cursor.value !== undefined) later.value = [...later.value, ...former.current];
    }
    former.current = rows;
  }, [page]);

  const loadMore = async () => {
    if (next === null) return;
    isLoadingMore.value = true;
    const result = await settle(api.GET("/v1/incidents", { params: { query: { ...parameters(), cursor: next } } }));
    isLoadingMore.value = false;
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    later.value = [...later.value, ...result.data.incidents];
    cursor.value = result.data.next_cursor;
  };
  return {
    request,
    rows,
    counts: page?.counts ?? null,
    changes: changes.value,
    hasMore: next !== null,
    loadMore,
    isLoadingMore: isLoadingMore.value,
    failure: failure.value,
  };
}
