// The rows of a list with its states: loading, failed, empty, and a button for more.

import type { ComponentChildren } from "preact";
import type { Page, Pages } from "../api/use-pages.ts";
import { Button } from "./button.tsx";
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
