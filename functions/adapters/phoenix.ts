// Owns the way to Phoenix: what people say of an answer as annotations of its span, through `POST /v1/span_annotations`.

import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import type { AnnotationOutcome, Annotations, FeedbackAnnotation } from "./annotations.ts";
import { failureOf, parseJson, readStart } from "./http-response.ts";

export interface PhoenixOptions {
  /** What `/v1` is added to. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** For one annotation, its retry included. */
  readonly timeoutMs: number;
}

const ANNOTATION_NAME = "user_feedback";
const LABELS = { "1": "thumbs-up", "0": "none", "-1": "thumbs-down" } as const;
/** The reply names one annotation; of anything else no more than this is read. */
const MAX_REPLY_BYTES = 16_384;

const replySchema = z.object({ data: z.tuple([z.object({ id: z.string() })]) });

export function createPhoenix({ url, apiKey, timeoutMs }: PhoenixOptions): Annotations {
  // Asked to, Phoenix stores it before it answers, and says when it has no such span; otherwise it drops it unseen.
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
          // A redirect could lead the key and the words elsewhere.
          const response = await fetch(endpoint, { method: "POST", headers, body, redirect: "manual", signal });
          if (response.ok) {
            const reply = replySchema.safeParse(parseJson(await readStart(response, MAX_REPLY_BYTES)));
            if (reply.success) return "stored";
            throw new DependencyError("trace_server", "invalid_response", "the reply does not name the one annotation");
          }
          await response.body?.cancel();
          if (response.status === 404) return "no_such_span";
          if (response.status === 401 || response.status === 403) return "not_allowed";
          // 507 is its full disk, and what else there may be above 500 is no judgement of the annotation either.
          if (response.status > 500)
            throw new DependencyError("trace_server", "unreachable", `the server answered ${response.status}`);
          throw failureOf("trace_server", response);
        },
      ),
  };
}

function annotationData({ spanId, person, vote, comment, triageId, incidentId }: FeedbackAnnotation) {
  return {
    span_id: spanId,
    name: ANNOTATION_NAME,
    annotator_kind: "HUMAN",
    // Phoenix deletes by project, name and identifier, which would take a person's votes on all spans: a vote that is
    // taken back stands there as one without a score.
    result: { label: LABELS[vote], score: vote === 0 ? null : vote > 0 ? 1 : 0, explanation: comment },
    metadata: { triage_id: triageId, incident_id: incidentId },
    // Name, span and identifier are one annotation: a changed vote takes the former's place. Phoenix's own have none.
    identifier: `dejavu:${person}`,
  };
}
