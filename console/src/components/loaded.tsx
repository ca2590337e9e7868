// The three states of a request: loading, failed, ready. A reload that failed keeps the data and says how old it is.

import type { ComponentChildren } from "preact";
import type { Loading } from "../api/use-request.ts";
import { Button } from "./button.tsx";
import { FailedState } from "./failed-state.tsx";
import { Skeleton } from "./skeleton.tsx";
import { Time } from "./time.tsx";

interface LoadedProps<T> {
  readonly request: Loading<T>;
  /** What is loaded, such as `the incidents`. */
  readonly name: string;
  /** Lines of the skeleton: about the height of the content. */
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
}

export function Loaded<T>({ request, name, lines, children }: LoadedProps<T>) {
  const state = request.state.value;
  if (state.status === "loading") return <Skeleton name={name} lines={lines} />;
  if (state.status === "failed") return <FailedState failure={state.failure} name={name} retry={request.reload} />;
  return (
    <>
      {state.failure !== null && (
        <div class="stale" role="status">
          {state.failure.title}. This is as of <Time at={new Date(state.at).toISOString()} />.{" "}
          <Button size="small" onClick={request.reload}>
            Try again
          </Button>
        </div>
      )}
      {children(state.data)}
    </>
  );
}
