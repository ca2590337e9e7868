// A list of the API page by page: the first page is loaded at once, the others on request.

import { useSignal } from "@preact/signals";
import { type Failure, settle } from "./failure.ts";
import type { Body, GetParams, GetPath } from "./types.ts";
import { getJson, type Loading, useRequest } from "./use-request.ts";

interface Page {
  readonly next_cursor: string | null;
}

/** Paths of lists in pages. */
export type ListPath = { [Path in GetPath]: Body<Path> extends Page ? Path : never }[GetPath];
/** The name of the rows in a page: `observations`. */
export type RowsName<Path extends GetPath> = {
  [Name in keyof Body<Path>]: Body<Path>[Name] extends readonly unknown[] ? Name : never;
}[keyof Body<Path>];
export type RowOf<Path extends GetPath, Name extends RowsName<Path>> = Body<Path>[Name] extends readonly (infer Row)[]
  ? Row
  : never;

export interface Pages<T, P = unknown> {
  readonly first: Loading<P>;
  /** Of all pages that are loaded. */
  readonly rows: readonly T[];
  readonly hasMore: boolean;
  /** Why the next page could not be loaded. */
  readonly failure: Failure | null;
  loadMore(): Promise<void>;
}

interface Later<P, T> {
  /** The first page that they continue: they are dropped with it. */
  readonly after: P | null;
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly failure: Failure | null;
}

/** @param name of the rows in a page: `usePages("/v1/memory/observations", "observations", { query: { domain } })` */
export function usePages<Path extends ListPath, Name extends RowsName<Path>>(
  path: Path,
  name: Name,
  params: GetParams<Path> = {},
): Pages<RowOf<Path, Name>, Body<Path>> {
  type P = Body<Path> & Page;
  type T = RowOf<Path, Name>;
  const rowsOf = (page: P) => page[name] as readonly T[];
  const first = useRequest(`${path} ${JSON.stringify(params)}`, (options) => getJson(path, params, options));
  const later = useSignal<Later<P, T>>({ after: null, rows: [], next: null, failure: null });
  const state = first.state.value;
  const page = state.status === "ready" ? (state.data as P) : null;
  const current: Later<P, T> =
    page !== null && later.value.after === page
      ? later.value
      : { after: page, rows: [], next: page?.next_cursor ?? null, failure: null };

  const loadMore = async () => {
    if (page === null || current.next === null) return;
    later.value = { ...current, failure: null };
    const result = await settle(getJson(path, params, { cursor: current.next }));
    // The list was loaded anew meanwhile.
    if (later.value.after !== page) return;
    if (!result.ok) later.value = { ...current, failure: result.failure };
    else {
      const next = result.data as P;
      later.value = { ...current, rows: [...current.rows, ...rowsOf(next)], next: next.next_cursor, failure: null };
    }
  };
  return {
    first,
    rows: page === null ? [] : [...rowsOf(page), ...current.rows],
    hasMore: current.next !== null,
    failure: current.failure,
    loadMore,
  };
}
