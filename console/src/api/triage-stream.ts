// A triage whose answer arrives while it is written: the events of `POST /v1/triage` as they come, then the result.

import type { components, paths } from "../../../client/client.js";
import { api } from "./client.ts";
import { failureOf, type Result, settle, UNREACHABLE } from "./failure.ts";

export type Triage = components["schemas"]["Triage"];
type TriageBody = paths["/v1/triage"]["post"]["requestBody"]["content"]["application/json"];

/** What is shown until the result replaces it. */
export interface TriageProgress {
  /** `searching`: nothing came yet. `reading`: runbooks and past incidents were found. `writing`: a model writes. */
  readonly stage: "searching" | "reading" | "writing";
  /** The texts of the present draft, by their place in the answer, such as `summary.text`. */
  readonly texts: ReadonlyMap<string, string>;
}

export const NO_PROGRESS: TriageProgress = { stage: "searching", texts: new Map() };

interface StreamOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TriageProgress) => void;
}

/** Rejects only if it was aborted, with an AbortError. */
export async function streamTriage(body: TriageBody, { signal, onProgress }: StreamOptions): Promise<Result<Triage>> {
  const headers = { accept: "text/event-stream" };
  const started = await settle(api.POST("/v1/triage", { body, headers, signal, parseAs: "stream" }));
  if (!started.ok) return started;
  const { response } = started;
  const stream: unknown = started.data;
  if (!(stream instanceof ReadableStream)) return { ok: false, failure: UNREACHABLE };
  let progress = NO_PROGRESS;
  let draft = 0;
  try {
    for await (const { event, data } of eventsOf(stream)) {
      if (event === "done") return { ok: true, data: data as Triage, response };
      if (event === "error") return { ok: false, failure: failureOf(response, data) };
      if (event === "recall") progress = { ...progress, stage: "reading" };
      if (event === "token") {
        const token = data as { readonly draft: number; readonly path: string; readonly text: string };
        const texts = new Map(token.draft > draft ? [] : progress.texts);
        texts.set(token.path, (texts.get(token.path) ?? "") + token.text);
        draft = token.draft;
        progress = { stage: "writing", texts };
      }
      onProgress(progress);
    }
  } catch (error) {
    if (signal.aborted) throw new DOMException("The triage was cancelled.", "AbortError");
    if (!(error instanceof TypeError)) throw error;
  }
  // The connection ended before the result.
  return { ok: false, failure: UNREACHABLE };
}

interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

async function* eventsOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamEvent> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const blocks = `${rest}${next.value}`.split("\n\n");
    rest = blocks.pop() ?? "";
    yield* blocks.flatMap(eventOf);
  }
}

/** Nothing for a heartbeat. */
function eventOf(block: string): StreamEvent[] {
  const lines = block.split("\n");
  const value = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []));
  const [event] = value("event");
  return event === undefined ? [] : [{ event, data: JSON.parse(value("data").join("\n")) as unknown }];
}
