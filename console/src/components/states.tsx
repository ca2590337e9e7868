// What stands in the place of content: it is loading, there is none, or its request failed.

import type { ComponentChildren } from "preact";
import type { Failure } from "../api/failure.ts";
import type { Loading } from "../api/use-request.ts";
import { Button } from "./button.tsx";
import { Time } from "./time.tsx";

/** So that the layout does not move. @param props.name what is loading, for screen readers */
export function Skeleton({ name, lines = 4 }: { readonly name: string; readonly lines?: number | undefined }) {
  return (
    <div class="skeleton" role="status" aria-busy="true">
      <span class="visually-hidden">Loading {name}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="skeleton-line" />
      ))}
    </div>
  );
}

/** Says that there is nothing, and what to do next. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children}
    </div>
  );
}

interface FailedStateProps {
  readonly failure: Failure;
  /** What is missing, such as `the incidents`. */
  readonly name?: string;
  readonly retry?: () => unknown;
}

/** Says why a request failed, and lets the person try again. */
export function FailedState({ failure, name, retry }: FailedStateProps) {
  const { title, detail, problem } = failure;
  return (
    <div class="state state-failed" role="alert">
      <p class="state-title">{name === undefined ? title : `Cannot show ${name}: ${title}`}</p>
      <p>{detail}</p>
      {problem?.errors?.map(({ field, message }) => (
        <p key={field}>
          <code>{field}</code> {message}
        </p>
      ))}
      {problem !== null && <p class="note">Request {problem.request_id}</p>}
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

interface LoadedProps<T> {
  readonly request: Loading<T>;
  /** What is loaded, such as `the incidents`. */
  readonly name: string;
  /** Lines of the skeleton: about the height of the content. */
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
}

/** The states of a request. A reload that failed keeps the data and says how old it is. */
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
