// The rows of a list with its states: loading, failed, empty, and a button for more.

import type { ComponentChildren } from "preact";
import type { Pages } from "../api/use-pages.ts";
import type { Loading } from "../api/use-request.ts";
import { Button } from "./button.tsx";
import { EmptyState, FailedState, Loaded } from "./states.tsx";

interface PageListProps<T> {
  readonly pages: Pages<T>;
  /** What is listed, such as `the failures`. */
  readonly name: string;
  /** Says that there is none. */
  readonly empty: string;
  /** Why there is none, or what to do. */
  readonly hint?: ComponentChildren;
  readonly row: (row: T, index: number) => ComponentChildren;
}

/** The rows of a list that has one page. */
export function onePage<P, T>(first: Loading<P>, rowsOf: (page: P) => readonly T[]): Pages<T, P> {
  const state = first.state.value;
  const rows = state.status === "ready" ? rowsOf(state.data) : [];
  return { first, rows, hasMore: false, failure: null, loadMore: first.reload };
}

export function PageList<T>({ pages, name, empty, hint, row }: PageListProps<T>) {
  return (
    <Loaded request={pages.first} name={name} lines={12}>
      {() => (
        <>
          {pages.rows.length === 0 ? (
            <EmptyState title={empty}>{hint}</EmptyState>
          ) : (
            <ul class="rows">{pages.rows.map(row)}</ul>
          )}
          {pages.failure !== null && <FailedState failure={pages.failure} name={`more of ${name}`} />}
          {pages.hasMore && (
            <div>
              <Button onClick={pages.loadMore}>Show more</Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}
