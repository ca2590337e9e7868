// Sends a triage and follows its events: what it has done so far, then the result.

import { createParser } from "eventsource-parser";
import type { components, Problem, paths } from "../../../client/client.js";
import { counted } from "../format/words.ts";
import { api } from "./client.ts";
import { type Failure, failureOf, UNREACHABLE } from "./failure.ts";

export type TriageResult = components["schemas"]["Triage"];
type TriageBody = paths["/v1/triage"]["post"]["requestBody"]["content"]["application/json"];

/** The events of the API: they are provisional, and the result replaces them. */
type TriageEvent =
  | { readonly event: "recall"; readonly data: Pick<TriageResult, "domain" | "recalled"> }
  | { readonly event: "token"; readonly data: { readonly draft: number; readonly path: string; readonly text: string } }
  | { readonly event: "critique"; readonly data: { readonly draft: number; readonly score: number } }
  | { readonly event: "reflection"; readonly data: { readonly draft: number } };

type StreamedEvent =
  | TriageEvent
  | { readonly event: "done"; readonly data: TriageResult }
  | { readonly event: "error"; readonly data: Problem };

export interface Progress {
  readonly steps: readonly string[];
  /** Number of the draft that is being written. */
  readonly draft: number;
  /** The texts of the draft by their place in the answer, such as `summary.text`, in order. */
  readonly texts: ReadonlyMap<string, string>;
}

export const NO_PROGRESS: Progress = { steps: ["Searching runbooks and past incidents"], draft: 0, texts: new Map() };

export type TriageEnd =
  | { readonly state: "answered"; readonly result: TriageResult }
  | { readonly state: "stopped" }
  | { readonly state: "failed"; readonly failure: Failure };

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

const CLOSED: Failure = {
  ...UNREACHABLE,
  title: "The connection closed before the answer was complete",
  detail: "The answer may be stored: look at the list of incidents before you send it again.",
};

/** Never rejects. */
export async function followTriage(body: TriageBody, { signal, onProgress }: FollowOptions): Promise<TriageEnd> {
  let progress = NO_PROGRESS;
  onProgress(progress);
  try {
    const headers = { accept: "text/event-stream" };
    const { response, data, error } = await api.POST("/v1/triage", { body, headers, parseAs: "stream", signal });
    if (!response.ok) return { state: "failed", failure: failureOf(response, error) };
    for await (const event of eventsOf(data as ReadableStream<Uint8Array>)) {
      if (event.event === "done") return { state: "answered", result: event.data };
      if (event.event === "error") return { state: "failed", failure: failureOf(response, event.data) };
      progress = withEvent(progress, event);
      onProgress(progress);
    }
    return { state: "failed", failure: CLOSED };
  } catch {
    return signal.aborted ? { state: "stopped" } : { state: "failed", failure: UNREACHABLE };
  }
}

function withEvent(progress: Progress, event: TriageEvent): Progress {
  switch (event.event) {
    case "recall": {
      const { domain, recalled } = event.data;
      const counts = `Recalled ${counted(recalled.runbooks.length, "runbook section")} and ${counted(recalled.incidents.length, "past incident")}`;
      return { ...progress, steps: [`Routed to the domain ${domain.name}`, counts, "Writing the answer"] };
    }
    case "token": {
      const { draft, path, text } = event.data;
      const texts = new Map(draft > progress.draft ? [] : progress.texts);
      texts.set(path, (texts.get(path) ?? "") + text);
      return { ...progress, draft: Math.max(draft, progress.draft), texts };
    }
    case "critique":
      return { ...progress, steps: [...progress.steps, `A critic gives ${Math.round(event.data.score * 100)} of 100`] };
    case "reflection":
      return { ...progress, steps: [...progress.steps, "Improving the answer"] };
    default:
      return progress;
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const events: StreamedEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      events.push({ event, data: JSON.parse(data) } as StreamedEvent);
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parser.feed(next.value);
      yield* events.splice(0);
    }
  } finally {
    await reader.cancel();
  }
}
