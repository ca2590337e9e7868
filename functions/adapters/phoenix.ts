// Trace server adapter for Phoenix. Posts feedback as annotations of a span through `POST /v1/span_annotations`.

import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import type { StartTimer } from "../timers.ts";
import type { AnnotationOutcome, Annotations, FeedbackAnnotation } from "./annotations.ts";
import { fetchDirect } from "./http/fetch-direct.ts";
import { failureOf, parseJson, readStart } from "./http/http-response.ts";

export interface PhoenixOptions {
  /** Base URL; `/v1` is added. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Timeout of one annotation, including the retry. */
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
}

const ANNOTATION_NAME = "user_feedback";
/** Label by rating. */
const LABELS = { "1": "thumbs-up", "0": "none", "-1": "thumbs-down" } as const;
/** The response is the id of one annotation, which is much shorter. */
const MAX_RESPONSE_BYTES = 16_384;

const responseSchema = z.object({ data: z.tuple([z.object({ id: z.string() })]) });

export function createPhoenix({ url, apiKey, timeoutMs, startTimer }: PhoenixOptions): Annotations {
  // With `sync`, Phoenix stores the annotation before it responds, and responds with 404 for an unknown span. Without
  // `sync`, it silently drops an annotation of an unknown span.
  const endpoint = `${url.replace(/(?<!\/)\/+$/, "")}/v1/span_annotations?sync=true`;
  const headers = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return {
    put: (annotation) =>
      callDependency(
        { dependency: "trace_server", timeoutMs, startTimer, retries: 1 },
        async (signal): Promise<AnnotationOutcome> => {
          const body = JSON.stringify({ data: [annotationData(annotation)] });
          const response = await fetchDirect(endpoint, { method: "POST", headers, body, signal });
          if (response.ok) {
            const parsed = responseSchema.safeParse(parseJson(await readStart(response, MAX_RESPONSE_BYTES)));
            if (parsed.success) return "stored";
            throw new DependencyError("trace_server", "invalid_response", "the response does not name one annotation");
          }
          await response.body?.cancel();
          if (response.status === 404) return "no_such_span";
          if (response.status === 401 || response.status === 403) return "not_allowed";
          // Every server error may pass. `failureOf` would report 507 (a full disk) as refused, and the annotation would
          // be dropped.
          if (response.status > 500)
            throw new DependencyError("trace_server", "unreachable", `the server answered ${response.status}`);
          throw failureOf("trace_server", response);
        },
      ),
  };
}

function annotationData({ spanId, person, rating, comment, triageId, incidentId }: FeedbackAnnotation) {
  return {
    span_id: spanId,
    name: ANNOTATION_NAME,
    annotator_kind: "HUMAN",
    // A withdrawn rating becomes an annotation without a score. It cannot be deleted: Phoenix deletes by project, name and
    // identifier, which would delete the person's ratings of all spans.
    result: { label: LABELS[rating], score: rating === 0 ? null : rating > 0 ? 1 : 0, explanation: comment },
    metadata: { triage_id: triageId, incident_id: incidentId },
    // Phoenix identifies an annotation by name, span and identifier, so a changed rating replaces the former one.
    // Annotations made in Phoenix itself have no identifier, so feedback does not replace them.
    identifier: `dejavu:${person}`,
  };
}
