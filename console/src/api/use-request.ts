// Data of the API in a component: loaded once, or polled while the page is visible.

import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "./client.ts";
import { type Failure, type Reply, type Result, settle } from "./failure.ts";
import type { Body, GetParams, GetPath } from "./types.ts";

type RequestState<T> =
  | { readonly status: "loading" }
  | { readonly status: "failed"; readonly failure: Failure }
  /** `failure`: a later reload failed, and the data is that of `at` (milliseconds since 1970). */
  | { readonly status: "ready"; readonly data: T; readonly at: number; readonly failure: Failure | null };

export interface Loading<T> {
  readonly state: ReadonlySignal<RequestState<T>>;
  /** Loads again and keeps the present data until then. */
  reload(): Promise<void>;
  /** Replaces the data, such as by the answer to a change. */
  set(data: T): void;
}

/** `headers` hold `if-none-match` when data is present. */
export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly headers: Record<string, string>;
}

type Load<T> = (options: LoadOptions) => Promise<Reply<T>>;

/** @param cursor of a later page of a list */
export function getJson<Path extends GetPath>(
  path: Path,
  params: GetParams<Path>,
  { cursor, ...options }: Partial<LoadOptions> & { readonly cursor?: string } = {},
): Promise<Reply<Body<Path>>> {
  const query = { ...params.query, ...(cursor === undefined ? {} : { cursor }) };
  // The client's types ask for the path of a call as a literal.
  return api.GET(
    path as "/v1/session",
    { params: { ...params, query }, ...options } as never,
  ) as Promise<unknown> as Promise<Reply<Body<Path>>>;
}

interface GetOptions {
  /** Loads again so often while the page is visible. */
  readonly seconds?: number;
}

/** Loads when the component appears and whenever path or parameters change: `useGet("/v1/domains/{name}", { path: { name } })`. */
export function useGet<Path extends GetPath>(
  path: Path,
  params: GetParams<Path> = {},
  { seconds }: GetOptions = {},
): Loading<Body<Path>> {
  const key = `${path} ${JSON.stringify(params)}`;
  return useRequest(key, (options) => getJson(path, params, options), seconds);
}

/**
 * Loads when the component appears and whenever `key` changes. Unchanged data (304) keeps its object.
 * @param key identifies what is loaded; data of another key is dropped
 * @param seconds between two loads while the page is visible; by default, it is loaded once
 */
export function useRequest<T>(key: string, load: Load<T>, seconds?: number): Loading<T> {
  const state = useSignal<RequestState<T>>({ status: "loading" });
  const latestLoad = useRef(load);
  latestLoad.current = load;
  const loading = useRef<Loader<T>>(undefined);
  loading.current ??= createLoader(state, (options) => latestLoad.current(options));
  const loader = loading.current;

  useEffect(() => {
    loader.restart();
    return loader.cancel;
  }, [key, loader]);
  useEffect(() => {
    if (seconds === undefined) return;
    const poll = () => {
      if (document.visibilityState === "visible") void loader.reload();
    };
    const timer = setInterval(poll, seconds * 1_000);
    // Somebody who comes back to the page must not wait for the next round.
    document.addEventListener("visibilitychange", poll);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", poll);
    };
  }, [seconds, loader]);
  return loader;
}

interface Loader<T> extends Loading<T> {
  restart(): void;
  cancel(): void;
}

const RETRY_MS = 1_000;

/** No response, or that of a proxy or a dependency that is unavailable for now. */
function isShort({ status }: Failure): boolean {
  return status === null || (status >= 502 && status <= 504);
}

function createLoader<T>(
  state: ReadonlySignal<RequestState<T>> & { value: RequestState<T> },
  load: Load<T>,
): Loader<T> {
  let abort = new AbortController();
  let etag: string | null = null;

  const show = (result: Result<T>) => {
    const present = state.peek();
    if (result.ok) {
      etag = result.response.headers.get("etag");
      state.value = { status: "ready", data: result.data, at: Date.now(), failure: null };
    } else if (present.status === "ready") {
      const isUnchanged = result.failure.status === 304;
      state.value = isUnchanged
        ? { ...present, at: Date.now(), failure: null }
        : { ...present, failure: result.failure };
    } else {
      state.value = { status: "failed", failure: result.failure };
    }
  };
  const reload = async () => {
    abort.abort();
    abort = new AbortController();
    const { signal } = abort;
    try {
      const headers: Record<string, string> = etag === null ? {} : { "if-none-match": etag };
      let result = await settle(load({ signal, headers }));
      // A short outage is nobody's business. Data that is shown is polled anyway.
      if (!result.ok && isShort(result.failure) && state.peek().status !== "ready") {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (!signal.aborted) result = await settle(load({ signal, headers }));
      }
      if (!signal.aborted) show(result);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  return {
    state,
    reload,
    set: (data) => {
      // An answer on its way may be older.
      abort.abort();
      etag = null;
      state.value = { status: "ready", data, at: Date.now(), failure: null };
    },
    restart: () => {
      etag = null;
      state.value = { status: "loading" };
      void reload();
    },
    cancel: () => abort.abort(),
  };
}
