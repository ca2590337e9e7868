// Trace server: Phoenix. Posts feedback as annotations of a span through `POST /v1/span_annotations`.

import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import type { AnnotationOutcome, Annotations, FeedbackAnnotation } from "./annotations.ts";
import { failureOf, parseJson, readStart } from "./http-response.ts";

export interface PhoenixOptions {
  /** Base URL; `/v1` is added. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** For one annotation, the retry included. */
  readonly timeoutMs: number;
}

const ANNOTATION_NAME = "user_feedback";
const LABELS = { "1": "thumbs-up", "0": "none", "-1": "thumbs-down" } as const;
/** The response names one annotation; no more than this is read. */
const MAX_RESPONSE_BYTES = 16_384;

const responseSchema = z.object({ data: z.tuple([z.object({ id: z.string() })]) });

export function createPhoenix({ url, apiKey, timeoutMs }: PhoenixOptions): Annotations {
  // With `sync`, Phoenix stores the annotation before it answers and reports an unknown span; otherwise it drops it
  // silently.
  const endpoint = `${url.replace(/\/+$/, "")}/v1/span_annotations?sync=true`;
  const headers = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return {
    put: (annotation) =>
      callDependency(
        { dependency: "trace_server", timeoutMs, retries: 1 },
        async (signal): Promise<AnnotationOutcome> => {
          const body = JSON.stringify({ data: [annotationData(annotation)] });
          // A redirect could send the key and the comment to another host.
          const response = await fetch(endpoint, { method: "POST", headers, body, redirect: "manual", signal });
          if (response.ok) {
            const parsed = responseSchema.safeParse(parseJson(await readStart(response, MAX_RESPONSE_BYTES)));
            if (parsed.success) return "stored";
            throw new DependencyError("trace_server", "invalid_response", "the response does not name one annotation");
          }
          await response.body?.cancel();
          if (response.status === 404) return "no_such_span";
          if (response.status === 401 || response.status === 403) return "not_allowed";
          // Statuses above 500, such as 507 for a full disk, do not concern the annotation itself.
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
    // Phoenix deletes by project, name and identifier, which would delete a person's ratings of all spans. A withdrawn
    // rating therefore becomes an annotation without a score.
    result: { label: LABELS[rating], score: rating === 0 ? null : rating > 0 ? 1 : 0, explanation: comment },
    metadata: { triage_id: triageId, incident_id: incidentId },
    // Name, span and identifier identify an annotation: a changed rating replaces the former one. Phoenix's own have no
    // identifier.
    identifier: `dejavu:${person}`,
  };
}
