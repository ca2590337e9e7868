// Sends triages, and follows their events.

import { type TriageResult, triageResultSchema } from "../../functions/schemas/triage-result.ts";
import { type ApiRequest, callFor, send } from "./client.ts";
import { CommandError } from "./command-error.ts";
import { readEvents, type StreamedEvent } from "./event-stream.ts";
import type { Service, ServiceAddress } from "./find-service.ts";
import { describeProblem, unexpected, unreachable } from "./problem-error.ts";

/** Above the longest time budget of a triage. */
const TRIAGE_TIMEOUT_MS = 150_000;

export type TriageRequest = Readonly<Record<string, unknown>>;

/** Sends a triage and waits for its result. @throws CommandError with the text of the problem */
export async function postTriage(url: string, token: string, body: TriageRequest): Promise<TriageResult> {
  return callFor(serviceAt({ url, token }), triageRequest(body, "application/json"), triageResultSchema);
}

/** Sends a triage, reports its events, and returns its result. @throws CommandError with the text of the problem */
export async function followTriage(
  url: string,
  token: string,
  body: TriageRequest,
  onEvent: (event: StreamedEvent) => void,
): Promise<TriageResult> {
  return followTriageOn(serviceAt({ url, token }), body, onEvent);
}

/** As `followTriage`; its errors say how the service was chosen. */
export async function followTriageOn(
  service: Service,
  body: TriageRequest,
  onEvent: (event: StreamedEvent) => void,
): Promise<TriageResult> {
  const response = await send(service, triageRequest(body, "text/event-stream"));
  if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
    throw unexpected(service, response.headers.get("content-type"));
  try {
    for await (const event of readEvents(response.body ?? new ReadableStream())) {
      onEvent(event);
      if (event.event === "done") return event.data;
      if (event.event === "error") throw new CommandError("failed", describeProblem(event.data));
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const isConnection = error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError");
    throw isConnection ? unreachable(error, service, TRIAGE_TIMEOUT_MS) : unexpected(service, error);
  }
  throw new CommandError(
    "failed",
    "Dejavu closed the connection before the triage finished. The result may be stored: see dejavu list.",
  );
}

function triageRequest(body: TriageRequest, accept: string): ApiRequest {
  return { method: "POST", path: "/v1/triage", body, accept, timeoutMs: TRIAGE_TIMEOUT_MS };
}

function serviceAt({ url, token }: ServiceAddress): Service {
  return { url, token, chosenBy: "the caller", key: url, isLocal: false };
}
