// Tool submit_feedback: records the user's rating of an answer.

import { z } from "zod";
import { latestTriage } from "../../memory/feedback.ts";
import { giveFeedback } from "../../memory/give-feedback.ts";
import { filledText } from "../http/input.ts";
import { defineTool, type ToolResult } from "./tool.ts";

const RATINGS = ["up", "down"] as const;

const output = z.object({
  triage_id: z.string(),
  title: z.string().nullable().describe("The title of the rated answer; null if you passed its id."),
  rating: z.enum(RATINGS),
  net_rating: z
    .number()
    .int()
    .nullable()
    .describe("Thumbs up minus thumbs down of all people; null if the answer is not in memory."),
  persisted: z
    .union([z.literal(true), z.literal("pending")])
    .describe("pending: the database is unavailable; the rating is recorded when it is back."),
});

export const submitFeedback = defineTool({
  name: "submit_feedback",
  title: "Submit feedback",
  description: `Records whether an answer of search_debugging_knowledge helped, so that good answers rank higher and bad ones lower for everybody. Call it as soon as the user reacts: "that was it", "fixed", "thanks, works" is up; "no", "wrong", "that made it worse" is down. Put what the user said, or what fixed it instead, into the comment.
Without a triage_id it is about the last answer of this conversation. One rating a caller and answer: calling again replaces it.`,
  scope: "feedback",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    rating: z.enum(RATINGS).describe("up: it helped; down: it did not."),
    comment: filledText(4_000).optional().describe("Why, in the user's words."),
    triage_id: z.uuid().optional().describe("The id of the answer; if omitted, the last answer of this conversation."),
  }),
  output,
  async run(
    { rating, comment, triage_id },
    { services, caller, sessionId, runInBackground },
  ): Promise<ToolResult<z.input<typeof output>>> {
    const isLatest = triage_id === undefined && sessionId !== undefined;
    const latest = isLatest ? await latestTriage(services.database, sessionId) : null;
    const triageId = triage_id ?? latest?.triage_id;
    if (triageId === undefined) {
      return {
        isError: true,
        text: "There is no recent answer in this conversation to give feedback on. Pass the triage_id that search_debugging_knowledge returned, or call that tool first.",
      };
    }
    const feedback = {
      triageId,
      person: `mcp:${caller.id}`,
      rating: rating === "up" ? 1 : -1,
      comment: comment ?? null,
    } as const;
    const recorded = await giveFeedback(services, feedback, runInBackground);
    if (!recorded) {
      return {
        isError: true,
        text: "There is no answer with this triage_id. search_debugging_knowledge returns it; leave it out for the last answer of this conversation.",
      };
    }
    const title = latest?.title ?? null;
    const subject = title === null ? `triage ${triageId}` : `the answer to "${title}"`;
    if (recorded === "pending") {
      return {
        isError: false,
        text: `Accepted: thumbs ${rating} for ${subject}. The database is unavailable now; the rating is recorded when it is back. Do not send it again.`,
        data: { triage_id: triageId, title, rating, net_rating: null, persisted: "pending" },
      };
    }
    return {
      isError: false,
      text: `Recorded: thumbs ${rating} for ${subject}.${recorded.netRating === null ? "" : ` Its net rating is now ${recorded.netRating}.`}`,
      data: { triage_id: triageId, title, rating, net_rating: recorded.netRating, persisted: true },
    };
  },
});
