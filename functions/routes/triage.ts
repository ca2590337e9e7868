// The front door for an incident: POST /v1/triage.

import { createHash } from "node:crypto";
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { SEVERITIES } from "../memory/incident.ts";
import type { TriageOutcome } from "../triage/record.ts";
import { type TriageResult, triageResultSchema } from "../triage/result.ts";
import { type TriageOptions, triage } from "../triage/supervisor.ts";
import type { AppEnv } from "./app-env.ts";
import { filledText, requireJsonBody, text } from "./input.ts";
import { Problem } from "./problem.ts";
import { createRouter, problemContent } from "./router.ts";
import { scoped } from "./scoped.ts";
import { streamTriage } from "./triage-stream.ts";

const EVENT_STREAM = "text/event-stream";

/** For the document alone: without a type, so that the typed client's answer is the triage, which it asks for. */
const EVENT_STREAM_CONTENT: object = {
  [EVENT_STREAM]: {
    schema: {
      type: "string",
      description:
        "Events `recall`, `token`, `critique`, `reflection`, then `done` with the triage or `error` with a problem document. Data is JSON. Lines that begin with a colon are signs of life.",
    },
    example: 'event: token\ndata: {"draft":1,"path":"summary.text","text":"The kernel "}\n\n: still here\n\n',
  },
};

const MAX_LABELS = 64;

const triageRequestSchema = z
  .strictObject({
    title: filledText(1_000).optional().openapi({ example: "api-gateway container exited with code 137" }),
    question: filledText(4_000).optional(),
    target: filledText(256).optional().openapi({ example: "api-gateway" }),
    severity: z.enum(SEVERITIES).optional().openapi({ example: "high" }),
    labels: z
      .record(filledText(128), text(1_024))
      .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `must hold at most ${MAX_LABELS} labels`)
      .optional()
      .openapi({ example: { container_runtime: "docker" } }),
    logs: text(500_000).optional().openapi({ example: "Memory cgroup out of memory: Killed process 4711 (node)" }),
    incident_type: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,63}$/, "must be lower-case words joined by underscores, at most 64 characters")
      .optional(),
    session_id: z
      .string()
      .regex(/^[A-Za-z0-9._:-]{1,128}$/, "must be 1 to 128 letters, digits, dots, colons, hyphens or underscores")
      .optional(),
  })
  .refine((request) => request.title !== undefined || request.question !== undefined, {
    path: ["title"],
    message: "is needed, unless there is a question",
  });

const headersSchema = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
    .optional()
    .openapi({
      description: "Makes a repeated request return the first result.",
      example: "alert-4711-2026-03-01T03:00:00Z",
    }),
});

const route = createRoute({
  method: "post",
  path: "/v1/triage",
  summary: "Triage an incident",
  ...scoped("triage", requireJsonBody),
  request: {
    headers: headersSchema,
    body: { required: true, content: { "application/json": { schema: triageRequestSchema } } },
  },
  responses: {
    200: {
      description: "The triage; or, with `Accept: text/event-stream`, the way to it, event by event.",
      content: {
        "application/json": { schema: triageResultSchema },
        ...EVENT_STREAM_CONTENT,
      },
    },
    409: problemContent("The first request with this Idempotency-Key is still running."),
    422: problemContent("The body is not valid, or the Idempotency-Key belongs to another body."),
    503: problemContent("Nothing can be searched now."),
  },
});

export const triageRoutes = createRouter().openapi(route, async (c) => {
  const request = c.req.valid("json");
  const key = c.req.valid("header")["idempotency-key"];
  const runInBackground = c.get("runInBackground");
  const run = (options: Pick<TriageOptions, "emit" | "cancelled">) => {
    const idempotency = key === undefined ? null : { key, requestHash: hashOf(request) };
    const work = triage(c.get("services"), request, { ...options, idempotency, runInBackground });
    // It goes on when the caller has left: what was begun and paid for is stored.
    runInBackground(work.then(noop, noop));
    return work;
  };
  if (wantsStream(c)) return streamTriage(c, run, resultOf);
  const outcome = await run({});
  const result = resultOf(outcome);
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
      throw new Problem("request-in-progress", "Ask again in a few seconds with the same key.", {
        headers: { "retry-after": "2" },
      });
    case "mismatch":
      throw new Problem("idempotency-key-reused", "Use a new Idempotency-Key for a new request.", {
        errors: [{ field: "Idempotency-Key", message: "was used with another body" }],
      });
  }
}

/** The same request written differently (order of fields) is the same request. */
function hashOf(request: z.infer<typeof triageRequestSchema>): string {
  const sorted = (value: unknown): unknown =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, item]) => [key, sorted(item)]),
        )
      : value;
  return createHash("sha256")
    .update(JSON.stringify(sorted(request)))
    .digest("hex");
}
