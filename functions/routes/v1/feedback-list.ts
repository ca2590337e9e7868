// GET /v1/feedback: lists feedback on answers.

import { createRoute, z } from "@hono/zod-openapi";
import { listFeedback } from "../../memory/feedback-list.ts";
import { correctionSchema } from "../../schemas/correction.ts";
import { domainNameSchema } from "../../schemas/domain.ts";
import { SEVERITIES } from "../../schemas/incident.ts";
import { OUTCOME_WORDS, OUTCOMES } from "../../schemas/outcome.ts";
import { CITED_KINDS } from "../../schemas/text-kind.ts";
import { cursorTime, pageOf, pageQuery } from "../http/pagination.ts";
import { createRouter, jsonContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";
import { RATING_VALUES, RATINGS, ratingOf } from "./feedback.ts";

const timeAndSerial = z.tuple([cursorTime, z.int().positive()]).transform(([at, id]) => ({ at, id }));

const sourceSchema = z.object({
  id: z.string(),
  kind: z.enum(CITED_KINDS),
  title: z.string(),
  source: z.string().nullable(),
});

export const feedbackEntrySchema = z.object({
  at: z.string().openapi({ description: "Time of its last change.", example: "2026-03-01T03:20:00+00:00" }),
  rating: z.enum(RATINGS).openapi({ description: "`none`: a comment without a rating.", example: "up" }),
  comment: z
    .string()
    .nullable()
    .openapi({ description: "Without secrets and personal data.", example: "The second step was it." }),
  corrections: z.array(correctionSchema).openapi({ description: "The wrong parts.", example: [] }),
  triage_id: z.string().openapi({ example: "5b0f7c0e-94a1-4c5e-9a57-0a2f6c1d7e11" }),
  incident_id: z.string().openapi({ example: "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2" }),
  title: z.string().openapi({ example: "api-gateway container exited with code 137" }),
  question: z.string().nullable().openapi({ example: null }),
  target: z.string().nullable().openapi({ example: "api-gateway" }),
  severity: z.enum(SEVERITIES).openapi({ example: "high" }),
  labels: z.record(z.string(), z.string()).openapi({ example: { container_runtime: "docker" } }),
  logs: z.string().nullable().openapi({
    description: "The first 20,000 characters of the logs.",
    example: "Memory cgroup out of memory: Killed process 4711 (node)",
  }),
  domain: domainNameSchema.openapi({ example: "docker" }),
  outcome: z.enum(OUTCOMES).openapi({ description: OUTCOME_WORDS, example: "cause" }),
  confidence: z.number().openapi({ example: 0.87 }),
  sources: z.array(sourceSchema).openapi({
    description: "The sources that the answer cites.",
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
  summary: "List feedback on answers, last changed first",
  ...scoped("read"),
  request: {
    query: z.strictObject({
      ...pageQuery(timeAndSerial),
      rating: z.enum(RATINGS).optional().openapi({ description: "Only feedback with this rating." }),
    }),
  },
  responses: {
    200: jsonContent(
      "A page of feedback.",
      z.object({
        feedback: z.array(feedbackEntrySchema),
        next_cursor: z.string().nullable().openapi({ example: null }),
      }),
    ),
  },
});

export const feedbackListRoutes = createRouter().openapi(route, async (c) => {
  const { limit, cursor, rating } = c.req.valid("query");
  const value = rating === undefined ? undefined : RATING_VALUES[rating];
  // One row more than the page determines whether there is a next page.
  const rows = await listFeedback(c.get("services").database, { limit: limit + 1, after: cursor, rating: value });
  const { page, next_cursor } = pageOf(rows, limit, (row) => [row.at, row.id]);
  return c.json(
    { feedback: page.map(({ id: _, rating, ...row }) => ({ ...row, rating: ratingOf(rating) })), next_cursor },
    200,
  );
});
