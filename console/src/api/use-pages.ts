// A list of the API page by page: the first page is loaded at once, the others on request.

import { useSignal } from "@preact/signals";
import { type Failure, type Reply, settle } from "./failure.ts";
import { type Loading, type LoadOptions, useRequest } from "./use-request.ts";

export interface Page {
  readonly next_cursor: string | null;
}

export interface Pages<P extends Page, T> {
  readonly first: Loading<P>;
  /** Of all pages that are loaded. */
  readonly rows: readonly T[];
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Why the next page could not be loaded. */
  readonly failure: Failure | null;
  loadMore(): Promise<void>;
}

interface Later<P, T> {
  /** The first page that they continue: they are dropped with it. */
  readonly after: P | null;
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly isLoading: boolean;
  readonly failure: Failure | null;
}

/**
 * @param key identifies the list; rows of another key are dropped
 * @param load one page; without a cursor the first
 */
export function usePages<P extends Page, T>(
  key: string,
  load: (cursor: string | undefined, options: Partial<LoadOptions>) => Promise<Reply<P>>,
  rowsOf: (page: P) => readonly T[],
): Pages<P, T> {
  const first = useRequest<P>(key, (options) => load(undefined, options));
  const later = useSignal<Later<P, T>>({ after: null, rows: [], next: null, isLoading: false, failure: null });
  const state = first.state.value;
  const page = state.status === "ready" ? state.data : null;
  const isCurrent = page !== null && later.value.after === page;
  const current: Later<P, T> = isCurrent
    ? later.value
    : { after: page, rows: [], next: page?.next_cursor ?? null, isLoading: false, failure: null };

  const loadMore = async () => {
    if (page === null || current.next === null || current.isLoading) return;
    later.value = { ...current, isLoading: true, failure: null };
    const result = await settle(load(current.next, {}));
    // The list was loaded anew meanwhile.
    if (later.value.after !== page) return;
    later.value = result.ok
      ? {
          ...current,
          rows: [...current.rows, ...rowsOf(result.data)],
          next: result.data.next_cursor,
          isLoading: false,
          failure: null,
        }
      : { ...current, isLoading: false, failure: result.failure };
  };
  return {
    first,
    rows: page === null ? [] : [...rowsOf(page), ...current.rows],
    hasMore: current.next !== null,
    isLoadingMore: current.isLoading,
    failure: current.failure,
    loadMore,
  };
}
