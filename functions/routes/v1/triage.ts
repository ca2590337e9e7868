// POST /v1/triage: triages an incident and returns the result, or streams events until the result.

import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { TriageOutcome } from "../../investigation/run/run-outcome.ts";
import { type TriageOptions, triage } from "../../investigation/triage.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import type { AppEnv } from "../http/app-env.ts";
import { requireJsonBody } from "../http/input.ts";
import { withOwnSessionNames } from "../http/own-session-names.ts";
import { Problem } from "../http/problem.ts";
import { refuseForeignReport } from "../http/refuse-foreign-report.ts";
import { bodyContent, createRouter, problemContent } from "../http/router.ts";
import { limitTriage } from "../middleware/rate-limit.ts";
import { scoped } from "../middleware/require-scope.ts";
import { idempotencyHeaders, ownKey, requestHash, triageRequestOf, triageRequestSchema } from "./triage-request.ts";
import { triageSchema } from "./triage-schema.ts";
import { streamTriage } from "./triage-stream.ts";

const EVENT_STREAM = "text/event-stream";

/** Untyped, so that it appears in the API document only: the handler returns JSON of the schema, or a stream. */
const EVENT_STREAM_CONTENT: object = {
  [EVENT_STREAM]: {
    schema: {
      type: "string",
      description:
        "Events `recall`, `token`, `critique`, `reflection`, then `done` with the triage or `error` with a problem document. Data is JSON. Lines that begin with a colon are heartbeats.",
    },
    example: 'event: token\ndata: {"draft":1,"path":"summary.text","text":"The kernel "}\n\n: heartbeat\n\n',
  },
};

const route = createRoute({
  method: "post",
  path: "/v1/triage",
  summary: "Triage an incident",
  ...scoped("triage", limitTriage, requireJsonBody),
  request: {
    headers: idempotencyHeaders,
    body: bodyContent(triageRequestSchema),
  },
  responses: {
    200: {
      description: "The triage result; with `Accept: text/event-stream`, its events and then the result.",
      content: {
        "application/json": { schema: triageSchema },
        ...EVENT_STREAM_CONTENT,
      },
    },
    409: problemContent("The first request with this Idempotency-Key is still running."),
    422: problemContent("The body is not valid, or the Idempotency-Key belongs to another body."),
    503: problemContent("Recall is unavailable: neither search works now."),
    504: problemContent("A streamed triage sent nothing within its time."),
  },
});

export const triageRoutes = createRouter().openapi(route, async (c) => {
  const request = c.req.valid("json");
  const key = c.req.valid("header")["idempotency-key"];
  const caller = c.get("caller");
  const runInBackground = c.get("runInBackground");
  await refuseForeignReport(c.get("services"), request.labels);
  const run = (options: Pick<TriageOptions, "emit" | "cancelled">) => {
    const idempotency = key === undefined ? null : { key: ownKey(key, caller), requestHash: requestHash(request) };
    const work = triage(c.get("services"), triageRequestOf(request, caller, c.get("services").newId), {
      ...options,
      idempotency,
      runInBackground,
    });
    // The triage continues after the client disconnects, so that its result is stored.
    runInBackground(work.then(noop, noop));
    return work;
  };
  const ownResultOf = (outcome: TriageOutcome) => withOwnSessionNames(caller, resultOf(outcome));
  if (wantsStream(c)) return streamTriage(c, run, ownResultOf);
  const outcome = await run({});
  const result = ownResultOf(outcome);
  return outcome.state === "replayed" ? c.json(result, 200, { "idempotent-replayed": "true" }) : c.json(result, 200);
});

function noop(): void {}

function wantsStream(c: Context<AppEnv>): boolean {
  const supports = ["application/json", EVENT_STREAM];
  return accepts(c, { header: "Accept", supports, default: "application/json" }) === EVENT_STREAM;
}

function resultOf(outcome: TriageOutcome): TriageResult {
  switch (outcome.state) {
    case "answered":
    case "replayed":
      return outcome.result;
    case "in_progress":
      throw new Problem(
        "request-in-progress",
        "The first request with this Idempotency-Key is still running. Send it again with the same key in a few seconds.",
        {
          headers: { "retry-after": "2" },
        },
      );
    case "mismatch":
      throw new Problem(
        "idempotency-key-reused",
        "This Idempotency-Key was used with another body. Send a new key, or none.",
        {
          errors: [{ field: "Idempotency-Key", message: "was used with another body" }],
        },
      );
  }
}
