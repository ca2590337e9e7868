// Sends a triage and follows its events.

import { createParser } from "eventsource-parser";
import type { components, Problem } from "../../../../client/client.js";
import { api } from "../../api/client.ts";
import { type Failure, failureOf, UNREACHABLE } from "../../api/failure.ts";

type TriageResult = components["schemas"]["Triage"];

/** Mirrors the events of the API: they are provisional, and the result replaces them. */
export type TriageEvent =
  | {
      readonly event: "recall";
      readonly data: Pick<TriageResult, "incident_id" | "title" | "domain" | "recalled" | "warnings">;
    }
  | { readonly event: "token"; readonly data: { readonly draft: number; readonly path: string; readonly text: string } }
  | { readonly event: "critique"; readonly data: { readonly draft: number; readonly score: number } }
  | { readonly event: "reflection"; readonly data: { readonly draft: number } };

type StreamedEvent =
  | TriageEvent
  | { readonly event: "done"; readonly data: TriageResult }
  | { readonly event: "error"; readonly data: Problem };

export type TriageEnd =
  | { readonly state: "answered"; readonly result: TriageResult }
  | { readonly state: "stopped" }
  | { readonly state: "failed"; readonly failure: Failure };

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onEvent: (event: TriageEvent) => void;
}

const CLOSED: Failure = {
  ...UNREACHABLE,
  title: "The connection closed before the answer was complete",
  detail: "The answer may be stored: look at the list of incidents before you send it again.",
};

/** Never rejects. @param target null: none */
export async function followTriage(
  { text, target }: { readonly text: string; readonly target: string | null },
  { signal, onEvent }: FollowOptions,
): Promise<TriageEnd> {
  try {
    const { response, data, error } = await api.POST("/v1/triage", {
      body: { text, ...(target === null ? {} : { target }) },
      headers: { accept: "text/event-stream" },
      parseAs: "stream",
      signal,
    });
    if (!response.ok) return { state: "failed", failure: failureOf(response, error) };
    for await (const event of eventsOf(data as ReadableStream<Uint8Array>)) {
      if (event.event === "done") return { state: "answered", result: event.data };
      if (event.event === "error") return { state: "failed", failure: failureOf(response, event.data) };
      onEvent(event);
    }
    return { state: "failed", failure: CLOSED };
  } catch {
    return signal.aborted ? { state: "stopped" } : { state: "failed", failure: UNREACHABLE };
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
