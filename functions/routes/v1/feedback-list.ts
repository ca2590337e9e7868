// The front door to what people said of answers: GET /v1/feedback.

import { createRoute, z } from "@hono/zod-openapi";
import type { Vote } from "../../memory/feedback.ts";
import { listFeedback } from "../../memory/feedback-list.ts";
import { DOMAIN_NAMES } from "../../schemas/domain.ts";
import { SEVERITIES } from "../../schemas/incident.ts";
import { SOURCE_KINDS } from "../../schemas/source-kind.ts";
import { cursorTime, pageOf, pageQuery } from "../http/pagination.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

const RATINGS = ["up", "down", "none"] as const;
type Rating = (typeof RATINGS)[number];

const VOTES: Readonly<Record<Rating, Vote>> = { up: 1, down: -1, none: 0 };

const timeAndSerial = z.tuple([cursorTime, z.int().positive()]).transform(([at, id]) => ({ at, id }));

const sourceSchema = z.object({
  id: z.string(),
  kind: z.enum([...SOURCE_KINDS, "incident"]),
  title: z.string(),
  source: z.string().nullable(),
});

export const feedbackEntrySchema = z.object({
  at: z.string().openapi({ description: "When it was last said.", example: "2026-03-01T03:20:00+00:00" }),
  rating: z.enum(RATINGS).openapi({ description: "None: there is a comment alone.", example: "up" }),
  comment: z.string().nullable().openapi({ description: "Scrubbed.", example: "The second step was it." }),
  triage_id: z.string().openapi({ example: "5b0f7c0e-94a1-4c5e-9a57-0a2f6c1d7e11" }),
  incident_id: z.string().openapi({ example: "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2" }),
  title: z.string().openapi({ example: "api-gateway container exited with code 137" }),
  question: z.string().nullable().openapi({ example: null }),
  target: z.string().nullable().openapi({ example: "api-gateway" }),
  severity: z.enum(SEVERITIES).openapi({ example: "high" }),
  labels: z.record(z.string(), z.string()).openapi({ example: { container_runtime: "docker" } }),
  logs: z.string().nullable().openapi({
    description: "Its first 20,000 characters.",
    example: "Memory cgroup out of memory: Killed process 4711 (node)",
  }),
  domain: z.enum(DOMAIN_NAMES).openapi({ example: "docker" }),
  outcome: z.enum(["cause", "benign", "unknown"]).openapi({ example: "cause" }),
  confidence: z.number().openapi({ example: 0.87 }),
  sources: z.array(sourceSchema).openapi({
    description: "What the answer cites.",
    example: [
      {
        id: "4f2b1c9d8e7a6b50",
        kind: "runbook",
        title: "Container killed with exit code 137 (out of memory)",
        source: "docker/exit-137-out-of-memory.md",
      },
    ],
  }),
});

const route = createRoute({
  method: "get",
  path: "/v1/feedback",
  summary: "List what people said of answers, last said first",
  ...scoped("read"),
  request: {
    query: z.strictObject({
      ...pageQuery(timeAndSerial),
      rating: z.enum(RATINGS).optional().openapi({ description: "Only these; all without it.", example: "up" }),
    }),
  },
  responses: {
    200: {
      description: "A page.",
      content: {
        "application/json": {
          schema: z.object({
            feedback: z.array(feedbackEntrySchema),
            next_cursor: z.string().nullable().openapi({ example: null }),
          }),
        },
      },
    },
    422: problemContent("A query parameter is not valid."),
    503: problemContent("The database is away."),
  },
});

export const feedbackListRoutes = createRouter().openapi(route, async (c) => {
  const { limit, cursor, rating } = c.req.valid("query");
  const vote = rating === undefined ? undefined : VOTES[rating];
  // One row more than is shown tells whether there is a next page.
  const rows = await listFeedback(c.get("services").database, { limit: limit + 1, after: cursor, vote });
  const { page, next_cursor } = pageOf(rows, limit, (row) => [row.at, row.id]);
  return c.json(
    { feedback: page.map(({ id: _, rating, ...row }) => ({ ...row, rating: ratingOf(rating) })), next_cursor },
    200,
  );
});

function ratingOf(vote: Vote): Rating {
  return vote === 0 ? "none" : vote > 0 ? "up" : "down";
}
