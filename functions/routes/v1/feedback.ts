// POST /v1/triages/{id}/feedback: records a rating and a comment on an answer.

import { createRoute, z } from "@hono/zod-openapi";
import { personId, personName } from "../../access/caller.ts";
import { textId } from "../../knowledge/text-documents.ts";
import { getText } from "../../knowledge/text-records.ts";
import type { Rating as RatingValue } from "../../memory/feedback.ts";
import { giveFeedback } from "../../memory/give-feedback.ts";
import { CORRECTED_PARTS, correctionSchema } from "../../schemas/correction.ts";
import { filledText, requireJsonBody } from "../http/input.ts";
import { Problem } from "../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

export const RATINGS = ["up", "down", "none"] as const;
type Rating = (typeof RATINGS)[number];

/** The stored value of each rating. */
export const RATING_VALUES: Readonly<Record<Rating, RatingValue>> = { up: 1, down: -1, none: 0 };

export function ratingOf(value: RatingValue): Rating {
  return value === 0 ? "none" : value > 0 ? "up" : "down";
}

const feedbackRequestSchema = z
  .strictObject({
    rating: z
      .enum(RATINGS)
      .optional()
      .openapi({ description: "One for each person; `none` removes it.", example: "up" }),
    comment: filledText(4_000).optional().openapi({ example: "The second step was it." }),
    corrections: z
      .array(correctionSchema)
      .max(CORRECTED_PARTS.length)
      .refine((all) => new Set(all.map(({ part }) => part)).size === all.length, "must name each part once")
      .optional()
      .openapi({
        description:
          "The wrong parts. Each replaces what this person named for that part; an empty list, all. The right runbook ranks first for the next report of this failure.",
        example: [{ part: "step", was: "Restart it.", right: "Drain it first." }],
      }),
    by: filledText(128).optional().openapi({
      description:
        "Name of the person, within the caller: the same name of two tokens is two people. Feedback of a token without a name counts as one person's.",
      example: "dana",
    }),
  })
  .refine(({ rating, comment, corrections }) => [rating, comment, corrections].some((part) => part !== undefined), {
    path: ["rating"],
    message: "is needed, unless there is a comment or a correction",
  });

const route = createRoute({
  method: "post",
  path: "/v1/triages/{id}/feedback",
  summary: "Rate an answer",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: z.object({ id: z.uuid() }),
    body: bodyContent(feedbackRequestSchema),
  },
  responses: {
    200: jsonContent(
      "The recorded feedback.",
      z
        .object({
          triage_id: z.string(),
          rating: z.enum(RATINGS).describe("This person's rating."),
          net_rating: z
            .number()
            .int()
            .nullable()
            .describe("Thumbs up minus thumbs down of all people; null if the answer is not in memory."),
        })
        .openapi({
          example: { triage_id: "5b0f7c0e-94a1-4c5e-9a57-0a2f6c1d7e11", rating: "up", net_rating: 3 },
        }),
    ),
    202: jsonContent(
      "The database is unavailable: the feedback waits in a queue. It is recorded when the database is back, if a triage has this id.",
      z
        .object({ triage_id: z.string(), persisted: z.literal("pending") })
        .openapi({ example: { triage_id: "5b0f7c0e-94a1-4c5e-9a57-0a2f6c1d7e11", persisted: "pending" } }),
    ),
    404: problemContent("No triage has this id."),
    422: problemContent("A field is not valid, or no runbook has the path; nothing was stored."),
  },
});

export const feedbackRoutes = createRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const { rating, comment, corrections, by } = c.req.valid("json");
  const caller = c.get("caller");
  const runbook = corrections?.find(({ part }) => part === "runbook")?.right;
  if (runbook !== undefined && !(await getText(c.get("services").database, textId(runbook), ["runbook"]))) {
    const message = `no runbook has the path \`${runbook}\`. List the runbooks with GET /v1/runbooks.`;
    throw new Problem("invalid-request", message, { errors: [{ field: "corrections", message }] });
  }
  const feedback = {
    triageId: id,
    // Names are of one caller: another token cannot change this rating, nor can this one rate as a person of the chat. A session of that person is the person.
    person: caller.person?.id ?? personId(caller, by),
    by: personName(caller, by),
    rating: rating === undefined ? null : RATING_VALUES[rating],
    comment: comment ?? null,
    corrections,
  };
  const recorded = await giveFeedback(c.get("services"), feedback, c.get("runInBackground"));
  if (!recorded) throw new Problem("not-found", "No triage has this id. Use the triage_id of a triage result.");
  if (recorded === "pending") return c.json({ triage_id: id, persisted: "pending" } as const, 202);
  return c.json({ triage_id: id, rating: ratingOf(recorded.rating), net_rating: recorded.netRating }, 200);
});
