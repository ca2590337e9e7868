// The front door for what people say of an answer: POST /v1/triages/{id}/feedback.

import { createRoute, z } from "@hono/zod-openapi";
import type { Vote } from "../../memory/feedback.ts";
import { giveFeedback } from "../../memory/give-feedback.ts";
import { filledText, requireJsonBody } from "../http/input.ts";
import { Problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

const RATINGS = ["up", "down", "none"] as const;
type Rating = (typeof RATINGS)[number];

const VOTES: Readonly<Record<Rating, Vote>> = { up: 1, down: -1, none: 0 };

const feedbackRequestSchema = z
  .strictObject({
    rating: z.enum(RATINGS).optional().openapi({ description: "One a person; `none` takes it back.", example: "up" }),
    comment: filledText(4_000).optional().openapi({ example: "The second step was it." }),
    by: filledText(128)
      .optional()
      .openapi({ description: "Callers who do not say count as one person.", example: "dana" }),
  })
  .refine(({ rating, comment }) => rating !== undefined || comment !== undefined, {
    path: ["rating"],
    message: "is needed, unless there is a comment",
  });

const route = createRoute({
  method: "post",
  path: "/v1/triages/{id}/feedback",
  summary: "Say whether an answer helped",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: z.object({ id: z.uuid() }),
    body: { required: true, content: { "application/json": { schema: feedbackRequestSchema } } },
  },
  responses: {
    200: {
      description: "What is on record now.",
      content: {
        "application/json": {
          schema: z.object({
            triage_id: z.string(),
            rating: z.enum(RATINGS).describe("This person's."),
            net_rating: z
              .number()
              .int()
              .nullable()
              .describe("Everybody's thumbs up less thumbs down; null where this answer is not remembered."),
          }),
        },
      },
    },
    404: problemContent("There is no such triage."),
    422: problemContent("The body is not valid."),
    503: problemContent("The database is away."),
  },
});

export const feedbackRoutes = createRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const { rating, comment, by } = c.req.valid("json");
  const said = {
    triageId: id,
    person: by ?? "",
    vote: rating === undefined ? null : VOTES[rating],
    comment: comment ?? null,
  };
  const recorded = await giveFeedback(c.get("services"), said, c.get("runInBackground"));
  if (!recorded) throw new Problem("not-found", "There is no triage with this id. A triage's answer holds its id.");
  return c.json({ triage_id: id, rating: ratingOf(recorded.vote), net_rating: recorded.rating }, 200);
});

function ratingOf(vote: Vote): Rating {
  return vote === 0 ? "none" : vote > 0 ? "up" : "down";
}
