// The rows of a list with its states: loading, failed, empty, and a button for more.

import type { ComponentChildren } from "preact";
import type { Page, Pages } from "../api/use-pages.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";
import { FailedState } from "./failed-state.tsx";
import { Loaded } from "./loaded.tsx";

interface PageListProps<P extends Page, T> {
  readonly pages: Pages<P, T>;
  /** What is listed, such as `the observations`. */
  readonly name: string;
  readonly empty: ComponentChildren;
  /** Lines of the skeleton: about the height of the content. */
  readonly lines?: number;
  readonly children: (rows: readonly T[]) => ComponentChildren;
}

export function PageList<P extends Page, T>({ pages, name, empty, lines = 12, children }: PageListProps<P, T>) {
  return (
    <Loaded request={pages.first} name={name} lines={lines}>
      {() => (
        <>
          {pages.rows.length === 0 ? empty : children(pages.rows)}
          {pages.failure !== null && <FailedState failure={pages.failure} name={`more of ${name}`} />}
          {pages.hasMore && (
            <div>
              <Button isBusy={pages.isLoadingMore} onClick={() => void pages.loadMore()}>
                Show more
              </Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

interface RowListProps<P extends Page, T> extends Omit<PageListProps<P, T>, "children" | "empty"> {
  /** Says that there is none, and why or what to do. */
  readonly empty: string;
  readonly hint?: string;
  readonly row: (row: T) => ComponentChildren;
}

/** A page list in a frame. */
export function RowList<P extends Page, T>({ empty, hint, row, ...list }: RowListProps<P, T>) {
  return (
    <PageList {...list} empty={<EmptyState title={empty}>{hint !== undefined && <p>{hint}</p>}</EmptyState>}>
      {(rows) => <ul class="rows">{rows.map(row)}</ul>}
    </PageList>
  );
}
